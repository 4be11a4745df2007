//! Selects the layout that reproduces a specification's header numbers.

use std::cmp::Ordering;

use torchproof::pte::HeaderKind;
use torchproof::{FileKind, pte};

use super::header::HeaderNumbers;
use super::{PackOptions, SpecError};
use crate::document::FLATBUFFER_LIMIT;
use crate::document::layout::{MAX_ALIGNMENT, MAX_HEADER};
use crate::document::{Base, Document, DocumentLayout};

/// Selects the layout that best matches the given header numbers, and sets them in the header. If other numbers are
/// wrong, the check of the written file finds them.
pub(super) fn fit(document: &mut Document, numbers: &HeaderNumbers, options: &PackOptions) -> Result<(), SpecError> {
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
    // A base of 0 means that the file has no segments.
    if let (Some(base @ 1..), Some(size @ 1..)) = (numbers.segment_base_offset, numbers.segment_data_size) {
        document.layout.file_end = base.checked_add(size).filter(within).unwrap_or(0);
    }
    let outline = document.outline()?;
    expect(numbers, end, outline.flatbuffer_end)?;
    document.header = numbers.over(&outline.head);
    Ok(())
}

/// Rejects numbers that would truncate or empty the FlatBuffer, because the check of the written file would miss some
/// of these errors or report misleading ones. The tables end at `tables`, and the specification gives `end`.
fn expect(numbers: &HeaderNumbers, end: Option<u64>, tables: u64) -> Result<(), SpecError> {
    if let Some(end) = end.filter(|end| *end < tables) {
        let member = if numbers.program_size.is_some() { "program_size" } else { "flatbuffer_size" };
        let message = format!("found end {end} of the FlatBuffer, expected at least {tables}");
        return Err(SpecError::at(format!("header.{member}"), message));
    }
    let end = end.unwrap_or(tables);
    if let Some(offset) = numbers.flatbuffer_offset.filter(|offset| *offset > end) {
        let message = format!("found {offset}, expected at most {end}, the end of the FlatBuffer");
        return Err(SpecError::at("header.flatbuffer_offset", message));
    }
    Ok(())
}

fn layouts(document: &Document, numbers: &HeaderNumbers) -> Vec<DocumentLayout> {
    let layout = document.layout;
    if document.kind() != FileKind::Pte {
        return vec![layout.with_data_header(numbers.flatbuffer_offset, numbers.segment_base_offset.unwrap_or(0))];
    }
    let usual = pte::ExtendedHeader::LENGTH_WITH_DATA_SIZE;
    let length = numbers.length.unwrap_or(usual).max(pte::ExtendedHeader::MIN_LENGTH);
    let length = if length > MAX_HEADER { usual } else { length };
    let mut layouts = vec![DocumentLayout { header: HeaderKind::Always(length), ..layout }];
    if length > usual {
        // The length field may exceed the header's size, so try the usual header too.
        layouts.push(DocumentLayout { header: HeaderKind::Always(usual), ..layout });
    }
    layouts
}

fn find(document: &mut Document, usual: &[DocumentLayout], wanted: u64) -> Result<Option<DocumentLayout>, SpecError> {
    // Only programs have blobs inside the FlatBuffer.
    let most = if document.kind() == FileKind::Pte { MAX_ALIGNMENT } else { 0 };
    // Sharing equal parts makes the FlatBuffer smaller. Try it second, because the official writers do not share.
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
                    // A larger alignment never makes the FlatBuffer smaller.
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
