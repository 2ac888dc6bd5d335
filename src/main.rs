//! The command line of mopsim: see `mopsim --help`.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
