//! What attacks do: choose parts of a base, and change them.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::base::{Base, BasePart, Frame, FrameOf, join};
use crate::annotate::PartKind;
use crate::patch::{PatchedFile, Patcher, Splice};
use crate::random::Random;
use crate::{FileKind, Span};

/// A table field: the kind of the file, the table and the field.
pub(super) type Column = (FileKind, &'static str, &'static str);

#[derive(Debug)]
pub(super) struct Forge<'b> {
    pub(super) base: &'b Base,
    pub(super) random: Random,
    file: Patcher<'b>,
    /// The attacked field's path and span, and the number of changes made before the field was recorded.
    at: Option<(String, Span, usize)>,
}

#[derive(Debug)]
pub(super) struct ForgedFile {
    pub(super) bytes: Vec<u8>,
    pub(super) path: String,
    pub(super) span: Span,
    pub(super) splices: Vec<Splice>,
}

impl<'b> Forge<'b> {
    pub(super) fn new(base: &'b Base, seed: u64) -> Self {
        Self { base, random: Random::new(seed), file: Patcher::new(base.bytes()), at: None }
    }

    /// Returns `None` if no byte changed or a change was impossible.
    pub(super) fn finish(self) -> Option<ForgedFile> {
        let PatchedFile { bytes, splices, .. } =
            self.file.finish().ok().filter(|made| made.bytes != self.base.bytes())?;
        let (path, span, done) = self.at.unwrap_or_default();
        let span = splices.iter().skip(done).fold(span, |span, splice| splice.moved(span));
        Some(ForgedFile { bytes, path, span, splices })
    }

    /// Calls `test` on the parts, starting with a random one, until a result is not `None`.
    pub(super) fn any<T>(
        &mut self,
        parts: &[u32],
        mut test: impl FnMut(&BasePart<'b>, &mut Random) -> Option<T>,
    ) -> Option<T> {
        let base: &'b Base = self.base;
        let start = self.random.index(parts.len());
        let round = parts[start..].iter().chain(&parts[..start]);
        round.into_iter().find_map(|at| test(&base.place(*at)?, &mut self.random))
    }

    pub(super) fn tables<T>(
        &mut self,
        kind: FileKind,
        owner: &'static str,
        test: impl FnMut(&BasePart<'b>, &mut Random) -> Option<T>,
    ) -> Option<T> {
        let base: &'b Base = self.base;
        self.any(base.column(kind, owner, "", PartKind::Table), test)
    }

    pub(super) fn parts<T>(
        &mut self,
        (kind, owner, field): Column,
        part: PartKind,
        test: impl FnMut(&BasePart<'b>, &mut Random) -> Option<T>,
    ) -> Option<T> {
        let base: &'b Base = self.base;
        self.any(base.column(kind, owner, field, part), test)
    }

    pub(super) fn whole(&self) -> Option<Frame> {
        self.base.frames().first().copied()
    }

    pub(super) fn frame(&self, kind: FileKind) -> Option<Frame> {
        self.base.frame(kind)
    }

    /// Records the attacked field. If an attack does not call this, the field is that of its first change.
    pub(super) fn record(&mut self, path: &str, span: Span) {
        self.at = Some((path.to_string(), span, self.file.splices().len()));
    }

    fn change(&mut self, path: &str, span: Span, change: impl FnOnce(&mut Patcher<'b>)) -> Option<()> {
        change(&mut self.file);
        if self.at.is_none() {
            self.record(path, span);
        }
        self.file.is_sound().then_some(())
    }

    /// `at` is a position in the base.
    pub(super) fn put(&mut self, path: &str, at: usize, new: &[u8]) -> Option<()> {
        self.change(path, Span::of(at, new.len()), |file| file.put(at, new))
    }

    pub(super) fn number(&mut self, path: &str, at: usize, width: usize, value: u64) -> Option<()> {
        self.put(path, at, value.to_le_bytes().get(..width)?)
    }

    pub(super) fn set(&mut self, place: &BasePart<'_>, value: u64) -> Option<()> {
        self.number(&place.entry.path, place.at(), place.len(), value)
    }

    pub(super) fn set_any(
        &mut self,
        parts: &[u32],
        mut value: impl FnMut(&BasePart<'b>, &mut Random) -> Option<u64>,
    ) -> Option<()> {
        let (place, value) = self.any(parts, |place, random| Some((*place, value(place, random)?)))?;
        self.set(&place, value)
    }

    pub(super) fn set_element(&mut self, place: &BasePart<'_>, index: usize, value: u64) -> Option<()> {
        let path = alloc::format!("{}[{index}]", place.entry.path);
        self.number(&path, place.at() + index * place.width(), place.width(), value)
    }

    pub(super) fn splice(&mut self, path: &str, at: usize, was: usize, new: &[u8]) -> Option<()> {
        self.change(path, Span::of(at, new.len()), |file| file.splice(at, was, new))
    }

    pub(super) fn truncate(&mut self, path: &str, len: usize) -> Option<()> {
        let all = self.base.bytes().len();
        self.splice(path, len, all.checked_sub(len)?, &[])
    }

    pub(super) fn set_header(
        &mut self,
        frame: FrameOf,
        field: &str,
        value: impl FnOnce(&'b Base, &Frame, &mut Random) -> Option<u64>,
    ) -> Option<()> {
        let frame = frame(self.base)?;
        let value = value(self.base, &frame, &mut self.random)?;
        self.header(&frame, field, value)
    }

    pub(super) fn header(&mut self, frame: &Frame, field: &str, value: u64) -> Option<()> {
        let path = frame.path(&alloc::format!("header.{field}"));
        let place = self.base.find(&path, PartKind::Header)?;
        self.set(&place, value)
    }

    /// Zeroes a field's vtable entry, so that all tables that share the vtable lose the field.
    pub(super) fn absent(&mut self, kind: FileKind, owner: &'static str, field: &'static str) -> Option<()> {
        self.absent_where(kind, owner, field, |_| true)
    }

    pub(super) fn absent_where(
        &mut self,
        kind: FileKind,
        owner: &'static str,
        field: &'static str,
        test: impl Fn(&BasePart<'b>) -> bool,
    ) -> Option<()> {
        let base = self.base;
        let alone = |place: &BasePart<'b>| place.frame.whole || !base.is_mixed(place);
        let fits = |place: &BasePart<'b>| base.has(place, field) && alone(place) && test(place);
        let place = self.tables(kind, owner, |place, _| fits(place).then_some(*place))?;
        if base.is_mixed(&place) {
            return self.strip_from(&place, field);
        }
        self.without(&place, field)
    }

    pub(super) fn without(&mut self, place: &BasePart<'_>, field: &str) -> Option<()> {
        let slot = place.entry.owner?.field(field)?.slot;
        let at = place.frame.start + self.base.table(place)?.vtable() + 4 + 2 * usize::from(slot);
        self.put(&join(&place.entry.path, field), at, &[0; 2])
    }

    /// Removes a field from a single table, which gets a vtable of its own.
    pub(super) fn strip(&mut self, kind: FileKind, owner: &'static str, field: &'static str) -> Option<()> {
        let base = self.base;
        let place =
            self.tables(kind, owner, |place, _| (place.frame.whole && base.has(place, field)).then_some(*place))?;
        self.strip_from(&place, field)
    }

    /// The frame must be the whole file.
    fn strip_from(&mut self, place: &BasePart<'_>, field: &str) -> Option<()> {
        let slot = usize::from(place.entry.owner?.field(field)?.slot);
        let path = join(&place.entry.path, field);
        self.change(&path, place.entry.span, |file| file.own_slot_at(place.at(), slot, 0))
    }

    /// Sets a numeric field of this table only. If the field is absent, it is appended to the FlatBuffer.
    pub(super) fn assign(&mut self, place: &BasePart<'_>, field: &str, value: u64) -> Option<()> {
        self.assign_all(place, &[(field, value)])
    }

    pub(super) fn assign_all(&mut self, place: &BasePart<'_>, values: &[(&str, u64)]) -> Option<()> {
        let table = self.base.table(place)?;
        let mut missing = Vec::new();
        for (name, value) in values {
            let field = place.entry.owner?.field(name)?;
            match table.field(field.slot) {
                Some(at) => {
                    let path = join(&place.entry.path, name);
                    self.number(&path, place.frame.start + at, field.kind.width(), *value)?;
                }
                None => {
                    missing.push((field.slot, value.to_le_bytes(), join(&place.entry.path, name), field.kind.width()));
                }
            }
        }
        if missing.is_empty() { Some(()) } else { self.add(place, &missing, &[]) }
    }

    pub(super) fn assign_any(
        &mut self,
        kind: FileKind,
        owner: &'static str,
        field: &'static str,
        mut value: impl FnMut(&BasePart<'b>, &mut Random) -> Option<u64>,
    ) -> Option<()> {
        let base = self.base;
        let (place, value) = self.tables(kind, owner, |place, random| {
            let value = value(place, random)?;
            let fits = base.has(place, field) || reach(place).is_some();
            fits.then_some((*place, value))
        })?;
        self.assign(&place, field, value)
    }

    /// Appends `object` to the FlatBuffer and points the offset field at it.
    pub(super) fn attach(&mut self, place: &BasePart<'_>, field: &str, object: &[u8]) -> Option<()> {
        let described = place.entry.owner?.field(field)?;
        let path = join(&place.entry.path, field);
        match self.base.table(place)?.field(described.slot) {
            Some(at) => {
                let target = place.frame.start + appendix(&place.frame);
                self.point(&path, place.frame.start + at, target)?;
                self.grow(&place.frame, object)
            }
            None => self.add(place, &[(described.slot, [0; 8], path, 4)], object),
        }
    }

    /// Each field is a slot, bytes, a path and a width. If there is an `object`, exactly one field must point to it.
    fn add(&mut self, place: &BasePart<'_>, fields: &[(u16, [u8; 8], String, usize)], object: &[u8]) -> Option<()> {
        reach(place)?;
        let values: Vec<_> = fields.iter().map(|(slot, value, ..)| (*slot, *value)).collect();
        let at = self.file.add_fields(place.at(), &values, object);
        let (.., path, width) = fields.first()?;
        self.at.get_or_insert_with(|| (path.clone(), Span::of(at, *width), self.file.splices().len()));
        self.file.is_sound().then_some(())
    }

    pub(super) fn grow(&mut self, frame: &Frame, new: &[u8]) -> Option<()> {
        if !frame.whole {
            return None;
        }
        self.file.append_to_flatbuffer(new, ALIGN);
        self.file.is_sound().then_some(())
    }

    /// `at` and `target` are file positions.
    pub(super) fn point(&mut self, path: &str, at: usize, target: usize) -> Option<()> {
        let distance = u32::try_from(target.checked_sub(at)?).ok().filter(|distance| *distance > 0)?;
        self.number(path, at, 4, distance.into())
    }
}

/// How appended bytes are aligned.
const ALIGN: usize = 16;

/// Where appended bytes go, relative to the frame.
pub(super) fn appendix(frame: &Frame) -> usize {
    (frame.region_end - frame.start).next_multiple_of(ALIGN)
}

/// The distance from the table to the appended bytes; `None` if it does not fit in a vtable entry, or the frame is not
/// the whole file.
pub(super) fn reach(place: &BasePart<'_>) -> Option<u16> {
    u16::try_from(appendix(&place.frame).checked_sub(place.local())?).ok().filter(|_| place.frame.whole)
}
