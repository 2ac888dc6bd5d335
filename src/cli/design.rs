//! `mopsim design`: help in choosing a network.

use super::args::{Design, DesignDsnf, DesignEquality, DesignSwitches, DesignWhat, Output};
use super::failure::Failure;
use super::progress::Generations;
use super::{design_search, files, print};
use mopsim::design::equality::{Goal, Search};
use mopsim::design::{bounds, dsnf};
use mopsim::report::{Sheet, design};
use mopsim::topology::input::{Located, ReadError, read_bytes};
use mopsim::user_error::UserError;
use std::io::ErrorKind;
use std::path::Path;
use std::time::{Duration, Instant};

/// Largest saved search in bytes, far beyond the size of any real one.
const MAX_STATE_BYTES: u64 = 256 << 20;

/// Time between two saves of a search.
const SAVE_EVERY: Duration = Duration::from_secs(1);

pub fn run(arguments: &Design, output: &Output) -> Result<(), Failure> {
    let sheet = match &arguments.what {
        DesignWhat::Search(what) => return design_search::run(what, output),
        DesignWhat::Equality(what) => equality(what, output)?,
        DesignWhat::Dsnf(DesignDsnf { from, to }) => design::dsnf(from, to, &dsnf::expansion(from, to)?),
        DesignWhat::Switches(DesignSwitches { nodes, ports, node_ports }) => {
            design::switches(*nodes, *ports, *node_ports, bounds::switch_counts(*nodes, *ports, *node_ports)?)
        }
    };
    print(|out| output.format.sheet(&sheet, out))
}

fn equality(arguments: &DesignEquality, output: &Output) -> Result<Sheet, Failure> {
    let goal = Goal {
        switches: arguments.n,
        degree: arguments.degree,
        seed: arguments.seed,
        odd: arguments.odd.clone(),
        even: arguments.even.clone(),
    };
    arguments.state.as_deref().map_or(Ok(()), |file| files::refuse_standard_output("--state", file))?;
    let saved = arguments.state.as_deref().map(read).transpose()?.flatten();
    let mut search = match (saved, &arguments.state) {
        (Some(saved), Some(path)) => saved
            .resume(&goal)
            .map_err(|error| Failure::input(format!("{}:1: {error}", path.display()), error.help()))?,
        _ => goal.start()?,
    };
    let bar = Generations::new(arguments.generations, output.quiet);
    let mut saved_at = Instant::now();
    while !search.is_done(arguments.generations) {
        search.advance();
        let best = search.best();
        bar.show(search.generation, &format!("diameter {:?}, ASPL {:.4}", best.score.diameter, search.aspl(best)));
        if let Some(path) = arguments.state.as_deref().filter(|_| saved_at.elapsed() >= SAVE_EVERY) {
            save(&search, path)?;
            saved_at = Instant::now();
        }
    }
    bar.finish();
    if let Some(path) = &arguments.state {
        save(&search, path)?;
    }
    Ok(design::equality(&search))
}

/// Reads the saved search, if the file exists.
fn read(path: &Path) -> Result<Option<Search>, Failure> {
    let text = match read_bytes(path, MAX_STATE_BYTES) {
        Ok(text) => text,
        Err(ReadError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => return Ok(None),
        Err(ReadError::Io { source, .. }) => return Err(Failure::file("read", path, &source)),
        Err(error) => return Err(error.into()),
    };
    serde_json::from_slice(&text).map(Some).map_err(|error| {
        let error = Located::from_json(&path.to_string_lossy(), &error, "");
        Failure::input(error, "this is no saved search; choose another file, or delete it to begin again")
    })
}

/// Saves the search, so that a stop at any time leaves a complete file.
fn save(search: &Search, path: &Path) -> Result<(), Failure> {
    let text = serde_json::to_vec(search).map_err(|error| Failure::output(&error.into()))?;
    files::replace(path, |out| out.write_all(&text))
}
