//! The command line of mopsim: see `mopsim --help`.

mod cli;

fn main() -> std::process::ExitCode {
    let arguments = std::env::args_os().skip(1).collect();
    cli::main(cli::Invocation { program: None, arguments }).into()
}
