//! Removed subcommands and options. A removed subcommand or option fails with a message that names the replacement.

use std::ffi::OsString;

use super::Done;

/// The arguments of a removed subcommand. The subcommand always fails, whatever its arguments.
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub(super) struct RemovedArgs {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<OsString>,
}

pub(super) const SPLIT: &str = "split was removed; export with ExecutorchBackendConfig(external_constants=True), or change \
    the output of `torchproof dump --with-data` and pass it to `torchproof pack`";

pub(super) const MERGE: &str = "merge was removed; export with ExecutorchBackendConfig(external_constants=False), or change \
    the output of `torchproof dump --with-data` and pass it to `torchproof pack`";

pub(super) const KEYS: &str = "meta keys was removed; `torchproof meta set --help` lists the well-known keys";

pub(super) const STATS: &str = "--stats was removed; `torchproof inspect FILE` shows the content of a file";

pub(super) const RUN_FORMAT: &str = "--format was removed; pass --report FORMAT=FILE, and read text on stdout";

pub(super) const RUN_OUT: &str = "--out was removed; pass --report FORMAT=FILE";

pub(super) const COPIES: &str =
    "--copies was removed; the input files of readers are in the folder of the results file, which --results selects";

pub(super) fn show(args: &RemovedArgs) -> Done {
    let ids: Vec<_> = args.rest.iter().map(|id| id.to_string_lossy()).collect();
    Err(format!("`corpus show` was removed; use `torchproof explain {}`", ids.join(" ")).into())
}
