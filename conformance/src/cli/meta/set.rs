//! `torchproof meta set`: sets a key's value.

use std::io::{self, Read};
use std::path::Path;

use torchproof::metadata::{Encoding, ValueType, WELL_KNOWN, type_of};
use torchproof_harness::disk::io_error::{cannot_read, read_fault};
use torchproof_harness::disk::open::open_argument;
use torchproof_harness::text::escape::plain_name;

use super::super::{CommandResult, complain, one_of};
use super::change::ChangeArgs;
use super::target::Target;
use crate::document::meta::{DeclaredType, OwnedValue, TypeSource, ValuePreview, parse};
use crate::document::{Document, EditError};

/// Limited, because the whole value is kept in memory.
const MAX_VALUE: u64 = 256 << 20;

/// Set a key's value
///
/// All other entries and segments are preserved, including the segments' alignment. The changed file is checked before
/// it replaces FILE in one atomic step.
///
/// Exits with 0 if the value was set, 1 if the file breaks a must-rule, and 2 if the key or the value is malformed, or the
/// file could not be read or written, exceeds a limit, or is of a kind without named data.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, after_long_help = well_known())]
pub(super) struct MetaSetArgs {
    #[command(flatten)]
    change: ChangeArgs,
    /// The key: lower-case words separated by dots, such as `general.name`; the prefix `metadata.` is optional
    key: String,
    /// The value: text, `@FILE` for a file's content, or `-` for stdin. Write `@@` for text that begins with @
    ///
    /// For type `bytes`, VALUE consists of hex digits, or names a file or stdin with the raw bytes. Separate list
    /// elements with commas: `1, 2, 3`. If VALUE begins with a dash, write `--` and VALUE as the last two arguments.
    #[arg(allow_negative_numbers = true)]
    value: String,
    /// The value's type [default: the type of a well-known key; for other keys, string]
    #[arg(long = "type", value_name = "T", value_parser = one_of(ValueType::ALL.map(|ty| (ty.name(), ty))))]
    ty: Option<ValueType>,
    /// The value's encoding [default: the replaced value's encoding; for a new list, tagged; for other new values,
    /// untagged]
    #[arg(long, value_name = "E", value_parser = one_of(Encoding::ALL.map(|own| (own.name(), own))))]
    encoding: Option<Encoding>,
}

const EXAMPLES: &str = "\
Examples:
  Write a copy with another value:
    torchproof meta set corpus/real/add.pte general.name 'Tiny linear' -o a.pte
  Set a list of integers:
    torchproof meta set corpus/real/add.pte tokenizer.eos_ids 2,3 -o a.pte
  Read the value from a file:
    torchproof meta set corpus/real/add.pte my.text @corpus/README.md -o a.pte";

pub(super) fn run(args: &MetaSetArgs) -> CommandResult {
    let target = Target::of(&args.key);
    target.check()?;
    let known = type_of(target.key.as_bytes());
    let ty = args.ty.or(known).unwrap_or(ValueType::String);
    let value = value(ty, &args.value).map_err(|why| format!("{}: {target}: {why}", args.change.name()))?;
    let usual = if ty == ValueType::IntList { Encoding::Tagged } else { Encoding::Untagged };
    let encoding = args.encoding.unwrap_or(usual);
    let bytes = encoding.encode(value.value()).map_err(|error| format!("{}: {target}: {error}", args.change.name()))?;
    match known {
        Some(known) if known != ty => {
            complain(&format!("warning: {target}: found type {ty}, expected {known} for this well-known key"));
        }
        None => {
            if let Some(meant) = target.meant() {
                complain(&format!("warning: {target}: not a well-known key; did you mean {meant}?"));
            }
        }
        _ => {}
    }
    args.change.make(|document| {
        let present = match args.encoding {
            Some(_) => None,
            None => present_encoding(document, target.key.as_bytes(), ty)?.filter(|present| *present != usual),
        };
        // Keep the current encoding only if it supports the new type.
        let present = present.and_then(|present| Some((present, present.encode(value.value()).ok()?)));
        if let Some((present, _)) = present {
            complain(&format!("note: {target}: keeps its encoding, {present}; pass --encoding to change it"));
        }
        document.set_named_data(&target.key, present.as_ref().map_or(&bytes, |(_, bytes)| bytes))?;
        Ok(true)
    })
}

fn present_encoding(document: &Document, key: &[u8], ty: ValueType) -> Result<Option<Encoding>, EditError> {
    let Some(data) = document.named_data(key) else { return Ok(None) };
    let declared = DeclaredType { ty: Some((ty, TypeSource::Declared)), encoding: None };
    let preview = data.reader().and_then(|reader| ValuePreview::read(reader, data.len(), declared));
    let preview = preview.map_err(|error| EditError::Segment { index: 0, error })?;
    Ok(preview.decoded.map(|decoded| decoded.encoding))
}

fn well_known() -> String {
    let keys = WELL_KNOWN.iter().map(|(name, ty)| format!("  metadata.{name:24} {ty}\n"));
    format!("Well-known keys:\n{}\n{EXAMPLES}", keys.collect::<String>())
}

fn value(ty: ValueType, argument: &str) -> Result<OwnedValue, String> {
    let (bytes, source) = match argument.strip_prefix('@') {
        Some(text) if text.starts_with('@') => (text.as_bytes().to_vec(), None),
        Some(path) => {
            let read = open_argument(Path::new(path)).and_then(read);
            (read.map_err(|error| cannot_read(Path::new(path), &error))?, Some(plain_name(path)))
        }
        None if argument == "-" => {
            let read = read(io::stdin().lock());
            (read.map_err(|error| format!("stdin: {}", read_fault(&error)))?, Some("stdin".to_owned()))
        }
        None => (argument.as_bytes().to_vec(), None),
    };
    if ty == ValueType::Bytes && source.is_some() {
        return Ok(OwnedValue::Bytes(bytes));
    }
    parse(ty, &bytes).map_err(|error| format!("{}: {error}", source.unwrap_or_else(|| "the value".to_owned())))
}

fn read(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(MAX_VALUE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_VALUE {
        return Err(io::Error::other(format!("found more than {MAX_VALUE} bytes, expected at most {MAX_VALUE}")));
    }
    Ok(bytes)
}
