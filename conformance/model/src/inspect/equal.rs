//! Digests of parts, and parts with equal bytes.

use std::collections::HashMap;

use sha2::{Digest, Sha256};
use torchproof::Span;
use torchproof::check::{ReadAt, ReadError};

use super::columns::index;
use super::parts::{BytesOutput, EqualParts, PartRole};

/// Which of the weights' bytes may be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Digests {
    /// At most 1 MiB, to find parts with equal bytes.
    #[default]
    Few,
    /// All bytes, for the column `digest`.
    All,
}

/// How many bytes of weights are read unless the user requests digests.
const FEW: u64 = 1 << 20;

/// The size of the smallest duplicate that is worth a line.
const LEAST: u64 = 64;

/// Fills `equal` and, if all bytes are read, `digest`. A part whose bytes cannot be read has no digest.
pub(super) fn compare(output: &mut BytesOutput, roles: &[PartRole], file: &dyn ReadAt, digests: Digests) {
    let mut by_size = HashMap::<u64, u32>::new();
    let is_alike = |role: PartRole, bytes| role.is_content() && role != PartRole::TestData && bytes >= LEAST;
    for (row, role) in roles.iter().enumerate() {
        if is_alike(*role, output.parts.bytes[row]) {
            *by_size.entry(output.parts.bytes[row]).or_default() += 1;
        }
    }
    let candidates = |row: usize| {
        let bytes = output.parts.bytes[row];
        is_alike(roles[row], bytes) && by_size.get(&bytes).is_some_and(|count| *count > 1)
    };
    let candidates: Vec<bool> = (0..roles.len()).map(candidates).collect();
    let spans = || (0..roles.len()).filter(|row| candidates[*row]).map(|row| output.parts.span(row));
    let total = spans().map(|span| span.len).fold(0, u64::saturating_add);
    let is_in_memory = || spans().all(|span| span.end() <= file.head().len() as u64);
    let is_read = digests == Digests::All || total <= FEW || is_in_memory();
    output.equal_unknown = total > 0 && !is_read;
    let mut alike: HashMap<(u64, [u8; 32]), Vec<i32>> = HashMap::new();
    for row in 0..roles.len() {
        let wanted = digests == Digests::All && roles[row].is_content();
        let digest =
            (wanted || candidates[row] && is_read).then(|| digest(file, output.parts.span(row)).ok()).flatten();
        if digests == Digests::All {
            output.parts.digest.push(digest.map_or(String::new(), |digest| hex(&digest)));
        }
        if let Some(digest) = digest.filter(|_| candidates[row]) {
            alike.entry((output.parts.bytes[row], digest)).or_default().push(index(row));
        }
    }
    let groups = alike.into_iter().filter(|(_, parts)| parts.len() > 1);
    output.equal = groups.map(|((bytes, _), parts)| EqualParts { bytes, parts }).collect();
    output.equal.sort_by_key(|group| {
        let wasted = group.bytes.saturating_mul(group.parts.len() as u64 - 1);
        (std::cmp::Reverse(wasted), group.parts.first().copied())
    });
}

/// Returns the SHA-256 digest of a span.
pub(crate) fn digest(file: &dyn ReadAt, span: Span) -> Result<[u8; 32], ReadError> {
    let mut hasher = Sha256::new();
    let (mut at, end) = (span.offset, span.end());
    let mut piece = [0; 1 << 14];
    while at < end {
        let len = usize::try_from(end - at).map_or(piece.len(), |left| left.min(piece.len()));
        file.read_at(at, &mut piece[..len])?;
        hasher.update(&piece[..len]);
        at += len as u64;
    }
    Ok(hasher.finalize().into())
}

pub(crate) fn hex(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
