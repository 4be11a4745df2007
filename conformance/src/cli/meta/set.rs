//! `torchproof meta set`: an entry with a value.

use std::fs::File;
use std::io::{self, Read};

use torchproof::metadata::{Encoding, ValueType, WELL_KNOWN, type_of};

use super::super::{Done, complain, one_of};
use super::change::ChangeArgs;
use super::target::Target;
use crate::file::meta::{Declared, Look, Owned, TypeFrom, parse};
use crate::file::{Document, EditError};
use crate::text::escape::plain_name;

/// A value has at most so many bytes: one that is longer is no metadata, and is taken into memory.
const MOST: u64 = 256 << 20;

/// Set the value of a key.
///
/// All other bytes and the alignment of every other segment stay. The changed file is checked, and replaces FILE in one step.
///
/// Exit code 0: it is set; 1: the file breaks a must-rule; 2: the key or the value is not of its form, or the file could not be
/// read or written, is too much work, or is of a kind without named data.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, after_long_help = well_known())]
pub(super) struct MetaSetArgs {
    #[command(flatten)]
    change: ChangeArgs,
    /// The key, with or without `metadata.`: lower-case words joined by dots, as `general.name`
    key: String,
    /// The value: as text, as `@FILE`, or `-` for what stdin has; `@@` stands for a text that begins with @
    ///
    /// Bytes are in hex, but those of a file and of stdin are taken as they are. Lists are `1, 2, 3`. A text that begins with a
    /// dash stands behind `--`, as the last argument.
    #[arg(allow_negative_numbers = true)]
    value: String,
    /// Its type [default: that of the well-known key, or string]
    #[arg(long = "type", value_name = "T", value_parser = one_of(ValueType::ALL.map(|ty| (ty.name(), ty))))]
    ty: Option<ValueType>,
    /// Its encoding [default: that of the present value; without one untagged, for a list tagged]
    #[arg(long, value_name = "E", value_parser = one_of(Encoding::ALL.map(|own| (own.name(), own))))]
    encoding: Option<Encoding>,
}

const EXAMPLES: &str = "\
Examples:
  torchproof meta set model.pte general.name 'Tiny llama'
  torchproof meta set model.pte tokenizer.eos_ids 2,3 -o labelled.pte
  torchproof meta set model.pte tokenizer.chat_template @template.jinja";

pub(super) fn run(args: &MetaSetArgs) -> Done {
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
            complain(&format!("warning: {target} is well known as {known}, and is set as {ty}"));
        }
        None => {
            if let Some(meant) = target.meant() {
                complain(&format!("warning: {target} is not well known: did you mean {meant}?"));
            }
        }
        _ => {}
    }
    args.change.make(|document| {
        let present = match args.encoding {
            Some(_) => None,
            None => present_encoding(document, target.key.as_bytes(), ty)?.filter(|present| *present != usual),
        };
        // It may have no bytes for a value of another type.
        let present = present.and_then(|present| Some((present, present.encode(value.value()).ok()?)));
        if let Some((present, _)) = present {
            complain(&format!("note: {target}: keeps the encoding of its value, {present}; --encoding sets another"));
        }
        document.set_named_data(&target.key, present.as_ref().map_or(&bytes, |(_, bytes)| bytes))?;
        Ok(true)
    })
}

/// The inferred encoding of the value that a key has.
fn present_encoding(document: &Document, key: &[u8], ty: ValueType) -> Result<Option<Encoding>, EditError> {
    let Some(data) = document.named_data(key) else { return Ok(None) };
    let declared = Declared { ty: Some((ty, TypeFrom::Declared)), encoding: None };
    let look = data.reader().and_then(|reader| Look::read(reader, data.len(), declared));
    let look = look.map_err(|error| EditError::Segment { index: 0, error })?;
    Ok(look.reading.map(|reading| reading.encoding))
}

/// The well-known keys and their types, for the end of the help.
fn well_known() -> String {
    let keys = WELL_KNOWN.iter().map(|(name, ty)| format!("\n  metadata.{name:24} {ty}"));
    format!("{EXAMPLES}\n\nWell-known keys:{}", keys.collect::<String>())
}

/// The value that an argument gives, itself or by where it is.
fn value(ty: ValueType, argument: &str) -> Result<Owned, String> {
    let (bytes, whence) = match argument.strip_prefix('@') {
        Some(text) if text.starts_with('@') => (text.as_bytes().to_vec(), None),
        Some(path) => {
            let name = plain_name(path);
            let read = File::open(path).and_then(read);
            let why = |error: io::Error| match error.kind() {
                io::ErrorKind::NotFound => format!("{name}: no such file"),
                _ => format!("{name}: {error}"),
            };
            (read.map_err(why)?, Some(name))
        }
        None if argument == "-" => {
            (read(io::stdin().lock()).map_err(|error| format!("stdin: {error}"))?, Some("stdin".to_owned()))
        }
        None => (argument.as_bytes().to_vec(), None),
    };
    if ty == ValueType::Bytes && whence.is_some() {
        return Ok(Owned::Bytes(bytes));
    }
    parse(ty, &bytes).map_err(|error| format!("{}: {error}", whence.unwrap_or_else(|| "the value".to_owned())))
}

fn read(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(MOST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST {
        return Err(io::Error::other(format!("more than {MOST} bytes, which are too many for metadata")));
    }
    Ok(bytes)
}
