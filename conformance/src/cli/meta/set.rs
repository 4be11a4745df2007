//! `torchproof meta set`: an entry with a value.

use std::fs::File;
use std::io::{self, Read};

use torchproof::metadata::{Certainty, Encoding, ValueType, type_of};
use torchproof_cli::edit::{Document, EditError};
use torchproof_cli::escape::plain_name;
use torchproof_cli::meta::{Declared, EncodingText, Look, Owned, TypeFrom, edit, parse};

use super::super::{Done, complain};
use super::change::Change;
use super::target::Target;
use super::{InEncoding, OfType};

/// A value has at most so many bytes: one that is longer is no metadata, and is taken into memory.
const MOST: u64 = 256 << 20;

/// Give a key a value: a new entry, or another value for one that is there.
///
/// Everything else in the file stays what it is, and every other segment as aligned as it is. The new file is checked, and
/// takes the place of the old one whole or not at all.
///
/// Exit code 0: it is set; 1: the file breaks a must-rule; 2: the key or the value is not of its form, or the file could not be
/// read or written, is too much work, or is of a kind without named data.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  torchproof meta set model.pte general.name 'Tiny llama'
  torchproof meta set model.pte tokenizer.eos_ids 2,3 -o labelled.pte
  torchproof meta set model.pte tokenizer.chat_template @template.jinja")]
pub(super) struct Args {
    #[command(flatten)]
    change: Change,
    /// The key, with or without `metadata.`: lower-case words joined by dots, as `general.name`
    key: String,
    /// The value: as text, as `@FILE`, or `-` for what stdin has; `@@` stands for a text that begins with @
    ///
    /// Bytes are in hex, but those of a file and of stdin are taken as they are. Lists are `1, 2, 3`. A text that begins with a
    /// dash stands behind `--`, as the last argument.
    #[arg(allow_negative_numbers = true)]
    value: String,
    /// Its type [default: that of the well-known key, or string]
    #[arg(long = "type", value_enum, value_name = "T")]
    ty: Option<OfType>,
    /// Its encoding [default: that of the value that is there, if it tells; else untagged, but tagged for a list]
    #[arg(long, value_enum, value_name = "E")]
    encoding: Option<InEncoding>,
}

pub(super) fn run(args: &Args) -> Done {
    let target = Target::of(&args.key);
    target.check()?;
    let known = type_of(target.key.as_bytes());
    let ty = args.ty.map(ValueType::from).or(known).unwrap_or(ValueType::String);
    let value = value(ty, &args.value).map_err(|why| format!("{}: {target}: {why}", args.change.name()))?;
    let usual = if ty == ValueType::IntList { Encoding::Tagged } else { Encoding::Untagged };
    let encoding = args.encoding.map_or(usual, Into::into);
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
        let own = match args.encoding {
            Some(_) => None,
            None => own_encoding(document, target.key.as_bytes(), ty)?.filter(|(own, _)| *own != usual),
        };
        // It may have no bytes for a value of another type.
        let own = own.and_then(|(own, text)| Some((own, own.encode(value.value()).ok()?, text)));
        let (encoding, bytes) = own.as_ref().map_or((encoding, &bytes), |(own, bytes, _)| (*own, bytes));
        edit::set(document, &target.key, bytes)?;
        if let Some(taken) = misread(&target, ty, encoding, bytes) {
            let tagged = Encoding::Tagged.encode(value.value()).ok().filter(|_| encoding == Encoding::Untagged);
            let helps = tagged.is_some_and(|bytes| misread(&target, ty, Encoding::Tagged, &bytes).is_none());
            let advice = if helps { "; --encoding tagged tells it" } else { "" };
            complain(&format!("note: {target}: who reads it without a declaration takes it for {taken}{advice}"));
        }
        if let Some((.., text)) = own {
            complain(&format!("note: {target}: in the encoding of the value that was there: {text}"));
        }
        Ok(true)
    })
}

/// The encoding of the value that a key has, in print as well, if the value tells it by itself or as one of this type.
fn own_encoding(document: &Document, key: &[u8], ty: ValueType) -> Result<Option<(Encoding, EncodingText)>, EditError> {
    let Some(index) = document.named_segment(key) else { return Ok(None) };
    let Some(segment) = document.segments().get(index as usize) else { return Ok(None) };
    for ty in [None, Some((ty, TypeFrom::Declared))] {
        let look = Look::of_data(&segment.data, Declared { ty, encoding: None }.or_well_known(key));
        let look = look.map_err(|error| EditError::Segment { index: index as usize, error })?;
        if let Some(reading) = look.reading().filter(|reading| reading.certainty != Certainty::Unsure) {
            return Ok(Some((reading.encoding, look.encoding())));
        }
    }
    Ok(None)
}

/// What the bytes of a value are taken for by those who declare neither its type nor its encoding, where that is another value.
///
/// Of a well-known key they know the type.
fn misread(target: &Target, ty: ValueType, encoding: Encoding, bytes: &[u8]) -> Option<String> {
    let look = Look::of_bytes(bytes, Declared::default().or_well_known(target.key.as_bytes()));
    match look.reading() {
        // The same bytes read in the same way are the same value.
        Some(reading) if (reading.ty, reading.tagged) == (ty, encoding != Encoding::Untagged) => None,
        Some(reading) => Some(format!("the {} {}, {}", reading.ty, look.text(), look.encoding())),
        None => Some("nothing".to_owned()),
    }
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
