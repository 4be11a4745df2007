//! Laying a file out so that the numbers of its specification come out.

use std::cmp::Ordering;

use torchproof::pte::HeaderKind;
use torchproof::{FileKind, pte};

use super::header::Numbers;
use super::{PackOptions, SpecError};
use crate::file::document::FLATBUFFER_LIMIT;
use crate::file::layout::{MOST_ALIGNMENT, MOST_HEADER};
use crate::file::{Base, Document, DocumentLayout};

/// Lays the document out so that the numbers come out as far as they can, and has all of them written.
///
/// Unless the document is raw, a number that contradicts its FlatBuffer is an error here; the check of the whole file rejects
/// other wrong numbers.
pub(super) fn fit(document: &mut Document, numbers: &Numbers, options: &PackOptions) -> Result<(), SpecError> {
    let within = |end: &u64| *end <= options.max_size;
    if let Some(at) = numbers.segment_base_offset.filter(within) {
        document.layout.base = Base::kept(at, document.layout.base.alignment);
    }
    let mut layouts = layouts(document, numbers);
    let end = match (numbers.program_size, numbers.flatbuffer_size) {
        (Some(end), _) => Some(end),
        (None, Some(size)) => numbers.flatbuffer_offset.unwrap_or(document.layout.header_size).checked_add(size),
        (None, None) => None,
    };
    let end = end.filter(|end| *end < FLATBUFFER_LIMIT);
    let found = match end {
        Some(wanted) => find(document, &layouts, wanted)?,
        None => None,
    };
    document.layout = found.unwrap_or_else(|| layouts.swap_remove(0));
    document.layout.flatbuffer_end = end.unwrap_or(0);
    // A base of 0 is none, and what would be behind it is not there.
    if let (Some(base @ 1..), Some(size @ 1..)) = (numbers.segment_base_offset, numbers.segment_data_size) {
        document.layout.file_end = base.checked_add(size).filter(within).unwrap_or(0);
    }
    let outline = document.outline()?;
    if !options.raw {
        expect(numbers, end, outline.flatbuffer_end)?;
    }
    document.header = numbers.over(&outline.head);
    Ok(())
}

/// Rejects numbers that contradict the FlatBuffer, whose tables end at `tables` and whose end is given as `end`.
///
/// In the finished file, it would be cut off or empty: the check accepts some of these, and finds others in the tables.
fn expect(numbers: &Numbers, end: Option<u64>, tables: u64) -> Result<(), SpecError> {
    if let Some(end) = end.filter(|end| *end < tables) {
        let member = if numbers.program_size.is_some() { "program_size" } else { "flatbuffer_size" };
        let message = format!("ends the FlatBuffer at {end}, and its tables end at {tables}");
        return Err(SpecError::at(format!("header.{member}"), message));
    }
    let end = end.unwrap_or(tables);
    if let Some(offset) = numbers.flatbuffer_offset.filter(|offset| *offset > end) {
        let message = format!("{offset} is given, and the FlatBuffer ends at {end}");
        return Err(SpecError::at("header.flatbuffer_offset", message));
    }
    Ok(())
}

/// The layouts in which the header says what it is to say, the most usual first; all else is the document's.
fn layouts(document: &Document, numbers: &Numbers) -> Vec<DocumentLayout> {
    let layout = document.layout;
    if document.kind() != FileKind::Pte {
        return vec![layout.with_data_header(numbers.flatbuffer_offset, numbers.segment_base_offset.unwrap_or(0))];
    }
    let usual = pte::ExtendedHeader::LENGTH_WITH_DATA_SIZE;
    let length = numbers.length.unwrap_or(usual).max(pte::ExtendedHeader::MIN_LENGTH);
    let length = if length > MOST_HEADER { usual } else { length };
    let mut layouts = vec![DocumentLayout { header: HeaderKind::Always(length), ..layout }];
    if length > usual {
        // What says that it is longer need not be.
        layouts.push(DocumentLayout { header: HeaderKind::Always(usual), ..layout });
    }
    layouts
}

/// The layout in which the FlatBuffer ends at `wanted`, or before it with the least alignment.
fn find(document: &mut Document, usual: &[DocumentLayout], wanted: u64) -> Result<Option<DocumentLayout>, SpecError> {
    // Blobs have an alignment of their own in programs only.
    let most = if document.kind() == FileKind::Pte { MOST_ALIGNMENT } else { 0 };
    // What official writers write twice is only there once where it has to be.
    for share in [false, true] {
        let mut shorter = None;
        for layout in usual {
            let mut inline_alignment = layout.inline_alignment;
            loop {
                let mut encoding = layout.encoding;
                encoding.share = share;
                document.layout = DocumentLayout { inline_alignment, encoding, flatbuffer_end: 0, ..*layout };
                let outline = document.outline()?;
                match outline.flatbuffer_end.cmp(&wanted) {
                    Ordering::Equal => return Ok(Some(document.layout)),
                    Ordering::Less => shorter = shorter.or(Some(document.layout)),
                    // More alignment never takes fewer bytes.
                    Ordering::Greater => break,
                }
                inline_alignment *= 2;
                if inline_alignment as u64 > most {
                    break;
                }
            }
        }
        if shorter.is_some() {
            return Ok(shorter);
        }
    }
    Ok(None)
}
