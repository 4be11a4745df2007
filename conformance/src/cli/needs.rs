//! `torchproof needs`: prints what programs need from a build.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use torchproof::FileKind;
use torchproof::prediction::EffectTable;
use torchproof_harness::disk::open::open_regular;
use torchproof_harness::text::escape::plain_name;
use torchproof_model::check::{CheckOptions, CheckedFile};
use torchproof_model::needs::NeedsOutput;

use super::check::Companions;
use super::format::print_json;
use super::{CommandResult, complain, print, unshown};
use crate::findings::{Tally, check_hint};
use crate::paths::pairing::Pairing;

/// List the operators, backends and memory that a program needs
///
/// Shows backends, operators outside delegates (with their kernel keys), the releases that load the program, planned
/// memory, the smallest arena for each method, data files, inputs and outputs. If you name several programs, their
/// backends and operators are in one list.
///
/// Name a program's data files among the arguments. Otherwise, data files next to the program are used, as in `check`.
/// `needs` reads no more weights than `check`.
///
/// The smallest arena is the exact size that the method allocator needs to load the method. It excludes what backends
/// allocate while they load, because the file does not say how much that is.
///
/// Exits with 0 if every program is accepted, 1 if one is rejected (the output shows its findings and what can still be
/// read), and 2 if one could not be examined.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Print what a program needs:
    torchproof needs corpus/real/linear.pte
  Write the operators of two programs for a selective build:
    torchproof needs --format yaml corpus/real/add.pte corpus/real/conv.pte
  Write the sizes of memory pools as constants for C++:
    torchproof needs --format c-header corpus/real/mutable_state.pte")]
pub(super) struct NeedsArgs {
    /// Programs, and the data files that all of them use
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = NeedsFormat::Text)]
    format: NeedsFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum NeedsFormat {
    /// At most 24 lines of text
    Text,
    /// One JSON object, described by schema/needs.schema.json
    Json,
    /// The `selected_operators.yaml` for a selective build
    Yaml,
    /// A C++17 header with memory pool sizes, and the names of operators and backends
    CHeader,
}

pub(super) fn run(args: &NeedsArgs) -> CommandResult {
    let (with, programs): (Vec<PathBuf>, Vec<PathBuf>) = args.files.iter().cloned().partition(|path| is_data(path));
    if programs.is_empty() {
        return Err("FILE: found only data files; name the program that uses them".into());
    }
    let companions = Companions { pairs: with.is_empty().then(Pairing::by_name), with, own: None };
    let all = EffectTable::get().releases();
    let newest: Vec<_> = NeedsOutput::newest().into_iter().collect();
    let releases = if args.format == NeedsFormat::Json { &all } else { &newest };
    let mut needs = NeedsOutput::new();
    let options = CheckOptions { releases: all.clone(), ..CheckOptions::default() };
    let mut tally = Tally::default();
    for path in programs {
        let mut add = |needs: &mut NeedsOutput| {
            let opened = companions.open(&path)?;
            if let Some(reason) = unshown(&opened.input) {
                return Err(reason);
            }
            opened.with(|file, data| {
                let checked = options.examine(file, data);
                let examined = checked.examined.as_ref().ok();
                tally.add(examined, false);
                let is_listed = matches!(args.format, NeedsFormat::Text | NeedsFormat::Json);
                if !is_listed && !examined.is_some_and(|examined| examined.accepts(false)) {
                    let name = plain_name(&path.to_string_lossy());
                    complain(&format!(
                        "{name}: the list can be incomplete, because the file is not accepted; {}",
                        check_hint(&path)
                    ));
                }
                needs.add(checked, file, data, releases);
            })
        };
        if let Err(error) = add(&mut needs) {
            tally.add(None, false);
            complain(&error);
            if args.format == NeedsFormat::Json {
                needs.add_unexamined(CheckedFile { path, len: None, examined: Err(error), runtime: Vec::new() });
            }
        }
    }
    match args.format {
        NeedsFormat::Text => print(&needs.text())?,
        NeedsFormat::Json => print_json(&needs)?,
        NeedsFormat::Yaml => print(&needs.yaml())?,
        NeedsFormat::CHeader => print(&needs.header())?,
    }
    Ok(ExitCode::from(tally.exit_code()))
}

/// The identifier decides, so that a data file can have any name. A damaged file is recognized by its extension.
fn is_data(path: &Path) -> bool {
    let mut head = [0; 8];
    let is_read = open_regular(path).and_then(|mut file| file.read_exact(&mut head)).is_ok();
    path.extension().is_some_and(|extension| extension == "ptd") || is_read && FileKind::of_head(&head) == FileKind::Ptd
}
