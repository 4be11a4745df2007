//! The `torchproof` command.

fn main() -> std::process::ExitCode {
    torchproof_cli::main()
}
