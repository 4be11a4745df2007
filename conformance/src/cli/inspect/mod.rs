//! `torchproof inspect`: shows the content of a file.
//!
//! An error in one section of the output does not affect the other sections. A broken field is printed as `?`, and the section
//! `Problems` at the end lists the fault.

use std::path::PathBuf;
use std::process::ExitCode;

use torchproof::flatbuffer;
use torchproof::ptd::{self, Layout, Ptd};
use torchproof::pte::{self, Pte};
use torchproof::{ErrorCode, FileKind, view};
use torchproof_harness::disk::input::Input;

use super::format::Format;
use super::{CommandResult, unshown};
use crate::fields::vector::len;
use crate::findings::fault_of;
use report::Report;
use stored::StoredParts;

mod annotate;
mod envelope;
mod method;
mod operators;
mod report;
mod stored;
mod tensors;

/// Show what is in a file: methods, tensors, operators, segments
///
/// You see the header, segments, methods, tensors, operators, delegates and named data.
///
/// With --annotate, you see every byte instead, with the structure that it belongs to: a field of a header or of a table, a
/// vtable, the count or the elements of a vector, a segment, or padding. A byte of none of these is `unowned`. This works
/// for files of any kind. Of a broken one, you see what can be decoded, and a line on stderr states the fault.
///
/// Exits with 0 if the output is complete, 1 if the file is broken (the output lists the faults), and 2 if it could not be
/// read, exceeds a limit, or is of an unsupported kind.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Show the content of a program:
    torchproof inspect corpus/real/linear.pte
  List all rows of long lists:
    torchproof inspect --all corpus/real/conv.pte
  Print every byte with its part:
    torchproof inspect --annotate corpus/real/linear_external.ptd")]
pub(super) struct InspectArgs {
    /// The .pte or .ptd file
    file: PathBuf,
    /// Print all rows of each list, instead of the first ten
    #[arg(long)]
    all: bool,
    /// Print every byte of the file with the structure that it belongs to
    #[arg(long, conflicts_with = "all")]
    annotate: bool,
    /// Output format of --annotate
    #[arg(long, value_enum, requires = "annotate", default_value_t = Format::Text)]
    format: Format,
}

pub(super) fn run(args: &InspectArgs) -> CommandResult {
    let input = Input::open(&args.file)?;
    let unshown = unshown(&input);
    if args.annotate {
        let complete = annotate::annotate(&input, args.format)?;
        return Ok(ExitCode::from(u8::from(!complete)));
    } else if let Some(why) = unshown {
        return Err(why.into());
    }
    let mut report = Report::new(args.all);
    describe(&input, &mut report);
    Ok(report.finish()?)
}

fn describe(input: &Input, report: &mut Report) {
    let file_bytes = input.file_bytes();
    let name = input.path().file_name().unwrap_or(input.path().as_os_str()).as_encoded_bytes();
    match flatbuffer::identifier(file_bytes.bytes()) {
        Some(pte::IDENTIFIER) => {
            report.title(name, "a program (.pte)", file_bytes.len());
            envelope::pte_header(file_bytes, report);
            match Pte::open_file_bytes(file_bytes) {
                Ok(file) => program(input, &file, report),
                Err(_) => no_further(input, report),
            }
        }
        Some(ptd::IDENTIFIER) => {
            let file = Ptd::open_file_bytes(file_bytes);
            let legacy = file.is_ok_and(|file| file.kind() == FileKind::PtdLegacy);
            let kind = if legacy { "a data file (.ptd) in the legacy layout" } else { "a data file (.ptd)" };
            report.title(name, kind, file_bytes.len());
            envelope::ptd_header(file_bytes, report);
            match file {
                Ok(file) => data(input, &file, report),
                Err(_) => no_further(input, report),
            }
        }
        _ => {
            report.title(name, "neither a program nor a data file", file_bytes.len());
            no_further(input, report);
        }
    }
}

fn no_further(input: &Input, report: &mut Report) {
    let Err(error) = view::File::open(input.file_bytes()) else { return };
    match fault_of(input) {
        Some(fault) if !matches!(error.error().code, ErrorCode::Limit(_)) => report.problem(fault),
        _ => report.problem(error),
    }
}

fn program(input: &Input, file: &Pte<'_>, report: &mut Report) {
    let program = file.program();
    if !envelope::flatbuffer(program, file.region(), report) {
        return;
    }
    StoredParts::Program(file).segments(report);
    for method in file.methods().flatten().take(report.most()) {
        method::describe(file, method, report);
    }
    let methods = len(program.execution_plan());
    if methods > report.most() {
        report.heading(format_args!("… and {} more methods", methods - report.most()));
    }
    operators::describe(file, report);
    StoredParts::Program(file).named_data(input, report);
}

fn data(input: &Input, file: &Ptd<'_>, report: &mut Report) {
    let small = match file.layout() {
        Layout::Current(root) => envelope::flatbuffer(root, file.region(), report),
        Layout::Legacy(root) => envelope::flatbuffer(root, file.region(), report),
    };
    if !small {
        return;
    }
    StoredParts::Data(file).segments(report);
    if let Layout::Legacy(root) = file.layout() {
        tensors::of_legacy_data(file, root, report);
    }
    StoredParts::Data(file).named_data(input, report);
}
