//! `torchproof meta get`: one value.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use torchproof::Span;
use torchproof::metadata::{Encoding, ValueType};

use super::super::format::Format;
use super::super::{Done, complain, dump::Ascii, one_of, print};
use super::open::{name, with_metadata};
use super::target::Target;
use crate::disk::input::Input;
use crate::file::meta::{Declared, Look, MetadataEntry, Row, Text, TypeFrom};
use crate::text::escape::plain;

/// Print one value.
///
/// The value goes to stdout as `meta set` takes it: text and numbers as they are, lists in brackets, bytes in hex. Control
/// characters are escaped; `--raw` writes every byte. Its type and encoding go to stderr.
///
/// Exit code 0: it is printed; 1: there is no such entry, it is not what it is declared to be, or the file is broken; 2: the
/// file could not be read, is too much work, or is of a kind without named data.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  torchproof meta get model.pte general.name
  torchproof meta get model.pte tokenizer.bos_id --type int --encoding strict
  torchproof meta get model.pte tokenizer.chat_template --raw > template.jinja")]
pub(super) struct MetaGetArgs {
    /// The .pte or .ptd file
    file: PathBuf,
    /// The key, with or without `metadata.`
    key: String,
    /// Its type [default: that of the well-known key, or inferred]
    #[arg(long = "type", value_name = "T", value_parser = one_of(ValueType::ALL.map(|ty| (ty.name(), ty))))]
    ty: Option<ValueType>,
    /// Its encoding [default: inferred]
    #[arg(long, value_name = "E", value_parser = one_of(Encoding::ALL.map(|own| (own.name(), own))))]
    encoding: Option<Encoding>,
    /// Write the bytes of the value as they are in the file, but for a tag
    #[arg(long, conflicts_with = "format")]
    raw: bool,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(super) fn run(args: &MetaGetArgs) -> Done {
    let input = Input::open(&args.file)?;
    let target = Target::of(&args.key);
    with_metadata(&input, |metadata| match metadata.find(target.key.as_bytes()) {
        Some(entry) => get(args, &input, &target, entry),
        None => {
            complain(&format!("{}: {}", name(&input), target.absent(metadata.keys())));
            Ok(ExitCode::FAILURE)
        }
    })
}

fn get(args: &MetaGetArgs, input: &Input, target: &Target, entry: &MetadataEntry<'_>) -> Done {
    let failed = |why: &dyn std::fmt::Display| {
        complain(&format!("{}: {target}: {why}", name(input)));
        Ok(ExitCode::FAILURE)
    };
    let place = match entry.place {
        Ok(place) => place,
        Err(error) => return failed(&error),
    };
    let ty = args.ty.map(|ty| (ty, TypeFrom::Declared));
    let declared = Declared { ty, encoding: args.encoding };
    let look = Look::at(input, place, declared.or_well_known(target.key.as_bytes()))?;
    // What is asked for is printed, or nothing is; what only the key says may be wrong.
    let asked = args.ty.is_some() || args.encoding.is_some();
    let reading = match (look.reading, look.problem) {
        (_, Some(problem)) if asked => return failed(&problem),
        (Some(reading), _) => reading,
        (None, _) => return failed(&"nothing reads it"),
    };
    if args.format == Format::Json {
        let mut out = Ascii(Vec::new());
        serde_json::to_writer_pretty(&mut out, &Row::of(entry.key, Ok(&look)))?;
        out.write_all(b"\n")?;
        print(&String::from_utf8(out.0)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(problem) = look.problem {
        complain(&format!("{target}: not as its key says: {problem}"));
    }
    complain(&format!("{target}: {} ({}), {}", reading.ty, look.type_from.name(), look.encoding()));
    if args.raw {
        let tag = u64::from(reading.tagged);
        write_raw(input, Span::new(place.offset + tag, place.len - tag))?;
        return Ok(ExitCode::SUCCESS);
    }
    match look.value() {
        Some(value) => {
            let text = Text(value).to_string();
            let text = if value.ty() == ValueType::String { plain(&text) } else { text };
            let end = if text.ends_with('\n') { "" } else { "\n" };
            print(&(text + end))?;
            Ok(ExitCode::SUCCESS)
        }
        None => {
            Err(format!("{}: {target}: {} bytes are too many to print; --raw writes them", name(input), place.len)
                .into())
        }
    }
}

/// Writes bytes of the file to stdout; a reader that has seen enough and closed the pipe is no error.
fn write_raw(input: &Input, span: Span) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match io::copy(&mut input.range(span), &mut out).and_then(|_| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
        _ => Ok(()),
    }
}
