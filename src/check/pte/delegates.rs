//! Checks delegates and their blobs.

use crate::Span;
use crate::error::OutOfRange;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::walk::{Flow, Path};
use crate::flatbuffer::{Str, Vector};
use crate::pte::BACKEND_IDS;
use crate::pte::schema::DataLocation;
use crate::pte::schema::brief::{
    BackendDelegate, BackendDelegateDataReference, BackendDelegateInlineData, CompileSpec, DataSegment,
};
use crate::rules::delegates as rules;
use crate::segment::SegmentRegion;

use super::super::finding::Reporter;
use super::storage::segment_at;

pub(super) fn check(delegate: BackendDelegate<'_>, path: &Path<'_>, reporter: &mut impl Reporter) -> Flow {
    reporter.require(&rules::DEL_ID, "id", &delegate.id(), delegate.table(), path)?;
    if let Ok(Some(id)) = delegate.id()
        && !reporter.must_only()
    {
        id_case(id, path, reporter)?;
    }
    reporter.require(&rules::DEL_PROCESSED, "processed", &delegate.processed(), delegate.table(), path)
}

#[cold]
fn id_case(id: Str<'_>, path: &Path<'_>, reporter: &mut impl Reporter) -> Flow {
    let is_similar =
        |known: &&str| id.as_bytes().eq_ignore_ascii_case(known.as_bytes()) && id.as_bytes() != known.as_bytes();
    let Some(known) = BACKEND_IDS.into_iter().find(is_similar) else { return Ok(()) };
    let message = format_args!("id differs from \"{known}\" only in upper and lower case");
    reporter.report(&rules::DEL_ID_CASE, &path.field("id"), id.span(), message)
}

pub(super) fn compile_spec(spec: CompileSpec<'_>, path: &Path<'_>, reporter: &mut impl Reporter) -> Flow {
    reporter.require(&rules::DEL_COMPILE_SPEC, "key", &spec.key(), spec.table(), path)?;
    reporter.require(&rules::DEL_COMPILE_SPEC, "value", &spec.value(), spec.table(), path)
}

/// Checks that a delegate's index selects an inline blob whose data is present.
pub(super) fn inline(
    processed: BackendDelegateDataReference<'_>,
    index: u32,
    blobs: Option<Vector<'_, BackendDelegateInlineData<'_>>>,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    let (path, at) = (&path.field("index"), processed.place("index"));
    let rule = rules::DEL_INLINE_INDEX.key();
    let Some(blobs) = blobs else {
        let message = format_args!("index is {index}, but backend_delegate_data is absent");
        return reporter.report(rule, path, at, message);
    };
    match blobs.get(index as usize) {
        None => {
            let message = format_args!("{}", OutOfRange::new(index, blobs.len()));
            reporter.report(rule, path, at, message)
        }
        Some(Ok(blob)) if matches!(blob.data(), Ok(None)) => {
            let message = format_args!("data of backend_delegate_data[{index}] is absent");
            reporter.report(rule, path, at, message)
        }
        Some(_) => Ok(()),
    }
}

pub(super) fn location(
    processed: BackendDelegateDataReference<'_>,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    match processed.location() {
        Ok(DataLocation::INLINE | DataLocation::SEGMENT) | Err(_) => Ok(()),
        Ok(other) => {
            let message = format_args!("location is {}, expected 0 or 1", other.0);
            reporter.report(&rules::DEL_LOCATION, &path.field("location"), processed.place("location"), message)
        }
    }
}

/// Where a delegate's blob is in the file. If that is invalid, returns `None`; the check of the delegate's table
/// reports it. `data` is the segment data; `None` if the file has no usable segment base.
pub(super) fn blob_place<'a>(
    processed: BackendDelegateDataReference<'a>,
    segments: Option<Vector<'a, DataSegment<'a>>>,
    blobs: Option<Vector<'a, BackendDelegateInlineData<'a>>>,
    data: Option<SegmentRegion>,
) -> Option<Span> {
    let index = usize::try_from(processed.index().ok()?).ok()?;
    match processed.location().ok()? {
        DataLocation::INLINE => Some(blobs?.get(index)?.ok()?.data().ok()??.span()),
        DataLocation::SEGMENT => {
            let segment = segment_at(segments?.get(index)?.ok()?)?;
            data?.place(segment.offset, segment.size).ok()
        }
        _ => None,
    }
}
