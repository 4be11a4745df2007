//! The kinds of edits that a driver chooses from.

use alloc::vec::Vec;

use super::file::{FileParts, count};
use super::number::{put, target};
use super::{bytes, field, grow, splice};
use crate::flatbuffer::Table;
use crate::random::Random;
use crate::{FileKind, Span};

/// A kind of edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Edit {
    /// Changes one to four numbers, enum values, tags, offsets, counts, strings or vtables, depending on the type.
    Field,
    /// Changes a field of the header.
    Header,
    /// Replaces a table, vector, string, segment or the header with one from the donor.
    Splice,
    /// Inserts or removes a few bytes.
    Length,
    /// Joins the start of the file with the end of the donor.
    Cross,
    /// Changes bytes regardless of the structure, so this also works for other formats.
    Bytes,
}

/// An edited file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EditedFile {
    /// The file's bytes.
    pub bytes: Vec<u8>,
    /// The name of the change, in the form `family/name`.
    pub name: &'static str,
}

const BUNDLE_ALIGNMENT: usize = 32;

/// How many kinds of edits to try until one applies.
const TRIES: usize = 8;

impl Edit {
    /// All kinds of edits.
    pub const ALL: [Edit; 6] = [Edit::Field, Edit::Header, Edit::Splice, Edit::Length, Edit::Cross, Edit::Bytes];

    /// Applies one to four edits of any kind, one after the other. See [`Edit::apply`].
    #[must_use]
    pub fn several(bytes: &[u8], donor: &[u8], most: usize, random: &mut Random) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        for _ in 0..=random.index(4) {
            let edited = (0..TRIES).find_map(|_| random.pick(&Self::ALL)?.apply(&bytes, donor, most, random));
            bytes = edited.map_or(bytes, |edited| edited.bytes);
        }
        bytes
    }

    /// Edits a file or, half of the time, the program inside a bundled program. Splices and crosses take parts from
    /// another file, `donor`.
    ///
    /// Returns `None` if the drawn edit does not apply, changes nothing, or makes a file of more than `most` bytes. The
    /// result depends only on the arguments.
    #[must_use]
    pub fn apply(self, bytes: &[u8], donor: &[u8], most: usize, random: &mut Random) -> Option<EditedFile> {
        let (bytes_now, name) = match self {
            Edit::Bytes => bytes::change(bytes, random),
            Edit::Cross => bytes::cross(bytes, donor, random),
            _ => {
                let file = FileParts::of(bytes)?;
                match inner_program(&file).filter(|_| random.one_in(2)) {
                    Some(inner) => self.apply_inside(&file, inner, donor, random)?,
                    None => self.apply_to(&file, donor, random)?,
                }
            }
        };
        (bytes_now.len() <= most && bytes_now != bytes).then_some(EditedFile { bytes: bytes_now, name })
    }

    fn apply_to(self, file: &FileParts<'_>, donor: &[u8], random: &mut Random) -> Option<(Vec<u8>, &'static str)> {
        match self {
            Edit::Header => field::edit_header(file, random),
            Edit::Splice => splice::splice(file, &FileParts::of(donor)?, random),
            Edit::Length => Some(grow::shift(file, random)),
            _ => field::edit(file, random.word(), random),
        }
    }

    /// Edits the program inside a bundled program. If the program becomes longer, it moves to the end of the bundle.
    fn apply_inside(
        self,
        bundle: &FileParts<'_>,
        (offset_at, program): (usize, &[u8]),
        donor: &[u8],
        random: &mut Random,
    ) -> Option<(Vec<u8>, &'static str)> {
        let of_donor = FileParts::of(donor).and_then(|donor| Some(inner_program(&donor)?.1)).unwrap_or(donor);
        let (new, name) = self.apply_to(&FileParts::of(program)?, of_donor, random)?;
        let mut bytes = bundle.bytes.to_vec();
        let start = target(&bytes, offset_at) + 4;
        if new.len() <= program.len() {
            put(&mut bytes, start - 4, 4, new.len() as u64)?;
            bytes[start..start + new.len()].copy_from_slice(&new);
        } else {
            let at = (bytes.len() + 4).next_multiple_of(BUNDLE_ALIGNMENT) - 4;
            bytes.resize(at, 0);
            bytes.extend_from_slice(&u32::try_from(new.len()).ok()?.to_le_bytes());
            bytes.extend_from_slice(&new);
            put(&mut bytes, offset_at, 4, (at - offset_at) as u64)?;
        }
        Some((bytes, name))
    }
}

impl EditedFile {
    /// Returns the span, in the edited file, from the first to the last byte that differs from `before`.
    #[must_use]
    pub fn span(&self, before: &[u8]) -> Span {
        let same = |one: &mut dyn Iterator<Item = (&u8, &u8)>| one.take_while(|(one, other)| one == other).count();
        let start = same(&mut before.iter().zip(&self.bytes));
        let most = before.len().min(self.bytes.len()) - start;
        let end = same(&mut before.iter().rev().zip(self.bytes.iter().rev()).take(most));
        Span::of(start, self.bytes.len() - end - start)
    }
}

fn inner_program<'b>(file: &FileParts<'b>) -> Option<(usize, &'b [u8])> {
    let field = file.root.field("program").filter(|_| file.kind == FileKind::Bpte)?;
    let offset_at = Table::root(file.bytes).ok()?.field(field.slot)?;
    let vector = target(file.bytes, offset_at);
    let len = count(file.bytes, vector, 1)?;
    let program = &file.bytes[vector + 4..vector + 4 + len];
    (FileKind::of_head(program) == FileKind::Pte).then_some((offset_at, program))
}
