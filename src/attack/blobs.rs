//! Blobs: delegate blobs with wrong headers.

use alloc::string::String;

use super::attacks;
use super::base::join;
use super::forge::Forge;
use crate::FileKind::Pte;
use crate::annotate::PartKind;
use crate::flatbuffer::schema::TableView;
use crate::pte::schema::{BackendDelegate, DataLocation};
use crate::rules::delegates;

attacks! {
    /// Change the magic in an XNNPACK blob's header.
    breaks "blobs/xnnpack-magic": delegates::DEL_XNN_MAGIC => |forge| {
        let blob = xnnpack(forge)?;
        let magic: &[u8; 4] = forge.random.pick(&[b"XH01", b"XH10", b"xh00", b"00HX", b"XN99"])?;
        forge.put(&blob.path, blob.start + 4, magic)
    };
    /// Make an XNNPACK blob's FlatBuffer shorter than its identifier, or longer than the blob.
    breaks "blobs/xnnpack-flatbuffer": delegates::DEL_XNN_FLATBUFFER => |forge| {
        let blob = xnnpack(forge)?;
        let random = &mut forge.random;
        let size = if random.one_in(2) { random.below(8) } else { u64::from(u32::MAX) - random.below(8) };
        forge.number(&blob.path, blob.start + 14, 4, size)
    };
    /// Make an XNNPACK blob's constant data longer than the blob, or make the end of the data overflow 64 bits.
    breaks "blobs/xnnpack-constants": delegates::DEL_XNN_CONSTANTS => |forge| {
        let blob = xnnpack(forge)?;
        let random = &mut forge.random;
        let size = if random.one_in(2) { blob.len + 1 + random.below(16) } else { u64::MAX - random.below(64) };
        forge.number(&blob.path, blob.start + 22, 8, size)
    };
    /// Move an XNNPACK blob's constant data into its FlatBuffer.
    breaks "blobs/xnnpack-overlap": delegates::DEL_XNN_NO_OVERLAP => |forge| {
        let blob = xnnpack(forge)?;
        let end = forge.base.number(blob.start + 10, 4) + forge.base.number(blob.start + 14, 4);
        let offset = forge.random.below(end);
        forge.number(&blob.path, blob.start + 18, 4, offset)
    };
    /// Make an inline XNNPACK blob shorter than its header.
    breaks "blobs/xnnpack-cut": delegates::DEL_XNN_SIZE => |forge| {
        let blob = xnnpack(forge)?;
        let count = blob.inline?;
        let len = forge.random.below(30);
        forge.number(&blob.path, count, 4, len)
    };
}

struct Blob {
    path: String,
    start: usize,
    len: u64,
    /// The position of an inline blob's length.
    inline: Option<usize>,
}

fn xnnpack(forge: &mut Forge<'_>) -> Option<Blob> {
    let base = forge.base;
    forge.tables(Pte, "BackendDelegate", |place, _| {
        let delegate = BackendDelegate::from_table(base.table(place)?);
        (delegate.id().ok()??.as_bytes() == b"XnnpackBackend").then_some(())?;
        let processed = delegate.processed().ok()??;
        let (frame, index) = (&place.frame, processed.index().ok()?);
        let (start, len, inline) = if processed.location() == Ok(DataLocation::INLINE) {
            let list = frame.path(&alloc::format!("backend_delegate_data[{index}].data"));
            let count = base.find(&list, PartKind::Count)?.at();
            (count + 4, base.number(count, 4), Some(count))
        } else {
            let segment = base.segments(frame).into_iter().find(|segment| segment.index as u64 == u64::from(index))?;
            let start = usize::try_from(base.data(frame)?.base + segment.offset).ok()?;
            (frame.start + start, segment.size, None)
        };
        let headed = base.bytes().get(start + 4..start + 8) == Some(b"XH00");
        headed.then(|| Blob { path: join(&place.entry.path, "processed"), start, len, inline })
    })
}
