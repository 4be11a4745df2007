//! Removed subcommands: each prints its replacement.

use std::ffi::OsString;

use super::Done;

/// Whatever the removed subcommand took.
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub(super) struct RemovedArgs {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    _rest: Vec<OsString>,
}

pub(super) fn split() -> Done {
    Err("split was removed; export with ExecutorchBackendConfig(external_constants=True), or change the output of \
         `torchproof dump --with-data` and pass it to `torchproof pack`"
        .into())
}

pub(super) fn merge() -> Done {
    Err("merge was removed; export with ExecutorchBackendConfig(external_constants=False), or change the output of \
         `torchproof dump --with-data` and pass it to `torchproof pack`"
        .into())
}

pub(super) fn keys() -> Done {
    Err("meta keys was removed; `torchproof meta set --help` lists the well-known keys".into())
}
