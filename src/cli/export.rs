//! `mopsim export`: topologies and platforms for other programs.

use super::args::{Export, Output};
use super::failure::Failure;
use super::files::{self, Outputs};
use super::replay::{self, named};
use super::{inputs, options, print, progress, say};
use mopsim::export::{self, ExportError};
use mopsim::memory;
use mopsim::platform::Platform;
use mopsim::report::{self, Sheet};
use mopsim::study::network::{NetworkChoice, NetworkUnderTest};
use std::io::Write;
use std::path::Path;

/// Size of an export in bytes from which on it is announced.
const TOLD: u64 = 100_000_000;

pub fn run(arguments: &Export, output: &Output) -> Result<(), Failure> {
    // The written file is reported if requested; in text, the file itself is sufficient.
    let file = arguments.output.as_deref().filter(|file| !files::is_standard_output(file));
    let tell = |sheet: &dyn Fn(&str) -> Sheet| match file {
        Some(file) if !output.is_text() => print(|out| output.format.sheet(&sheet(&file.display().to_string()), out)),
        _ => Ok(()),
    };
    if !output.is_text() && file.is_none() {
        let message = "--format is the format of a report, and standard output has the export itself";
        return Err(Failure::input(
            message,
            "leave it out (--to says what is written), or write the export by -o FILE",
        ));
    }
    let choice = NetworkChoice {
        topology: arguments.spec.clone(),
        platform: arguments.platform.clone(),
        ..options::network(&arguments.network)?
    };
    if arguments.network.mapping.is_some() {
        let message = "--mapping places ranks, and an export has none";
        return Err(Failure::input(message, "leave it out; --hostfile FILE writes the hosts in order"));
    }
    Outputs::default()
        .creating("--output", arguments.output.as_deref(), arguments.force)
        .creating("--hostfile", arguments.hostfile.as_deref(), arguments.force)
        .check(|| inputs::network(&choice, Path::new("")))?;
    let format = arguments.to;
    match format.write {
        export::Write::Graph(write) => {
            if arguments.hostfile.is_some() {
                let message = format!("--hostfile does not go with --to {}, which has no hosts", format.name);
                return Err(Failure::input(message, "leave it out, or use --to simgrid"));
            }
            if let Some(option) = unused(&choice) {
                let message = format!(
                    "--{option} does not go with --to {}, which holds the graph, and hosts as its topology has them",
                    format.name
                );
                return Err(Failure::input(message, "leave it out, or use --to simgrid"));
            }
            let topology = progress::building(named(&choice), output.quiet, || choice.build_graph(Path::new("")))?;
            if topology.graph.slowest_share() < 1.0 && !output.quiet {
                say(&format!("warning: some cables are slower, which --to {} does not hold", format.name));
            }
            deliver(arguments.output.as_deref(), |out| write(&topology, out))?;
            tell(&|file| report::export::graph(&topology, format.name, file))
        }
        export::Write::Network(write) => {
            if arguments.hostfile.is_some() {
                let message = format!("--hostfile does not go with --to {}, whose hosts are h0, h1, ...", format.name);
                return Err(Failure::input(message, "leave it out, or use --to simgrid"));
            }
            let network = replay::build(&choice, output.quiet)?;
            let Some((topology, _)) = network.graph() else {
                let message = format!("--to {} needs a topology, and the platform file lists its links", format.name);
                return Err(Failure::input(message, "use --to simgrid, or describe the network by a topology"));
            };
            warn_of_routes(&network, format.name, output);
            deliver(arguments.output.as_deref(), |out| write(topology, &network.platform, out))?;
            tell(&|file| report::export::platform(&network.platform, format.name, file))
        }
        export::Write::Platform(write) => {
            let network = replay::build(&choice, output.quiet)?;
            let platform: &Platform = &network.platform;
            warn_of_routes(&network, format.name, output);
            let bytes = export::estimated_bytes(platform);
            if bytes > TOLD && !output.quiet {
                say(&format!("about {} will be written", memory::text(bytes.into())));
            }
            deliver(arguments.output.as_deref(), |out| write(platform, out))?;
            if let Some(file) = &arguments.hostfile {
                deliver(Some(file), |out| export::host_file(platform, out))?;
            }
            tell(&|file| report::export::platform(platform, format.name, file))
        }
    }
}

/// Warns of a rule that chooses routes message by message: a file lists one route for each pair of hosts.
fn warn_of_routes(network: &NetworkUnderTest, format: &str, output: &Output) {
    let adaptive = network.graph().and_then(|(_, making)| making.routings.iter().find(|rule| rule.kind.adaptive));
    if let Some(rule) = adaptive.filter(|_| !output.quiet) {
        say(&format!(
            "warning: {rule} chooses routes by load, message by message; --to {format} holds one route for each pair of hosts, \
             that of an idle network"
        ));
    }
}

/// Returns an option about hosts, links or routes, which a mere graph does not have.
fn unused(choice: &NetworkChoice) -> Option<String> {
    let routing = choice.routing.as_ref().map(|_| "routing");
    Some(routing.into_iter().chain(choice.parameters.given()).next()?.replace('_', "-"))
}

/// Writes to a file, which is complete or absent, or to standard output.
fn deliver(file: Option<&Path>, write: impl FnOnce(&mut dyn Write) -> Result<(), ExportError>) -> Result<(), Failure> {
    match file {
        // The output is written as it is generated: a platform can be larger than memory.
        None => files::replace_with(Path::new("-"), |out| write(out).map_err(Failure::from)),
        Some(file) => files::replace_with(file, |out| {
            write(out).map_err(|error| match error {
                ExportError::Io(error) => Failure::file("write", file, &error),
                error => Failure::from(error),
            })
        }),
    }
}
