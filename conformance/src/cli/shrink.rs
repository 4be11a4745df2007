//! `torchproof shrink`: minimizes a file while a reader's outcome stays the same.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use torchproof::Role;
use torchproof_harness::disk::input::InputError;
use torchproof_harness::disk::io_error::cannot_write;
use torchproof_harness::disk::open::read_argument;
use torchproof_harness::disk::{AtomicFile, OverwritePolicy};
use torchproof_harness::hunt::first_must;
use torchproof_harness::hunt::shrink::{Effort, shrink};
use torchproof_harness::reader::Address;
use torchproof_harness::reader::interrupt::is_interrupted;
use torchproof_harness::reader::session::{ReaderSession, role_of_file};
use torchproof_harness::reader::site::Site;
use torchproof_harness::run::results_folder;
use torchproof_harness::text::escape::{plain_line, plain_name};

use super::interrupted::{INTERRUPTED, end_on_signals};
use super::readers::LimitOptions;
use super::{CommandResult, complain, duration, new_file, number, one_of, print};

/// Minimize a file while a reader's outcome stays the same
///
/// The reader runs on FILE, then on smaller candidates. A candidate replaces the previous file if the outcome, the
/// stage and the message (without its numbers) are the same; for a crash with a stack on stderr, the innermost
/// functions are compared instead. If the reader wrongly accepts FILE, pass --keep-rule, so that the smaller file keeps
/// the defect.
///
/// If the FlatBuffer can be decoded, `shrink` removes tables and fields. In every file, it also cuts off the end and
/// sets bytes to zero. OUTPUT is never larger than FILE, and is created only when it is complete. FILE may have at most
/// 256 MiB.
///
/// Exits with 0 if OUTPUT was written, 2 otherwise, and 130 if SIGINT or SIGTERM ended the search; OUTPUT is then the
/// smallest file so far.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Minimize a file that a reader rejects:
    torchproof shrink corpus/real/add.pte --reader builtin:reject-all -o a.pte
  Minimize a file that a reader accepts, and replace an older copy:
    torchproof shrink corpus/real/add.pte --reader once:true --force -o a.pte")]
pub(super) struct ShrinkArgs {
    /// The file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The reader's address, as for `torchproof run`
    #[arg(long, value_name = "ADDR")]
    reader: Address,
    /// The output file
    #[arg(long, short, value_name = "OUTPUT", value_parser = new_file())]
    output: PathBuf,
    /// Accept only candidates that break the same first must-rule as FILE
    #[arg(long)]
    keep_rule: bool,
    /// Kind of FILE, overriding what its identifier says
    #[arg(long, value_name = "ROLE", value_parser = one_of(ROLES))]
    role: Option<Role>,
    /// Maximum number of candidates
    #[arg(help_heading = "Limits", long, value_name = "N", default_value_t = Effort::default().tries, value_parser = number)]
    tries: u64,
    /// Time limit
    #[arg(help_heading = "Limits", long, value_name = "TIME", default_value = "1m", value_parser = duration)]
    time: Duration,
    /// Replace OUTPUT if it exists
    #[arg(long, short)]
    force: bool,
    #[command(flatten)]
    limited: LimitOptions,
}

const ROLES: [(&str, Role); 3] = [("program", Role::Program), ("data", Role::Data), ("bundled", Role::Bundled)];

pub(super) fn run(args: &ShrinkArgs) -> CommandResult {
    let existing = if args.force { OverwritePolicy::Replace } else { OverwritePolicy::Keep };
    // Fail before the reader starts if the output cannot be written.
    drop(AtomicFile::create(&args.output, existing).map_err(|error| cannot_write(&args.output, &error))?);
    let file = read_argument(&args.file).map_err(|error| InputError::new(&args.file, &error))?;
    let role = args.role.unwrap_or_else(|| role_of_file(&file, &args.file));
    let settings = args.limited.settings(std::slice::from_ref(&args.reader))?;
    end_on_signals()?;
    let mut session = ReaderSession::open(&args.reader, &settings, &results_folder(), args.limited.file_time())
        .map_err(|error| format!("{}: {error}", args.reader))?;
    let outcome = session.read(&file, role);
    if is_interrupted() {
        complain("interrupted; no output was written");
        return Ok(ExitCode::from(INTERRUPTED));
    }
    let wanted = Site::of(&outcome);
    let rule_of = |bytes: &[u8]| first_must(&[bytes]).map(|rule| rule.id);
    let rule = args.keep_rule.then(|| rule_of(&file));
    let effort = Effort { tries: args.tries, time: args.time };
    let shrunk = shrink(&file, effort, &mut |bytes| {
        let holds = rule.is_none_or(|rule| rule_of(bytes) == rule) && Site::of(&session.read(bytes, role)) == wanted;
        // A signal cuts short the wait for a reader, so the reader's outcome is wrong.
        holds && !is_interrupted()
    });
    AtomicFile::write_unsynced(&args.output, &shrunk.bytes, existing)
        .map_err(|error| cannot_write(&args.output, &error))?;
    let interrupted = is_interrupted();
    if interrupted {
        complain("interrupted; the output is the smallest file so far");
    } else if !shrunk.finished {
        complain("note: stopped at the limit; pass a higher --tries or --time to continue");
    }
    print(&format!(
        "{}: {} bytes, from {}; {} still reports: {}\n",
        plain_name(&args.output.to_string_lossy()),
        shrunk.bytes.len(),
        file.len(),
        plain_line(&session.hello().name, 40),
        plain_line(&outcome.to_string(), 200)
    ))?;
    Ok(if interrupted { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}
