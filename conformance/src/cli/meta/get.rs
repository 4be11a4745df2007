//! `torchproof meta get`: prints one value.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use torchproof::Span;
use torchproof::metadata::{Encoding, ValueType};
use torchproof_harness::disk::input::Input;
use torchproof_harness::text::ascii;
use torchproof_harness::text::escape::plain;

use super::super::format::Format;
use super::super::{CommandResult, complain, one_of, print};
use super::open::{name, with_metadata};
use super::target::Target;
use crate::document::meta::{DeclaredType, MetadataEntry, Row, TypeSource, ValuePreview, ValueText};

/// Print a key's value
///
/// The value goes to stdout in the syntax that `meta set` accepts: text and numbers verbatim, lists in brackets, and bytes
/// in hex. Control characters in text are escaped, so use --raw to write the original bytes. The type and the encoding go
/// to stderr.
///
/// Exits with 0 if the value was printed, 1 if the entry is missing, its value contradicts the declared type or encoding,
/// or the file is broken, and 2 if the file could not be read, exceeds a limit, or is of a kind without named data.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Print a value:
    torchproof meta get corpus/real/metadata_keys.pte general.name
  Declare the encoding:
    cd corpus/real; torchproof meta get meta* general.name --encoding untagged
  Write the bytes of a value to a file:
    torchproof meta get corpus/real/metadata_keys.pte general.name --raw > name")]
pub(super) struct MetaGetArgs {
    /// The .pte or .ptd file
    file: PathBuf,
    /// The key; the prefix `metadata.` is optional
    key: String,
    /// The value's type [default: the type of a well-known key; for other keys, inferred from the value]
    #[arg(long = "type", value_name = "T", value_parser = one_of(ValueType::ALL.map(|ty| (ty.name(), ty))))]
    ty: Option<ValueType>,
    /// The value's encoding [default: inferred from the value]
    #[arg(long, value_name = "E", value_parser = one_of(Encoding::ALL.map(|own| (own.name(), own))))]
    encoding: Option<Encoding>,
    /// Write the value's bytes unescaped and without the tag
    #[arg(long, conflicts_with = "format")]
    raw: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(super) fn run(args: &MetaGetArgs) -> CommandResult {
    let input = Input::open(&args.file)?;
    let target = Target::of(&args.key);
    with_metadata(&input, |metadata| match metadata.find(target.key.as_bytes()) {
        Some(entry) => get(args, &input, &target, &entry),
        None => {
            complain(&format!("{}: {}", name(&input), target.absent(metadata.keys())));
            Ok(ExitCode::FAILURE)
        }
    })
}

fn get(args: &MetaGetArgs, input: &Input, target: &Target, entry: &MetadataEntry<'_>) -> CommandResult {
    let failed = |why: &dyn std::fmt::Display| {
        complain(&format!("{}: {target}: {why}", name(input)));
        Ok(ExitCode::FAILURE)
    };
    let place = match entry.place {
        Ok(place) => place,
        Err(error) => return failed(&error),
    };
    let ty = args.ty.map(|ty| (ty, TypeSource::Declared));
    let declared = DeclaredType { ty, encoding: args.encoding };
    let preview = ValuePreview::at(input, place, declared.or_well_known(target.key.as_bytes()))?;
    // A value that contradicts `--type` or `--encoding` is an error, but one that only contradicts a well-known key's
    // type is printed.
    let requested = args.ty.is_some() || args.encoding.is_some();
    let decoded = match (preview.decoded, preview.problem) {
        (_, Some(problem)) if requested => return failed(&problem),
        (Some(decoded), _) => decoded,
        (None, _) => return failed(&"no type and encoding match the bytes"),
    };
    if args.format == Format::Json {
        print(&ascii::pretty(&Row::of(entry.key, Ok(&preview)))?)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(problem) = preview.problem {
        complain(&format!("{target}: the value contradicts the type of the well-known key: {problem}"));
    }
    complain(&format!("{target}: {} ({}), {}", decoded.ty, preview.type_source.name(), preview.encoding()));
    if args.raw {
        let tag = u64::from(decoded.tagged);
        write_raw(input, Span::new(place.offset + tag, place.len - tag))?;
        return Ok(ExitCode::SUCCESS);
    }
    match preview.value() {
        Some(value) => {
            let text = ValueText(value).to_string();
            let text = if value.ty() == ValueType::String { plain(&text) } else { text };
            let end = if text.ends_with('\n') { "" } else { "\n" };
            print(&(text + end))?;
            Ok(ExitCode::SUCCESS)
        }
        None => {
            let (name, len) = (name(input), place.len);
            Err(format!("{name}: {target}: found {len} bytes, expected at most 65536; pass --raw to write them").into())
        }
    }
}

/// Whoever closed the pipe needs no more output.
fn write_raw(input: &Input, span: Span) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match io::copy(&mut input.range(span), &mut out).and_then(|_| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
        _ => Ok(()),
    }
}
