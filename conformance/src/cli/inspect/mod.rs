//! `torchproof inspect`: what is in a file, for people.
//!
//! Every section is written from what can be read, whatever the others met: a field at fault shows as `?`, and what is wrong
//! with it stands under `Problems` at the end.

use std::path::PathBuf;
use std::process::ExitCode;

use torchproof::flatbuffer;
use torchproof::ptd::{self, Layout, Ptd};
use torchproof::pte::{self, Pte};
use torchproof::{Image, view};

use super::format::Format;
use super::{Done, print, unshown};
use crate::disk::input::Input;
use report::Report;
use stored::Stored;
use vector::{items, len};

mod annotate;
mod envelope;
mod method;
mod operators;
mod report;
mod stored;
mod tensors;
mod text;
mod vector;

/// Show what is in a file: header, segments, methods, tensors, operators, delegates, named data.
///
/// With --annotate, show what each byte of it is: a field of a header or of a table, a vtable, a list's count or elements, a
/// segment, padding, or unowned, which is neither part nor padding. A broken file is shown as far as it can be followed, and a
/// line on stderr says where that ends. A file of any kind is shown so.
///
/// Exit code 0: everything could be shown; 1: the file is broken: what can be read is shown, and what cannot is listed, or with
/// --annotate where the map ends; 2: it could not be read, is too much work, or is of a kind that is not shown.
#[derive(Debug, clap::Args)]
pub(super) struct InspectArgs {
    /// The .pte or .ptd file
    file: PathBuf,
    /// List everything, where only the first ten would be listed
    #[arg(long)]
    all: bool,
    /// Show every byte of the file, and what it is
    #[arg(long, conflicts_with = "all")]
    annotate: bool,
    /// How to show the bytes
    #[arg(long, value_enum, requires = "annotate", default_value_t = Format::Text)]
    format: Format,
}

pub(super) fn run(args: &InspectArgs) -> Done {
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
    let (text, code) = report.finish();
    print(&text)?;
    Ok(code)
}

fn describe(input: &Input, report: &mut Report) {
    let image = input.image();
    let name = input.path().file_name().unwrap_or(input.path().as_os_str()).as_encoded_bytes();
    match flatbuffer::identifier(image.bytes()) {
        Some(pte::IDENTIFIER) => {
            report.title(name, "a program (.pte)", image.len());
            envelope::pte_header(image, report);
            match Pte::open_image(image) {
                Ok(file) => program(input, &file, report),
                Err(_) => no_further(image, report),
            }
        }
        Some(ptd::IDENTIFIER) => {
            let file = Ptd::open_image(image);
            let legacy = file.is_ok_and(|file| matches!(file.layout(), Layout::Legacy(_)));
            let kind = if legacy { "a data file (.ptd) of the older layout" } else { "a data file (.ptd)" };
            report.title(name, kind, image.len());
            envelope::ptd_header(image, report);
            match file {
                Ok(file) => data(input, &file, report),
                Err(_) => no_further(image, report),
            }
        }
        _ => {
            report.title(name, "neither a program nor a data file", image.len());
            no_further(image, report);
        }
    }
}

/// Reports why a file does not open.
fn no_further(image: Image<'_>, report: &mut Report) {
    if let Err(error) = view::File::open(image) {
        report.problem(error);
    }
}

fn program(input: &Input, file: &Pte<'_>, report: &mut Report) {
    let program = file.program();
    if !envelope::flatbuffer(program, file.region(), report) {
        return;
    }
    Stored::Program(file).segments(report);
    for plan in items(program.execution_plan()).flatten().take(report.most()) {
        method::describe(file, plan, report);
    }
    let methods = len(program.execution_plan());
    if methods > report.most() {
        report.heading(format_args!("… and {} more methods", methods - report.most()));
    }
    operators::describe(program, report);
    Stored::Program(file).named_data(input, report);
}

fn data(input: &Input, file: &Ptd<'_>, report: &mut Report) {
    let small = match file.layout() {
        Layout::Current(root) => envelope::flatbuffer(root, file.region(), report),
        Layout::Legacy(root) => envelope::flatbuffer(root, file.region(), report),
    };
    if !small {
        return;
    }
    Stored::Data(file).segments(report);
    if let Layout::Legacy(root) = file.layout() {
        tensors::of_legacy_data(root, report);
    }
    Stored::Data(file).named_data(input, report);
}
