//! `torchproof completions`: prints the completion script of a shell, and answers the script's requests.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::process::{self, ExitCode};

use clap::{Arg, Command, ValueHint};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter};
use clap_complete::env::Shells;
use clap_complete::{CompleteEnv, Shell};
use torchproof::prediction::EffectTable;
use torchproof::{corpus, rules};
use torchproof_harness::reader::Address;

use super::{CommandResult, print};
use crate::explain;
use crate::findings::predicted::wheels;

/// Print a shell completion script for commands and ids
///
/// The script asks `torchproof` for rule and case ids, reader addresses, releases and wheels, so it needs `torchproof`
/// on the PATH. The torchproof packages include the scripts. If you install torchproof another way, have your shell
/// source the script at startup, so that it always comes from the same release as the program.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Complete in this bash:
    source <(torchproof completions bash)
  Write the script for fish:
    torchproof completions fish > torchproof.fish")]
pub(super) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

pub(super) fn run(args: &CompletionsArgs) -> CommandResult {
    const PROGRAM: &str = "torchproof";
    let shells = Shells::builtins();
    let shell = shells.completer(&args.shell.to_string()).ok_or("found a shell without a completion script")?;
    let mut script = Vec::new();
    shell.write_registration("COMPLETE", PROGRAM, PROGRAM, PROGRAM, &mut script)?;
    script.extend_from_slice(match args.shell {
        // Otherwise, bash splits `builtin:reference` into three words.
        Shell::Bash => b"COMP_WORDBREAKS=${COMP_WORDBREAKS//:}\n",
        // zsh runs a packaged script as the function for the first completion, so the script must complete at once.
        Shell::Zsh => b"[[ $funcstack[1] != _torchproof ]] || _clap_dynamic_completer_torchproof\n",
        _ => b"",
    });
    print(&String::from_utf8(script)?)?;
    Ok(ExitCode::SUCCESS)
}

/// If a completion script started this program, with the variable `COMPLETE` set, prints the candidates and exits.
pub(super) fn answer(words: &[OsString], definition: fn() -> Command) {
    let here = std::env::current_dir().ok();
    let done = CompleteEnv::with_factory(|| with_candidates(definition())).try_complete(words, here.as_deref());
    if done.unwrap_or_else(|error| error.exit()) {
        process::exit(0);
    }
}

fn with_candidates(command: Command) -> Command {
    command.mut_subcommands(with_candidates).mut_args(|arg| {
        let value_name = arg.get_value_names().and_then(|names| names.first()).map(ToString::to_string);
        match (arg.get_id().as_str(), value_name.as_deref()) {
            ("ids", _) => candidates(arg, true, || explain::ids().map(str::to_owned).collect()),
            ("cases", _) => candidates(arg, false, || corpus::all().map(|case| case.id.to_owned()).collect()),
            ("runtime", _) => {
                candidates(arg, false, || EffectTable::get().releases().iter().map(ToString::to_string).collect())
            }
            (_, Some("RULE")) => candidates(arg, false, || rules::all().map(|rule| rule.id.to_owned()).collect()),
            (_, Some("PROFILE")) => candidates(arg, true, || wheels().map(|(name, _)| name).collect()),
            (_, Some("ADDR")) => candidates(arg, true, || {
                let builtin = Address::builtin_names().map(|name| format!("builtin:{name}"));
                builtin.into_iter().chain(["exec:", "lib:", "once:"].map(str::to_owned)).collect()
            }),
            (_, Some("DIR")) => arg.value_hint(ValueHint::DirPath),
            _ => arg,
        }
    })
}

/// Completes each value up to the next `/`, so that a shell shows areas before their cases. With `or_path`, a word that
/// begins no value is completed as a path, or its part after the last colon is, as in `exec:./reader`.
fn candidates(arg: Arg, or_path: bool, values: fn() -> Vec<String>) -> Arg {
    arg.add(ArgValueCompleter::new(move |word: &OsStr| {
        let Some(word) = word.to_str() else { return Vec::new() };
        let next = |value: &String| {
            let rest = value.strip_prefix(word).filter(|rest| !rest.is_empty() || !word.ends_with(':'))?;
            Some(format!("{word}{}", rest.split_inclusive('/').next().unwrap_or_default()))
        };
        let found: BTreeSet<String> = values().iter().filter_map(next).collect();
        if !found.is_empty() || !or_path {
            return found.into_iter().map(CompletionCandidate::new).collect();
        }
        let (scheme, path) = word.split_at(word.rfind(':').map_or(0, |at| at + 1));
        let paths = PathCompleter::any().complete(OsStr::new(path));
        paths.into_iter().map(|path| path.add_prefix(scheme)).collect()
    }))
}
