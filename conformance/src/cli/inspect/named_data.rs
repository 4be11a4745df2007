//! The blobs that are looked up by key.

use comfy_table::Table;
use torchproof::flatbuffer::{Fault, Str};
use torchproof::metadata;
use torchproof::ptd::schema::{NamedData, TensorLayout};
use torchproof::ptd::{Layout, Ptd};
use torchproof::pte::Pte;
use torchproof::{Error, Span};
use torchproof_cli::disk::input::Input;

use super::report::Report;
use super::tensors::{scalar_type, size, sizes};
use super::text::{list, name, quoted, table, value};
use super::vector::items;

/// Bytes of a metadata blob that are shown.
const PREVIEW: u64 = 24;

/// What an entry says: its key, its segment, and what the blob is.
type Entry<'a> = (Result<Option<Str<'a>>, Fault>, Result<u32, Fault>, String);

/// A list of blobs in the making.
struct Blobs<'i, F> {
    input: &'i Input,
    segment: F,
    rows: Table,
    total: usize,
}

impl<'i, F: Fn(u32) -> Result<Span, Error>> Blobs<'i, F> {
    fn new(input: &'i Input, segment: F, about: &str) -> Self {
        Self { input, segment, rows: table(&["key", ">segment", ">bytes", about]), total: 0 }
    }

    fn add(&mut self, entry: Result<Entry<'_>, Fault>, report: &mut Report) {
        let index = self.total;
        self.total += 1;
        // A fault is among the problems already.
        let Ok((key, segment, about)) = entry else { return };
        let place = segment.map(|segment| (self.segment)(segment));
        if let Ok(Err(error)) = place {
            report.problem(format_args!("named_data[{index}]: {error}"));
        }
        if index >= report.rows() {
            return;
        }
        let place = place.ok().and_then(Result::ok);
        let is_metadata = key.is_ok_and(|key| key.is_some_and(|key| key.as_bytes().starts_with(metadata::PREFIX)));
        let about = match place {
            Some(place) if is_metadata => self.preview(place),
            _ => about,
        };
        let bytes = size(place.map(|span| span.len));
        self.rows.add_row([name(key), value(segment), bytes, about]);
    }

    /// The blob's first bytes: as text if they are, else in hex, and as an integer where there are eight.
    fn preview(&self, place: Span) -> String {
        let mut bytes = Vec::new();
        let start = Span::new(place.offset, place.len.min(PREVIEW));
        if let Err(error) = self.input.read(start, &mut |piece| bytes.extend_from_slice(piece)) {
            return error.to_string();
        }
        let more = if place.len > PREVIEW { "…" } else { "" };
        // A cut may fall inside a character.
        let text = match std::str::from_utf8(&bytes) {
            Ok(text) => Some(text),
            Err(error) if error.error_len().is_none() && !more.is_empty() => {
                std::str::from_utf8(&bytes[..error.valid_up_to()]).ok()
            }
            Err(_) => None,
        };
        match (text, <[u8; 8]>::try_from(bytes.as_slice())) {
            (Some(text), _) if !text.chars().any(char::is_control) => format!("{}{more}", quoted(text.as_bytes())),
            (_, Ok(eight)) => format!("{} (little-endian: {})", hex(&bytes), i64::from_le_bytes(eight)),
            _ => format!("{}{more}", hex(&bytes)),
        }
    }

    fn print(self, report: &mut Report) {
        report.heading(match self.total {
            0 => "Named data: none".to_owned(),
            total => format!("Named data: {total}"),
        });
        report.table(&self.rows, self.total);
    }
}

fn hex(bytes: &[u8]) -> String {
    let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    bytes.join(" ")
}

/// The named data of a program.
pub(super) fn of_program(input: &Input, file: &Pte<'_>, report: &mut Report) {
    let mut blobs = Blobs::new(input, |index| file.segment(index), "first bytes");
    for entry in items(file.program().named_data()) {
        blobs.add(entry.map(|entry| (entry.key(), entry.segment_index(), String::new())), report);
    }
    blobs.print(report);
}

/// The named data of a data file.
pub(super) fn of_data(input: &Input, file: &Ptd<'_>, report: &mut Report) {
    let mut blobs = Blobs::new(input, |index| file.segment(index), "tensor, or first bytes");
    match file.layout() {
        Layout::Current(root) => {
            for entry in items(root.named_data()) {
                let about = |entry: NamedData<'_>| tensor(entry.tensor_layout());
                blobs.add(entry.map(|entry| (entry.key(), entry.segment_index(), about(entry))), report);
            }
        }
        Layout::Older(root) => {
            for entry in items(root.named_data()) {
                blobs.add(entry.map(|entry| (entry.key(), entry.segment_index(), String::new())), report);
            }
        }
    }
    blobs.print(report);
}

/// `FLOAT [4, 8], order [0, 1]`; nothing for an opaque blob.
fn tensor(layout: Result<Option<TensorLayout<'_>>, Fault>) -> String {
    match layout {
        Err(_) => "?".to_owned(),
        Ok(None) => String::new(),
        Ok(Some(layout)) => {
            let order = match layout.dim_order() {
                Ok(Some(order)) => list(order.iter()),
                Ok(None) => "absent".to_owned(),
                Err(_) => "?".to_owned(),
            };
            format!("{} {}, order {order}", scalar_type(layout.scalar_type()), sizes(layout.sizes()))
        }
    }
}
