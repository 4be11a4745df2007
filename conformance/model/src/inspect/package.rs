//! The members of a `.ptn` package, which is a ZIP archive.

use torchproof::Span;
use torchproof::check::ReadAt;

use super::budget::RowBudget;
use super::columns::index;
use super::parts::{Part, PartList, PartRole};

/// The largest directory that is read.
const MOST: u64 = 16 << 20;

/// The signatures of a member, of its entry in the directory, and of the end of the directory.
const LOCAL: &[u8] = b"PK\x03\x04";
const ENTRY: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";

/// Returns the members, with the headers between them, or none if the archive has no readable directory.
pub(super) fn members(file: &dyn ReadAt, budget: &mut RowBudget) -> PartList {
    let mut list = PartList::default();
    let Some((at, directory)) = directory(file) else { return list };
    list.add(Part::new(PartRole::Header, Span::new(at, file.len() - at)));
    let mut rest = &directory[..];
    while let Some(entry) = rest.get(..46).filter(|entry| entry.starts_with(ENTRY)) {
        let word = |at: usize| usize::from(u16::from_le_bytes([entry[at], entry[at + 1]]));
        let number = |at: usize| u32::from_le_bytes([entry[at], entry[at + 1], entry[at + 2], entry[at + 3]]);
        let (name_len, more) = (word(28), word(30) + word(32));
        let Some(name) = rest.get(46..46 + name_len).filter(|_| budget.admits(name_len)) else { break };
        let (size, start) = (u64::from(number(20)), u64::from(number(42)));
        let mut local = [0; 30];
        if file.read_at(start, &mut local).is_ok() && local.starts_with(LOCAL) {
            let names = u64::from(u16::from_le_bytes([local[26], local[27]]));
            let extra = u64::from(u16::from_le_bytes([local[28], local[29]]));
            let data = start + 30 + names + extra;
            if data + size <= file.len() {
                list.add(Part::new(PartRole::Header, Span::new(start, data - start)));
                let (name, index) = (String::from_utf8_lossy(name).into_owned(), index(list.parts.len() / 2));
                list.add(Part { name, index, ..Part::new(PartRole::Member, Span::new(data, size)) });
            }
        }
        rest = rest.get(46 + name_len + more..).unwrap_or_default();
    }
    list
}

/// The directory is at the end, where only a comment of at most 64 KiB may follow.
fn directory(file: &dyn ReadAt) -> Option<(u64, Vec<u8>)> {
    let start = file.len().saturating_sub(22 + (1 << 16));
    let tail = read(file, Span::new(start, file.len() - start))?;
    let end = tail.windows(22).rposition(|bytes| bytes.starts_with(END))?;
    let number = |at: usize| u64::from(u32::from_le_bytes([tail[at], tail[at + 1], tail[at + 2], tail[at + 3]]));
    let at = number(end + 16);
    Some((at, read(file, Span::new(at, number(end + 12)))?))
}

fn read(file: &dyn ReadAt, span: Span) -> Option<Vec<u8>> {
    let inside = span.offset.checked_add(span.len).is_some_and(|end| end <= file.len()) && span.len <= MOST;
    let mut bytes = vec![0; usize::try_from(span.len).ok().filter(|_| inside)?];
    file.read_at(span.offset, &mut bytes).ok()?;
    Some(bytes)
}
