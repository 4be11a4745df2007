//! Sample files, indexed by the schema fields that they contain.

use alloc::vec::Vec;

use super::edit::EditedFile;
use super::file::FileParts;
use super::{field, site};
use crate::FileKind;
use crate::flatbuffer::schema::Field;
use crate::random::Random;

/// Sample files, and where each schema field occurs in them.
///
/// A random descent rarely reaches a rare instruction, because a file has many values and common instructions. With
/// samples, every field is equally likely.
#[derive(Debug)]
pub struct Samples {
    files: Vec<Vec<u8>>,
    fields: Vec<FieldPlaces>,
}

/// A schema field, and the descents that end there.
#[derive(Debug)]
struct FieldPlaces {
    kind: FileKind,
    field: &'static Field,
    /// The index of the file and the seed of each descent.
    places: Vec<(usize, u64)>,
}

impl Samples {
    /// Indexes files with `descents` random descents in each file.
    #[must_use]
    pub fn of(files: Vec<Vec<u8>>, descents: u64) -> Self {
        let mut fields: Vec<FieldPlaces> = Vec::new();
        for (index, bytes) in files.iter().enumerate() {
            let Some(file) = FileParts::of(bytes) else { continue };
            for seed in 0..descents {
                let site = site::descend(&file, &mut Random::new(seed), &mut Vec::new());
                let Some(field) = site.and_then(|site| site.field) else { continue };
                let is_field = |one: &&mut FieldPlaces| one.kind == file.kind && core::ptr::eq(one.field, field);
                match fields.iter_mut().find(is_field) {
                    Some(known) => known.places.push((index, seed)),
                    None => fields.push(FieldPlaces { kind: file.kind, field, places: Vec::from([(index, seed)]) }),
                }
            }
        }
        Self { files, fields }
    }

    /// Returns the files.
    #[must_use]
    pub fn files(&self) -> &[Vec<u8>] {
        &self.files
    }

    /// Returns each field that a descent reached, with the kind of its file.
    pub fn fields(&self) -> impl Iterator<Item = (FileKind, &'static Field)> + '_ {
        self.fields.iter().map(|one| (one.kind, one.field))
    }

    /// Draws a schema field and a file that contains it. Edits that field and sometimes other fields.
    ///
    /// Returns `None` if no file has this kind, the drawn file exceeds `most` bytes, or the edit changes nothing.
    #[must_use]
    pub fn edit(&self, kind: FileKind, most: usize, random: &mut Random) -> Option<EditedFile> {
        let of_kind: Vec<&FieldPlaces> = self.fields.iter().filter(|one| one.kind == kind).collect();
        let places = &random.pick(&of_kind)?.places;
        let (index, path) = *random.pick(places)?;
        let bytes = self.files.get(index).filter(|bytes| bytes.len() <= most)?;
        let (edited, name) = field::edit(&FileParts::of(bytes)?, path, random)?;
        (edited != *bytes).then_some(EditedFile { bytes: edited, name })
    }
}
