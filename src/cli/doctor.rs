//! `mopsim doctor`: optional parts of the machine, and limits that hold without a flag.
//!
//! Programs are looked for as the verbs do that run them, and asked for their version. Nothing is changed, and a program
//! that does not answer is no error.

use super::args::Output;
use super::failure::Failure;
use super::print;
use super::site::{self, Site};
use mopsim::executable::{OF_ROOT, in_path};
use mopsim::report::Sheet;
use mopsim::report::sheet::{Column, Datum, Rows};
use mopsim::report::site::SiteDefault;
use mopsim::{memory, trace};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Time in which a program has to print its version.
const PATIENCE: Duration = Duration::from_secs(5);

const RECORD: &str = "compiler for record, calibrate, emulate";
const LAUNCH: &str = "launcher for record, calibrate, emulate";

/// Programs, options of which one prints the version, and the use of the program. `--showme:version` is Open MPI's, `-v`
/// MPICH's: other options print the version of the C compiler.
const PROGRAMS: [(&str, &[&str], &str); 14] = [
    ("mpicc", MPI_VERSION, RECORD),
    ("mpicc.openmpi", MPI_VERSION, RECORD),
    ("mpicc.mpich", MPI_VERSION, RECORD),
    ("mpirun", VERSION, LAUNCH),
    ("mpirun.openmpi", VERSION, LAUNCH),
    ("mpirun.mpich", VERSION, LAUNCH),
    ("srun", VERSION, "launcher for record on a cluster"),
    ("otf2-print", VERSION, "text of OTF2 archives"),
    ("smpirun", VERSION, "SimGrid, to compare results"),
    ("sbatch", VERSION, "compare --slurm with Slurm"),
    ("hq", VERSION, "compare --slurm with HyperQueue"),
    ("ip", &["-V"], "emulate: networks"),
    ("tc", &["-V"], "emulate: rates of cables"),
    ("unshare", VERSION, "emulate: namespaces of ranks"),
];

const MPI_VERSION: &[&str] = &["--showme:version", "-v"];
const VERSION: &[&str] = &["--version"];

/// A part, as a row of the table.
struct Component {
    name: &'static str,
    found: bool,
    /// Version and place, or the reason why it is missing.
    detail: String,
    purpose: &'static str,
}

pub fn run(output: &Output) -> Result<(), Failure> {
    let mut parts = vec![Component {
        name: "libotf2",
        found: trace::READS_OTF2_ARCHIVES,
        detail: if trace::READS_OTF2_ARCHIVES { "compiled in" } else { "built without --features libotf2" }.to_owned(),
        purpose: "OTF2 archives without otf2-print",
    }];
    if let Some(named) = std::env::var_os("MPICC").filter(|named| !named.is_empty()) {
        let found = in_path(Path::new(&named), &OF_ROOT);
        let detail =
            found.as_ref().map_or_else(|| format!("{} is missing", named.display()), |file| version(file, MPI_VERSION));
        parts.push(Component { name: "$MPICC", found: found.is_some(), detail, purpose: RECORD });
    }
    parts.extend(PROGRAMS.map(|(name, options, purpose)| {
        let found = in_path(Path::new(name), &OF_ROOT);
        let detail = found.as_ref().map_or_else(|| "not in PATH".to_owned(), |file| version(file, options));
        Component { name, found: found.is_some(), detail, purpose }
    }));
    parts.extend(namespaces());
    let site = if output.no_config { Ok(Site::default()) } else { Site::read() };
    let sheet = sheet(&parts, &site);
    print(|out| output.format.sheet(&sheet, out))
}

/// Namespaces of networks, and the right to make them.
fn namespaces() -> [Component; 2] {
    let there = Path::new("/proc/self/ns/net").exists();
    #[cfg(unix)]
    let is_root = rustix::process::geteuid().is_root();
    #[cfg(not(unix))]
    let is_root = false;
    let text = |yes, yes_text: &str, no_text: &str| if yes { yes_text } else { no_text }.to_owned();
    [
        Component {
            name: "network namespaces",
            found: there,
            detail: text(there, "the kernel has them", "the kernel has none"),
            purpose: "emulate: switches and hosts",
        },
        Component {
            name: "root",
            found: is_root,
            detail: text(is_root, "this is root", "this is another user"),
            purpose: "emulate: creates namespaces",
        },
    ]
}

/// Returns the version that a program prints for one of these options, and its path.
fn version(program: &Path, options: &[&str]) -> String {
    let path = program.display();
    let line = options.iter().find_map(|option| {
        let mut command = Command::new(program);
        command.arg(option).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let text = answer(command.spawn().ok()?)?;
        // MPICH's launcher prints its version in the second line.
        let line = text.lines().find(|line| line.chars().any(|c| c.is_ascii_digit()))?;
        let line = line.trim_start_matches(&format!("{path}:"));
        Some(line.split_whitespace().collect::<Vec<_>>().join(" "))
    });
    line.map_or_else(|| path.to_string(), |line| format!("{line}, {path}"))
}

/// Returns the output of a program that succeeds, and ends one that takes too long.
fn answer(mut child: Child) -> Option<String> {
    let begin = Instant::now();
    while child.try_wait().ok()?.is_none() {
        if begin.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

/// Bytes that a user may still write into a folder.
fn free_bytes(folder: &Path) -> Option<u64> {
    #[cfg(unix)]
    return rustix::fs::statvfs(folder).ok().and_then(|found| found.f_bavail.checked_mul(found.f_frsize));
    #[cfg(not(unix))]
    {
        let _ = folder;
        None
    }
}

fn sheet(parts: &[Component], site: &Result<Site, Failure>) -> Sheet {
    let temporary = std::env::temp_dir();
    let cores = std::thread::available_parallelism().ok().map(|cores| cores.get() as u64);
    let (available, free) = (memory::available(), free_bytes(&temporary));
    let of_site = site.as_ref().ok().and_then(|site| site.memory);
    let limit = of_site.or(available.map(|_| memory::limit()));
    let row = |part: &Component| {
        vec![
            Datum::Text(part.name.to_owned()),
            Datum::Flag(part.found),
            Datum::Text(part.purpose.to_owned()),
            Datum::Text(part.detail.clone()),
        ]
    };
    let column = |name, heading| Column { name, heading: Some(heading) };
    let parts = Rows {
        name: "parts",
        columns: vec![
            column("part", "optional part"),
            column("found", "found"),
            column("purpose", "for"),
            column("detail", "version and path"),
        ],
        rows: parts.iter().map(row).collect(),
    };
    Sheet {
        schema: "mopsim.doctor/1",
        title: format!("mopsim {} on {} ({})", env!("CARGO_PKG_VERSION"), std::env::consts::OS, std::env::consts::ARCH),
        facts: vec![
            ("version", "version", Datum::Text(env!("CARGO_PKG_VERSION").to_owned())),
            ("cores", "cores", Datum::count(cores)),
            ("memory_bytes", "memory, bytes", Datum::count(available)),
            ("network_memory_bytes", "default --memory of a network, bytes", Datum::count(limit)),
            (
                "config_file",
                "config file",
                site::config_file().map_or(Datum::Missing, |file| Datum::Text(file.display().to_string())),
            ),
            ("temporary_folder", "temporary folder", Datum::Text(temporary.display().to_string())),
            ("temporary_free_bytes", "free in it, bytes", Datum::count(free)),
        ],
        tables: settings(site).into_iter().chain([parts]).collect(),
        detail: None,
        notes: vec![
            "Replays, studies and topologies need none of these parts.".to_owned(),
            format!(
                "{} cores; {} of memory, of which a network may take {} (--memory).",
                cores.map_or_else(|| "unknown number of".to_owned(), |cores| cores.to_string()),
                size(available),
                size(limit)
            ),
            config(site),
            format!("The temporary folder is {}, with {} free.", temporary.display(), size(free)),
        ],
    }
}

/// The defaults of the site; `None` if it has none.
fn settings(site: &Result<Site, Failure>) -> Option<Rows> {
    let values = site.as_ref().ok().map(Site::values).filter(|values| !values.is_empty())?;
    let row =
        |default: &SiteDefault| [default.key, &default.value, &default.source].map(|text| Datum::Text(text.into()));
    Some(Rows {
        name: "site_defaults",
        columns: [("key", "site default"), ("value", "value"), ("source", "from")]
            .map(|(name, heading)| Column { name, heading: Some(heading) })
            .into(),
        rows: values.iter().map(|default| row(default).into()).collect(),
    })
}

/// The config file in a sentence.
fn config(site: &Result<Site, Failure>) -> String {
    match site {
        Err(failure) => format!("The defaults of the site cannot be used: {}", failure.text().replace('\n', ";")),
        Ok(Site { file: Some(file), .. }) => format!("The config file is {}.", file.display()),
        Ok(_) => "No config file is in effect.".to_owned(),
    }
}

/// A number of bytes in words.
fn size(bytes: Option<u64>) -> String {
    bytes.map_or_else(|| "an unknown amount".to_owned(), |bytes| memory::text(bytes.into()))
}
