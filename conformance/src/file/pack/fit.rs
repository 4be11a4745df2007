//! Laying a file out so that the numbers of its specification come out.

use torchproof::pte;
use torchproof::pte::write::HeaderKind;
use torchproof::write::EncodingOptions;

use super::header::Numbers;
use super::specification::SpecKind;
use super::{PackOptions, SpecError};
use crate::disk::io_error::in_words;
use crate::file::document::FLATBUFFER_LIMIT;
use crate::file::layout::MOST_HEADER;
use crate::file::{Base, Document, DocumentLayout, EditError, Outline};
use crate::text::size::Size;

/// Lays the document out so that the numbers come out, and has them written.
///
/// # Errors
///
/// The number that cannot; in a raw specification, none: the number is written over the one that would be right.
pub(super) fn fit(
    document: &mut Document,
    made: SpecKind,
    numbers: &Numbers,
    options: &PackOptions,
) -> Result<Option<Vec<u8>>, SpecError> {
    if !options.raw {
        expect_within(numbers, options)?;
    }
    let within = |end: &u64| *end <= options.max_size;
    if let Some(at) = numbers.segment_base_offset.filter(within) {
        document.layout_mut().base = Base::kept(at, document.layout_mut().base.alignment);
    }
    let end = flatbuffer_end(document, made, numbers, options.raw)?;
    if let Some(wanted) = end {
        *document.layout_mut() = find(document, made, numbers, wanted, options.raw)?;
    } else if let Some(layout) = layouts(document, made, numbers).next() {
        *document.layout_mut() = layout;
    }
    document.layout_mut().flatbuffer_end = end.unwrap_or(0);
    // A base of 0 is none, and what would be behind it is not there.
    if let (Some(base @ 1..), Some(size @ 1..)) = (numbers.segment_base_offset, numbers.segment_data_size) {
        document.layout_mut().file_end = base.checked_add(size).filter(within).unwrap_or(0);
    }
    let outline = document.outline().map_err(|error| not_placed(&error))?;
    if !options.raw {
        expect(made, numbers, &outline, document.layout_mut().flatbuffer_end)?;
    }
    Ok(numbers.over(&outline.head))
}

/// Fails for a number that puts the end of the file behind where it may be.
fn expect_within(numbers: &Numbers, options: &PackOptions) -> Result<(), SpecError> {
    let (base, size) = (numbers.segment_base_offset.unwrap_or(0), numbers.segment_data_size.unwrap_or(0));
    for (member, given, end) in
        [("header.segment_base_offset", base, Some(base)), ("header.segment_data_size", size, base.checked_add(size))]
    {
        if end.is_none_or(|end| end > options.max_size) {
            return Err(options.too_large(member, given));
        }
    }
    Ok(())
}

/// Where the FlatBuffer is to end, if the header says; a raw one says so only where it can.
fn flatbuffer_end(
    document: &mut Document,
    made: SpecKind,
    numbers: &Numbers,
    raw: bool,
) -> Result<Option<u64>, SpecError> {
    let (member, given, end) = match (made, numbers.program_size, numbers.flatbuffer_size) {
        (SpecKind::Program, Some(size), _) => ("header.program_size", size, Some(size)),
        (SpecKind::Data | SpecKind::LegacyData, _, Some(size)) => {
            let header = document.layout_mut().header_size;
            ("header.flatbuffer_size", size, numbers.flatbuffer_offset.unwrap_or(header).checked_add(size))
        }
        _ => return Ok(None),
    };
    match end.filter(|end| *end < FLATBUFFER_LIMIT) {
        Some(end) => Ok(Some(end)),
        None if raw => Ok(None),
        None => {
            let message = format!("{given} is given, and a FlatBuffer ends before {:#}", Size(FLATBUFFER_LIMIT));
            Err(SpecError::at(member, message))
        }
    }
}

/// The layouts in which the header says what it is to say, the most usual first; all else is the document's.
fn layouts(document: &mut Document, made: SpecKind, numbers: &Numbers) -> impl Iterator<Item = DocumentLayout> + use<> {
    let layout = *document.layout_mut();
    if made != SpecKind::Program {
        return vec![layout.with_data_header(numbers.flatbuffer_offset, numbers.segment_base_offset.unwrap_or(0))]
            .into_iter();
    }
    let usual = pte::header::LENGTH_WITH_DATA_SIZE;
    let length = numbers.length.unwrap_or(usual).max(pte::header::MIN_LENGTH);
    let length = if length > MOST_HEADER { usual } else { length };
    let mut layouts = vec![DocumentLayout { header: HeaderKind::Always(length), ..layout }];
    if length > usual {
        // What says that it is longer need not be.
        layouts.push(DocumentLayout { header: HeaderKind::Always(usual), ..layout });
    }
    layouts.into_iter()
}

/// The layout in which the FlatBuffer ends at `wanted`, or before it with the least alignment.
fn find(
    document: &mut Document,
    made: SpecKind,
    numbers: &Numbers,
    wanted: u64,
    raw: bool,
) -> Result<DocumentLayout, SpecError> {
    let usual = layouts(document, made, numbers).collect::<Vec<_>>();
    let mut least = u64::MAX;
    // What official writers write twice is only there once where it has to be.
    for share in [false, true] {
        let mut shorter = None;
        for layout in &usual {
            let encoding = EncodingOptions { share, ..layout.encoding };
            let with =
                |alignment| DocumentLayout { inline_alignment: alignment, encoding, flatbuffer_end: 0, ..*layout };
            let mut end_with = |alignment| {
                *document.layout_mut() = with(alignment);
                document.outline().map(|outline| outline.flatbuffer_end).map_err(|error| not_placed(&error))
            };
            let most = if made == SpecKind::Program { 16 } else { 4 };
            let more = (5..=most).map(|bits| 1_usize << bits).filter(|to| *to > layout.inline_alignment);
            let more: Vec<usize> = more.collect();
            let end = end_with(layout.inline_alignment)?;
            least = least.min(end);
            if end == wanted {
                return Ok(with(layout.inline_alignment));
            }
            if end > wanted {
                continue;
            }
            shorter.get_or_insert(with(layout.inline_alignment));
            // More alignment never takes fewer bytes, and each try encodes the tables: it is searched by halves.
            let next = more.partition_point(|to| end_with(*to).is_ok_and(|end| end < wanted));
            if let Some(alignment) = more.get(next)
                && end_with(*alignment)? == wanted
            {
                return Ok(with(*alignment));
            }
        }
        if let Some(layout) = shorter {
            return Ok(layout);
        }
    }
    if raw {
        return Ok(usual[0]);
    }
    Err(match made {
        SpecKind::Program => SpecError::at(
            "header.program_size",
            format!("{wanted} is given, and the FlatBuffer ends no earlier than at {least}"),
        ),
        SpecKind::Data | SpecKind::LegacyData => {
            let given = numbers.flatbuffer_size.unwrap_or(0);
            let needed = i128::from(given) + i128::from(least) - i128::from(wanted);
            SpecError::at(
                "header.flatbuffer_size",
                format!("{given} is given, and the FlatBuffer has at least {needed} bytes"),
            )
        }
    })
}

/// Fails for a number of the header that says other than what there is, and that nobody would find in the finished file.
fn expect(made: SpecKind, numbers: &Numbers, outline: &Outline, padded: u64) -> Result<(), SpecError> {
    let end = outline.flatbuffer_end.max(padded);
    if let Some(at) = numbers.flatbuffer_offset.filter(|at| *at > end) {
        let message = format!("{at} is given, and the FlatBuffer ends at {end}");
        return Err(SpecError::at("header.flatbuffer_offset", message));
    }
    if let Some(at) = numbers.segment_base_offset.filter(|at| outline.data_size > 0 && *at < end) {
        let message = format!("{at} is given, and the FlatBuffer before the segments ends at {end}");
        return Err(SpecError::at("header.segment_base_offset", message));
    }
    // In a program, 0 says that the size is not told.
    let says = |size: &u64| made != SpecKind::Program || *size > 0;
    match numbers.segment_data_size.filter(says).filter(|size| *size < outline.data_size) {
        Some(size) => {
            let message = format!("{size} is given, and the segments have {} bytes", outline.data_size);
            Err(SpecError::at("header.segment_data_size", message))
        }
        None => Ok(()),
    }
}

/// Why a document has no outline, or is not written, with the place in the specification.
pub(super) fn not_placed(error: &EditError) -> SpecError {
    match error {
        EditError::Write(error) if error.path() == "header" => SpecError::at(error.path(), error.message()),
        EditError::Digest { index, error } => SpecError::at(format!("segments[{index}]"), error.to_string()),
        EditError::Segment { index, error } => SpecError::at(format!("segments[{index}]"), in_words(error)),
        _ => SpecError::at("", error.to_string()),
    }
}
