//! `torchproof meta list`: lists the metadata entries of a file.

use std::io::{self, BufWriter};
use std::path::PathBuf;
use std::process::ExitCode;

use comfy_table::ContentArrangement;
use serde::{Serialize, Serializer};
use torchproof::FileKind;
use torchproof::flatbuffer::Str;
use torchproof::metadata::Encoding;
use torchproof::pte::Pte;
use torchproof_harness::disk::input::{Input, InputError};
use torchproof_harness::text::ascii;
use torchproof_harness::text::escape::{plain_line, plain_name};
use torchproof_model::inspect::ConstantMethod;

use super::super::format::Format;
use super::super::{CommandResult, one_of, print};
use super::open::{name, with_metadata};
use crate::document::meta::{DeclaredType, Metadata, Row, TypeSource, ValuePreview};
use crate::page::table;

/// The maximum number of entries in text output; JSON lists every entry.
const MAX_ROWS: usize = 10_000;

const MAX_KEY: usize = 80;

/// List a file's metadata: keys, types, values and encodings
///
/// Many exporters store metadata as methods that take no inputs and return a constant, such as `get_max_seq_len`, so
/// these are listed too.
///
/// The text output truncates long values; JSON omits those larger than 64 KiB and sets `left_out` instead. `meta list`
/// and `meta get` also read data files in the legacy layout, which `meta set` and `meta unset` reject.
///
/// Exits with 0 if the entries were listed, 1 if the file is broken, and 2 if it could not be read, exceeds a limit, or is
/// of a kind without named data.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  List the metadata of a program:
    torchproof meta list corpus/real/metadata_keys.pte
  Decode all values with one encoding:
    torchproof meta list corpus/files/pte/valid/metadata.pte --encoding tagged")]
pub(super) struct MetaListArgs {
    /// The .pte or .ptd file
    file: PathBuf,
    /// Encoding for all values [default: inferred from each value]
    #[arg(long, value_name = "E", value_parser = one_of(Encoding::ALL.map(|own| (own.name(), own))))]
    encoding: Option<Encoding>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(super) fn run(args: &MetaListArgs) -> CommandResult {
    let input = Input::open(&args.file)?;
    let declared = DeclaredType { ty: None, encoding: args.encoding };
    with_metadata(&input, |metadata| {
        match args.format {
            Format::Text => print(&text(&input, metadata, declared)?)?,
            Format::Json => match write_json(&input, metadata, declared) {
                Err(error) if error.kind() != io::ErrorKind::BrokenPipe => return Err(error.into()),
                _ => {}
            },
        }
        Ok(ExitCode::SUCCESS)
    })
}

fn text(input: &Input, metadata: &Metadata<'_>, declared: DeclaredType) -> Result<String, InputError> {
    let count = metadata.entries().count();
    let methods = constant_methods(input);
    if count == 0 && methods.is_empty() {
        return Ok(format!("{}: no metadata\n", name(input)));
    }
    if count == 0 {
        return Ok(methods_text(&methods));
    }
    let mut rows = table(&["key", "type", "value", ">bytes", "encoding"]);
    // A key that wraps could not be copied.
    rows.set_content_arrangement(ContentArrangement::Disabled);
    let mut problems = String::new();
    for entry in metadata.entries().take(MAX_ROWS) {
        let key = plain(entry.key);
        let place = match entry.place {
            Ok(place) => place,
            Err(error) => {
                problems += &format!(" {key}: {error}\n");
                rows.add_row([key, "?".into(), "?".into(), "?".into(), "?".into()]);
                continue;
            }
        };
        let preview = ValuePreview::at(input, place, declared.or_well_known(entry.key.as_bytes()))?;
        if let Some(problem) = preview.problem {
            let wanted = declared.or_well_known(entry.key.as_bytes()).ty.map(|(ty, _)| format!(" as {ty}"));
            problems += &format!(" {key}: not read{}: {problem}\n", wanted.unwrap_or_default());
        }
        let ty = match preview.decoded {
            Some(decoded) => match preview.type_source {
                from @ (TypeSource::Tag | TypeSource::Inferred) => format!("{} ({})", decoded.ty, from.name()),
                TypeSource::Declared | TypeSource::WellKnown => decoded.ty.to_string(),
            },
            None => "?".to_owned(),
        };
        rows.add_row([key, ty, preview.text(), preview.size.to_string(), preview.encoding()]);
    }
    let mut text = rows.lines().map(|line| line.trim_end().to_owned() + "\n").collect::<String>();
    if count > MAX_ROWS {
        text += &format!(" … {} more\n", count - MAX_ROWS);
    }
    if !methods.is_empty() {
        text += &format!("\n{}", methods_text(&methods));
    }
    if !problems.is_empty() {
        text += &format!("\nProblems\n{problems}");
    }
    Ok(text)
}

fn constant_methods(input: &Input) -> Vec<ConstantMethod> {
    Pte::open_file_bytes(input.file_bytes()).map_or_else(|_| Vec::new(), |program| ConstantMethod::all(&program))
}

fn methods_text(methods: &[ConstantMethod]) -> String {
    let mut rows = table(&["constant method", "returns"]);
    rows.set_content_arrangement(ContentArrangement::Disabled);
    for ConstantMethod { name, values } in methods {
        let values: Vec<String> = values.iter().map(|value| plain_line(value, MAX_KEY)).collect();
        rows.add_row([plain_line(name, MAX_KEY), plain_line(&values.join(", "), 4 * MAX_KEY)]);
    }
    rows.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

fn plain(key: Str<'_>) -> String {
    // A character has at most 4 bytes. In a hostile file, many keys can share the same long text, so do not read all of
    // it.
    let first = key.as_bytes().get(..4 * (MAX_KEY + 1)).unwrap_or(key.as_bytes());
    match std::str::from_utf8(first) {
        Ok(text) => plain_line(&plain_name(text), MAX_KEY),
        Err(error) if error.error_len().is_none() && first.len() < key.as_bytes().len() => {
            plain_line(&plain_name(&String::from_utf8_lossy(first)), MAX_KEY)
        }
        Err(_) => plain_line(&key.to_string(), MAX_KEY),
    }
}

#[derive(Serialize)]
struct Listing<'a> {
    kind: FileKind,
    metadata: Entries<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    constant_methods: Vec<ConstantMethod>,
}

/// Only one value at a time is in memory.
struct Entries<'a> {
    input: &'a Input,
    metadata: &'a Metadata<'a>,
    declared: DeclaredType,
}

impl Serialize for Entries<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::{Error, SerializeSeq};
        let mut list = serializer.serialize_seq(None)?;
        for entry in self.metadata.entries() {
            let declared = self.declared.or_well_known(entry.key.as_bytes());
            let preview =
                entry.place.map(|place| ValuePreview::at(self.input, place, declared).map_err(S::Error::custom));
            let row = match preview {
                Ok(preview) => Row::of(entry.key, Ok(&preview?)),
                Err(error) => Row::of(entry.key, Err(error)),
            };
            list.serialize_element(&row)?;
        }
        list.end()
    }
}

fn write_json(input: &Input, metadata: &Metadata<'_>, declared: DeclaredType) -> io::Result<()> {
    let entries = Entries { input, metadata, declared };
    let out = BufWriter::new(io::stdout().lock());
    ascii::write_pretty(
        out,
        &Listing { kind: metadata.kind(), metadata: entries, constant_methods: constant_methods(input) },
    )
}
