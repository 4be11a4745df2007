//! `torchproof merge`: moves constants from data files into the program that needs them.

use std::path::PathBuf;
use std::process::ExitCode;

use torchproof_cli::edit::{Document, EditError, Existing, Left, same_place};
use torchproof_cli::escape::plain_name;

use super::{Done, complain, guard, new_file, note_left_out, print};

/// Move constants from data files into the program that needs them
///
/// Every constant tensor of the program that is in a data file becomes one of the program's own, behind those that it has. What
/// shares a segment of a data file shares a constant. A program that gets nothing is written all the same, and a note on stderr
/// says so.
///
/// Blobs of the data files, as metadata, become named data of the program. Tensors that the program does not have are left out, as
/// its named data cannot say what they are, and a note on stderr says so. A data file with initial values of mutable tensors is
/// still to be loaded, and keeps those and its blobs.
///
/// What `torchproof split` took apart comes back as it was, byte for byte, if the official writer laid it out, each constant has a
/// tensor, those that share one have equal sizes, and no two tensors of a method have the same name. Else its tensors have the same
/// bytes: constants that no tensor has are gone, one that is seen at two lengths is two, and of equal names the first stays.
///
/// The file is put in place once it is whole and accepted by `torchproof check`, so that it cannot be stdout. MODEL may be
/// replaced, unless somebody else changes it meanwhile. Bytes in the files that are in none of their parts, as behind their last
/// segments, are left out, and a note on stderr says so.
///
/// A file that is replaced leaves its permissions to the new one, and its owner and group where the system allows it; hard links to
/// it keep what was in it.
///
/// Exit code 0: it is there; 2: it is not, and one line on stderr says why.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The .pte file
    model: PathBuf,
    /// A .ptd file that it is loaded with; may be given many times
    #[arg(long, value_name = "FILE", required = true)]
    data: Vec<PathBuf>,
    /// The .pte file to be made
    #[arg(long, short, value_name = "FILE", value_parser = new_file())]
    output: PathBuf,
    /// Replace a file that is there
    #[arg(long, short)]
    force: bool,
}

const EXAMPLES: &str = "\
Examples:
  torchproof merge small.pte --data weights.ptd -o model.pte
  torchproof merge base.pte --data weights.ptd --data adapter.ptd -o whole.pte";

pub(super) fn run(args: &Args) -> Done {
    let name = plain_name(&args.model.to_string_lossy());
    if let Some(path) = args.data.iter().find(|path| same_place(path, &args.output)) {
        return Err(EditError::SamePlace { path: path.clone() }.into());
    }
    let guard = if same_place(&args.model, &args.output) { guard(&args.model)? } else { None };
    let mut program = Document::open_accepted(&args.model, &args.data)?;
    let data = args.data.iter().map(|path| Document::open(path)).collect::<Result<Vec<_>, EditError>>()?;
    note_left_out(&args.model, program.left_out());
    for (path, data) in args.data.iter().zip(&data) {
        note_left_out(path, data.left_out());
    }
    let moved = program.merge(&data).map_err(|error| format!("{name}: {error}"))?;
    let existing = if args.force { Existing::Replace } else { Existing::Keep };
    program.save_unless_changed(&args.output, existing, guard.as_ref())?;
    let output = plain_name(&args.output.to_string_lossy());
    for left in &moved.left {
        if let Left::Tensors { file, .. } = left {
            complain(&format!("note: {}: {left}: left out", plain_name(&args.data[*file].to_string_lossy())));
        }
    }
    if moved.tensors == 0 && moved.blobs == 0 {
        complain(&format!("note: {name}: has no constant tensors in data files: nothing is moved"));
        return Ok(ExitCode::SUCCESS);
    }
    print(&format!("{name}: {moved} moved into {output}\n"))?;
    Ok(ExitCode::SUCCESS)
}
