//! `torchproof shrink`: the smallest file with which a reader does the same.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use torchproof::FileKind;
use torchproof::corpus::Role;

use super::readers::Limited;
use super::{Done, complain, new_file, one_of, print, unwritten};
use crate::disk::input::InputError;
use crate::disk::{AtomicFile, Existing};
use crate::hunt::first_must;
use crate::hunt::shrink::{Effort, shrink};
use crate::reader::Address;
use crate::reader::session::{ReaderSession, role_of};
use crate::reader::signature::Signature;
use crate::run::results_folder;
use crate::text::escape::{plain_line, plain_name};

/// Make a file smaller while a reader does the same with it.
///
/// The reader runs on FILE once, and what it does is what each smaller file has to make it do: the same outcome at the same
/// stage, with the same words but for numbers. With `--keep-rule` the checker has to find the same first must-rule broken as well,
/// which says what is wrong with a file that is accepted and should not be.
///
/// A file whose FlatBuffer can be followed is taken apart and written anew with less in it; any file is cut, and its bytes are made
/// zeros. OUTPUT is never larger than FILE, and is put in place whole.
///
/// Exit code 0: OUTPUT is there; 2: it is not, and one line on stderr says why.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  torchproof shrink crash.pte --reader exec:./worker -o small.pte
  torchproof shrink attacked.pte --reader once:./my_reader --keep-rule -o small.pte")]
pub(super) struct ShrinkArgs {
    /// The file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The reader, as for `torchproof run`
    #[arg(long, value_name = "ADDR")]
    reader: Address,
    /// Where the smaller file goes
    #[arg(long, short, value_name = "OUTPUT", value_parser = new_file())]
    output: PathBuf,
    /// The first must-rule that the checker finds broken has to stay the same
    #[arg(long)]
    keep_rule: bool,
    /// Take FILE for a program, a data file or a bundled program, whatever it says to be
    #[arg(long, value_name = "ROLE", value_parser = one_of(ROLES))]
    role: Option<Role>,
    /// Files to try, at most
    #[arg(long, value_name = "N", default_value_t = Effort::default().tries)]
    tries: u64,
    /// Seconds to try for, at most
    #[arg(long, value_name = "S", default_value_t = Effort::default().time.as_secs())]
    time: u64,
    #[command(flatten)]
    limited: Limited,
    /// Replace OUTPUT if it is there
    #[arg(long, short)]
    force: bool,
}

const ROLES: [(&str, Role); 3] = [("program", Role::Program), ("data", Role::Data), ("bundled", Role::Bundled)];

pub(super) fn run(args: &ShrinkArgs) -> Done {
    let existing = if args.force { Existing::Replace } else { Existing::Keep };
    // What cannot be written is not worth the effort.
    drop(AtomicFile::create(&args.output, existing).map_err(|error| unwritten(&args.output, &error))?);
    let file = fs::read(&args.file).map_err(|error| InputError::new(&args.file, &error))?;
    let role = args.role.unwrap_or_else(|| role_of(kind_of(&file, &args.file)));
    let settings = args.limited.settings(std::slice::from_ref(&args.reader))?;
    let mut session = ReaderSession::open(&args.reader, &settings, &results_folder(), args.limited.file_time())
        .map_err(|error| format!("{}: {error}", args.reader))?;
    let wanted = Signature::of(&session.read(&file, role));
    let rule_of = |bytes: &[u8]| first_must(bytes).map(|rule| rule.id);
    let rule = args.keep_rule.then(|| rule_of(&file));
    let effort = Effort { tries: args.tries, time: Duration::from_secs(args.time) };
    let shrunk = shrink(&file, effort, &mut |bytes| {
        rule.is_none_or(|rule| rule_of(bytes) == rule) && Signature::of(&session.read(bytes, role)) == wanted
    });
    AtomicFile::write_unsynced(&args.output, &shrunk.bytes, existing)
        .map_err(|error| unwritten(&args.output, &error))?;
    if !shrunk.finished {
        complain("note: the effort was used up; --tries and --time allow more");
    }
    print(&format!(
        "{}: {} bytes, of {}, with which {} does the same: {}\n",
        plain_name(&args.output.to_string_lossy()),
        shrunk.bytes.len(),
        file.len(),
        plain_line(&session.hello().name, 40),
        plain_line(wanted.as_str(), 200)
    ))?;
    Ok(ExitCode::SUCCESS)
}

/// What the file is by its identifier, or else by its name.
fn kind_of(bytes: &[u8], path: &Path) -> FileKind {
    match (FileKind::of_head(bytes), path.extension().and_then(|end| end.to_str())) {
        (FileKind::Unknown, Some("ptd")) => FileKind::Ptd,
        (FileKind::Unknown, Some("bpte")) => FileKind::Bpte,
        (kind, _) => kind,
    }
}
