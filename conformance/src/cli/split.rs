//! `torchproof split`: moves a program's constants into a data file.

use std::path::PathBuf;
use std::process::ExitCode;

use torchproof_conformance::edit::{Document, EditError, Existing, same_place, save_pair};
use torchproof_conformance::report::plain_name;

use super::{Done, complain, guard, new_file, note_left_out, print};

/// Move a program's constants into a data file
///
/// Every constant tensor becomes one whose bytes are in DATA under its fully qualified name, or under `torchproof.constant.N`
/// where it has none. Constants that no tensor has are left out, and a note on stderr says so. Initial values of mutable tensors,
/// delegates and named data stay. A runtime is then given both files. A program without constant tensors stays as it is, DATA has
/// none, and a note on stderr says so.
///
/// The two are put in place once both are whole and accepted together, so that none can be stdout. MODEL may be replaced, unless
/// somebody else changes it meanwhile. Bytes in it that are in none of its parts, as behind its last segment, are left out, and a
/// note on stderr says so.
///
/// Exit code 0: they are there; 2: they are not, and one line on stderr says why.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The .pte file
    model: PathBuf,
    /// The .ptd file to be made
    #[arg(long, value_name = "FILE", value_parser = new_file())]
    data: PathBuf,
    /// The .pte file to be made
    #[arg(long, short, value_name = "FILE", value_parser = new_file())]
    output: PathBuf,
    /// Replace files that are there
    #[arg(long, short)]
    force: bool,
}

const EXAMPLES: &str = "\
Examples:
  torchproof split model.pte --data weights.ptd -o small.pte
  torchproof split model.pte --data weights.ptd -o model.pte --force
  torchproof check small.pte --with weights.ptd";

pub(super) fn run(args: &Args) -> Done {
    let name = plain_name(&args.model.to_string_lossy());
    if same_place(&args.model, &args.data) {
        return Err(EditError::SamePlace { path: args.data.clone() }.into());
    }
    let guard = if same_place(&args.model, &args.output) { guard(&args.model)? } else { None };
    let mut program = Document::open_accepted(&args.model, &[])?;
    note_left_out(&args.model, program.left_out());
    let (mut data, moved) = program.split().map_err(|error| format!("{name}: {error}"))?;
    let existing = if args.force { Existing::Replace } else { Existing::Keep };
    let saved = save_pair((&mut program, &args.output), (&mut data, &args.data), existing, guard.as_ref());
    saved.map_err(|error| match error {
        // It has no file in it.
        EditError::Rejected(_) => format!("{name}: {error}"),
        other => other.to_string(),
    })?;
    for left in &moved.left {
        complain(&format!("note: {name}: {left}: left out"));
    }
    if moved.tensors == 0 {
        complain(&format!("note: {name}: has no constant tensors"));
    }
    let data = plain_name(&args.data.to_string_lossy());
    print(&format!("{name}: {moved} moved to {data}\n"))?;
    Ok(ExitCode::SUCCESS)
}
