//! The `torchproof` command.
#![deny(clippy::print_stderr, clippy::print_stdout)] // They panic where nobody listens.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
