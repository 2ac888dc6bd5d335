//! `mopsim emulate`: a real network with the cables and routes of a topology, in namespaces of one Linux machine.
//!
//! Every switch is a network namespace, and so is every host with a link of its own. A cable is a pair of virtual Ethernet
//! devices with a token bucket at each end that a link leaves from, so a uni-directional cable carries nothing backwards.
//! Routes are those of the platform, entered per source where sources differ. MPI programs run on it over TCP, unchanged.
//!
//! [`Plan`] works out what has to exist, [`commands`] writes it as input of `ip` and `tc`, [`build`] runs these and takes the
//! network down again, [`State`] remembers what was built, [`launch`] starts programs, [`compare`] sets measured times
//! against predicted ones.

pub mod build;
mod choice;
pub mod commands;
pub mod compare;
pub mod counters;
pub mod launch;
mod plan;
mod state;
mod supervise;

pub use choice::{Choice, parse_rate};
pub use plan::{Cable, Hop, MAX_HOSTS, MAX_SPACES, PACKETS_PER_CORE, Plan};
pub use state::{FOLDER, LinkPlace, Prefix, State};
pub use supervise::{Ended, Stop, Watched, watch};

use crate::user_error::{INTERRUPTED, UserError, code_of_input};
use std::path::PathBuf;
use thiserror::Error;

/// Why a network cannot be emulated.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EmulateError {
    /// Only Linux has network namespaces.
    #[error("networks are emulated on Linux only")]
    NotLinux,
    /// The process may not create namespaces.
    #[error("emulate {verb} needs root: it creates network namespaces, devices and routes")]
    NotRoot {
        /// Verb that needs root.
        verb: &'static str,
    },
    /// A program is missing.
    #[error("`{program}` is not found")]
    NoProgram {
        /// Name of the program.
        program: String,
        /// Debian's package that has it.
        package: &'static str,
    },
    /// The network has something that namespaces do not have.
    #[error("`{network}` cannot be emulated: {reason}")]
    Unfit {
        /// Name of the network.
        network: String,
        /// Reason.
        reason: String,
        /// One line on what to do about it.
        help: &'static str,
    },
    /// The machine cannot carry the packets.
    #[error(
        "`{network}` carries up to {packets:.0} packets times hops per second with all cables full; this machine carries \
         {budget:.0} without slowing programs down"
    )]
    TooFast {
        /// Name of the network.
        network: String,
        /// Packets times hops per second.
        packets: f64,
        /// Largest number of packets times hops per second.
        budget: f64,
        /// Part of the rate that is within the limit.
        part: f64,
    },
    /// A prefix that names of namespaces cannot have.
    #[error("--prefix `{0}`: it must be 1 to 12 lower-case letters and digits, and begin with a letter")]
    Prefix(String),
    /// Something of that name exists and was not made by `up`.
    #[error("network namespace `{0}` exists and was not created by mopsim")]
    Foreign(String),
    /// There is no network of that prefix.
    #[error("no emulated network `{0}` is up")]
    NotUp(String),
    /// The record is not one of this version.
    #[error("{}: {}", file.display(), if *of_another { "a record of another version of mopsim" } else { "the record is damaged" })]
    Unreadable {
        /// Prefix of the network.
        prefix: String,
        /// The record.
        file: PathBuf,
        /// `true` if it is complete, but of another version.
        of_another: bool,
    },
    /// The network was not set up completely.
    #[error("the emulated network `{0}` was not set up completely")]
    Incomplete(String),
    /// Another process works on the network.
    #[error("another mopsim is at work on the emulated network `{0}`")]
    Busy(String),
    /// Processes run in it.
    #[error("{count} processes run in the emulated network `{prefix}`, for example {example}")]
    InUse {
        /// Prefix of the network.
        prefix: String,
        /// Number of processes.
        count: usize,
        /// One of them.
        example: String,
    },
    /// A command failed.
    #[error("`{command}` failed: {message}")]
    Command {
        /// Command line.
        command: String,
        /// Its standard error.
        message: String,
    },
    /// A file cannot be read or written.
    #[error("{}: {error}", .file.display())]
    File {
        /// File that was accessed.
        file: PathBuf,
        /// Why not.
        #[source]
        error: std::io::Error,
    },
    /// The kernel has no delays.
    #[error("this kernel has no netem, which delays packets: {0}")]
    NoDelay(String),
    /// The command does not start ranks with Open MPI 4.
    #[error("{0}")]
    Launcher(String),
    /// The user's command has an option that places ranks.
    #[error("`{0}` does not go with an emulated network, which has its own hosts")]
    Option(String),
    /// The preloaded library cannot be compiled.
    #[error("`{}` cannot compile the library that is preloaded:\n{message}", .compiler.display())]
    Compiler {
        /// Compiler that failed.
        compiler: PathBuf,
        /// Its messages.
        message: String,
    },
    /// Ctrl-C or another signal.
    #[error("interrupted")]
    Interrupted,
}

impl UserError for EmulateError {
    fn help(&self) -> String {
        match self {
            Self::NotLinux => "use a Linux machine, or a virtual machine with Linux".into(),
            Self::NotRoot { .. } => "run it as root, for example with sudo, or in a virtual machine of your own".into(),
            Self::NoProgram { package, .. } => format!("install it (Debian: apt install {package})"),
            Self::Unfit { help, .. } => (*help).into(),
            Self::TooFast { part, .. } => {
                format!(
                    "lower --rate to {:.0} % of its value, choose a smaller network, or raise --packets on a faster machine",
                    (100.0 * part).floor()
                )
            }
            Self::Prefix(_) => "choose another name, for example --prefix net1".into(),
            Self::Foreign(_) => "choose another --prefix".into(),
            Self::NotUp(_) => "build one first: mopsim emulate up torus:4x4".into(),
            Self::Unreadable { prefix, .. } => {
                format!("remove the network with `mopsim emulate down --prefix {prefix}`, and build it again")
            }
            Self::Incomplete(_) => {
                "build it again with `mopsim emulate up`, or remove it with `mopsim emulate down`".into()
            }
            Self::Busy(_) => "wait for it or end it, or choose another --prefix".into(),
            Self::InUse { .. } => {
                "end them, or take the network down with `mopsim emulate down`, which ends them".into()
            }
            Self::Command { .. } => {
                "check that the kernel has network namespaces, veth devices and the queueing discipline tbf".into()
            }
            Self::File { .. } => "check the path, its permissions and the disk".into(),
            Self::NoDelay(_) => "leave --delay out, or use a kernel with CONFIG_NET_SCH_NETEM".into(),
            Self::Launcher(_) => "begin the command with Open MPI's mpirun: -- mpirun -n 16 ./app".into(),
            Self::Option(_) => "leave it out: rank r runs on host r".into(),
            Self::Compiler { .. } => "name the C compiler of the MPI library that runs the program with --mpicc".into(),
            Self::Interrupted => String::new(),
        }
    }

    fn is_io(&self) -> bool {
        matches!(self, Self::File { .. } | Self::Command { .. } | Self::Busy(_))
    }

    fn exit_code(&self) -> u8 {
        match self {
            Self::Interrupted => INTERRUPTED,
            _ => code_of_input(self.is_io()),
        }
    }
}
