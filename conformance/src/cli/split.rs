//! `torchproof split`: moves a program's constants into a data file.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use torchproof_cli::edit::{Document, EditError, Existing, Others, same_place, save_pair};
use torchproof_cli::escape::plain_name;

use super::{Done, complain, guard, new_file, note_left_out, print, told};

/// Move a program's constants into a data file
///
/// Every constant tensor becomes one whose bytes are in DATA under its fully qualified name, or under `torchproof.constant.N`
/// where it has none. Constants that no tensor has are left out, and a note on stderr says so. Initial values of mutable tensors,
/// delegates and named data stay. A runtime is then given both files. Of a program without constant tensors, as one that was
/// split before, only OUTPUT is written: no DATA is made and none replaced, and a note on stderr says so.
///
/// A program that has tensors in data files already is checked together with those that --with names. Without any, those tensors
/// are not looked for, which a note on stderr says, and a DATA that has one of them is not replaced. A key that DATA and another
/// data file both have is an error.
///
/// The two are put in place once both are whole and accepted together, so that none can be stdout. MODEL may be replaced, unless
/// somebody else changes it meanwhile. Bytes in it that are in none of its parts, as behind its last segment, are left out, and a
/// note on stderr says so.
///
/// A file that is replaced leaves its permissions to the new one, and its owner and group where the system allows it; hard links to
/// it keep what was in it.
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
    /// A .ptd file that the program is loaded with already; may be given many times
    #[arg(long, value_name = "FILE")]
    with: Vec<PathBuf>,
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
  torchproof check small.pte --with weights.ptd
  torchproof split model.pte --with adapter.ptd --data weights.ptd -o small.pte";

pub(super) fn run(args: &Args) -> Done {
    let name = plain_name(&args.model.to_string_lossy());
    if same_place(&args.model, &args.data) {
        return Err(EditError::SamePlace { path: args.data.clone() }.into());
    }
    let others = Others { given: &args.with, elsewhere: None };
    others.expect_apart(&args.output, &args.data)?;
    let guard = if same_place(&args.model, &args.output) { guard(&args.model)? } else { None };
    let mut program = Document::open_accepted(&args.model, &args.with)?;
    note_left_out(&args.model, program.left_out());
    let elsewhere = if args.with.is_empty() { program.external_tensors() } else { BTreeSet::new() };
    let (mut data, moved) = program.split().map_err(|error| format!("{name}: {error}"))?;
    let existing = if args.force { Existing::Replace } else { Existing::Keep };
    let data_name = plain_name(&args.data.to_string_lossy());
    let refused = |error| match error {
        // It has no file in it.
        EditError::Rejected(_) => format!("{name}: {error}"),
        EditError::StillNeeded { .. } => format!("{error}; name another file, and this one by --with"),
        other => told(&other),
    };
    if moved.tensors == 0 {
        program.save_unless_changed(&args.output, existing, guard.as_ref()).map_err(refused)?;
        complain(&format!("note: {name}: has no constant tensors: nothing is moved, and {data_name} not written"));
        return Ok(ExitCode::SUCCESS);
    }
    let others = Others { elsewhere: Some(&elsewhere), ..others };
    let (program, data) = ((&mut program, &*args.output), (&mut data, &*args.data));
    save_pair(program, data, others, existing, guard.as_ref()).map_err(refused)?;
    for left in &moved.left {
        complain(&format!("note: {name}: {left}: left out"));
    }
    if !elsewhere.is_empty() {
        let (count, s) = (elsewhere.len(), if elsewhere.len() == 1 { "" } else { "s" });
        let why = "not looked for, as none is given by --with";
        complain(&format!("note: {name}: has {count} tensor{s} in other data files: {why}"));
    }
    print(&format!("{name}: {moved} moved to {data_name}\n"))?;
    Ok(ExitCode::SUCCESS)
}
