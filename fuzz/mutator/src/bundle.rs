//! Mutations of the program inside a bundled program.

use fastrand::Rng;
use torchproof::FileKind;
use torchproof::flatbuffer::Table;

use crate::grow::{append, target};
use crate::number::put;
use crate::parts::{FileParts, count};
use crate::{Mutation, Mutator};

/// The alignment of the program inside a bundled program.
const ALIGNMENT: usize = 32;

/// The place of the program in a bundled program.
pub(crate) struct BundledPlace {
    /// The position of the offset to the program.
    offset_at: usize,
    /// The position of the program's first byte.
    start: usize,
    len: usize,
}

/// Finds the program in a bundled program.
pub(crate) fn program(bytes: &[u8], parts: &FileParts) -> Option<BundledPlace> {
    let field = parts.root.field("program").filter(|_| parts.kind == FileKind::Bpte)?;
    let offset_at = Table::root(bytes).ok()?.field(field.slot)?;
    let vector = target(bytes, offset_at);
    let len = count(bytes, vector, 1)?;
    Some(BundledPlace { offset_at, start: vector + 4, len })
}

impl Mutator {
    /// Mutates the program inside a bundled program. `out` is a copy of `bytes`.
    pub(crate) fn mutate_bundle(
        &mut self,
        bytes: &[u8],
        parts: &FileParts,
        max_len: usize,
        random: &mut Rng,
        out: &mut Vec<u8>,
    ) -> Option<Mutation> {
        let BundledPlace { offset_at, start, len } = program(bytes, parts)?;
        let old = &bytes[start..start + len];
        let mut new = Vec::new();
        let room = len + max_len.saturating_sub(bytes.len());
        let mutation = self.mutate_file(old, room, true, random, &mut new);
        if new.len() <= len {
            put(out, start - 4, 4, new.len() as u64)?;
            out[start..start + new.len()].copy_from_slice(&new);
            return Some(mutation);
        }
        // A longer program does not fit into the old place, so the bundle refers to a copy at its end.
        let at = (bytes.len() + 4).next_multiple_of(ALIGNMENT) - 4;
        let mut vector = u32::try_from(new.len()).ok()?.to_le_bytes().to_vec();
        vector.extend_from_slice(&new);
        append(out, parts, at, &vector, true, max_len)?;
        put(out, offset_at, 4, (at - offset_at) as u64)?;
        Some(mutation)
    }
}
