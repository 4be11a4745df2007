//! What attacks are made with: choosing a part of a base, and changing it.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::base::{Base, BasePart, Frame, join};
use crate::FileKind;
use crate::Span;
use crate::annotate::PartKind;
use crate::patch::{Patched, Patcher, Splice};
use crate::random::Random;

/// One attack in the making.
#[derive(Debug)]
pub(super) struct Forge<'b> {
    pub(super) base: &'b Base,
    pub(super) random: Random,
    file: Patcher<'b>,
    /// The field that is attacked and its bytes, as they are after so many of the changes.
    at: Option<(String, Span, usize)>,
}

/// What came of an attack.
#[derive(Debug)]
pub(super) struct Forged {
    pub(super) bytes: Vec<u8>,
    pub(super) path: String,
    pub(super) span: Span,
    pub(super) splices: Vec<Splice>,
}

impl<'b> Forge<'b> {
    pub(super) fn new(base: &'b Base, seed: u64) -> Self {
        Self { base, random: Random::new(seed), file: Patcher::new(base.bytes()), at: None }
    }

    /// What has been made; `None` when nothing was changed, or a change was impossible.
    pub(super) fn finish(self) -> Option<Forged> {
        let Patched { bytes, splices, .. } = self.file.finish().ok().filter(|made| made.bytes != self.base.bytes())?;
        let (path, span, done) = self.at.unwrap_or_default();
        let span = splices.iter().skip(done).fold(span, |span, splice| splice.moved(span));
        Some(Forged { bytes, path, span, splices })
    }

    /// The first part, from a random one on and round, of which `test` makes something.
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

    /// As [`Forge::any`], of the tables of a type.
    pub(super) fn tables<T>(
        &mut self,
        kind: FileKind,
        owner: &'static str,
        test: impl FnMut(&BasePart<'b>, &mut Random) -> Option<T>,
    ) -> Option<T> {
        let base: &'b Base = self.base;
        self.any(base.column(kind, owner, "", PartKind::Table), test)
    }

    /// As [`Forge::any`], of one field's parts of a kind.
    pub(super) fn parts<T>(
        &mut self,
        (kind, owner, field): (FileKind, &'static str, &'static str),
        part: PartKind,
        test: impl FnMut(&BasePart<'b>, &mut Random) -> Option<T>,
    ) -> Option<T> {
        let base: &'b Base = self.base;
        self.any(base.column(kind, owner, field, part), test)
    }

    /// The file's own frame.
    pub(super) fn whole(&self) -> Option<Frame> {
        self.base.frames().first().copied()
    }

    /// One of the frames of a kind.
    pub(super) fn frame(&self, kind: FileKind) -> Option<Frame> {
        self.base.frames().iter().copied().find(|frame| frame.kind == kind)
    }

    /// States what is attacked, and where it is at this moment; without it, what is changed first.
    pub(super) fn blame(&mut self, path: &str, span: Span) {
        self.at = Some((path.to_string(), span, self.file.splices().len()));
    }

    /// Makes changes at a position, which are what is attacked unless something else is.
    fn change(&mut self, path: &str, span: Span, change: impl FnOnce(&mut Patcher<'b>)) -> Option<()> {
        change(&mut self.file);
        if self.at.is_none() {
            self.blame(path, span);
        }
        self.file.is_sound().then_some(())
    }

    /// Overwrites bytes, at a position of the base before any move.
    pub(super) fn put(&mut self, path: &str, at: usize, new: &[u8]) -> Option<()> {
        self.change(path, Span::of(at, new.len()), |file| file.put(at, new))
    }

    /// Overwrites a little-endian number of `width` bytes.
    pub(super) fn number(&mut self, path: &str, at: usize, width: usize, value: u64) -> Option<()> {
        self.put(path, at, value.to_le_bytes().get(..width)?)
    }

    /// Overwrites a part that is a number.
    pub(super) fn set(&mut self, place: &BasePart<'_>, value: u64) -> Option<()> {
        self.number(&place.entry.path, place.at(), place.len(), value)
    }

    /// Overwrites one element of a vector of numbers.
    pub(super) fn set_element(&mut self, place: &BasePart<'_>, index: usize, value: u64) -> Option<()> {
        let path = alloc::format!("{}[{index}]", place.entry.path);
        self.number(&path, place.at() + index * place.width(), place.width(), value)
    }

    /// Replaces `was` bytes at `at` by others.
    pub(super) fn splice(&mut self, path: &str, at: usize, was: usize, new: &[u8]) -> Option<()> {
        self.change(path, Span::of(at, new.len()), |file| file.splice(at, was, new))
    }

    /// Ends the file at `len`.
    pub(super) fn truncate(&mut self, path: &str, len: usize) -> Option<()> {
        let all = self.base.bytes().len();
        self.splice(path, len, all.checked_sub(len)?, &[])
    }

    /// A field of a frame's header.
    pub(super) fn header(&mut self, frame: &Frame, field: &str, value: u64) -> Option<()> {
        let path = frame.path(&alloc::format!("header.{field}"));
        let place = self.base.find(&path, PartKind::Header)?;
        self.set(&place, value)
    }

    /// Takes a field from a table by its vtable, and from the tables of its type that share that.
    pub(super) fn absent(&mut self, kind: FileKind, owner: &'static str, field: &'static str) -> Option<()> {
        self.absent_where(kind, owner, field, |_| true)
    }

    /// As [`Forge::absent`], from a table of which `test` holds.
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

    /// Takes a field from this table.
    pub(super) fn without(&mut self, place: &BasePart<'_>, field: &str) -> Option<()> {
        let slot = place.entry.owner?.field(field)?.slot;
        let at = place.frame.start + self.base.table(place)?.vtable() + 4 + 2 * usize::from(slot);
        self.put(&join(&place.entry.path, field), at, &[0; 2])
    }

    /// Takes a field from one table of a type alone, which gets a vtable of its own behind the FlatBuffer.
    pub(super) fn strip(&mut self, kind: FileKind, owner: &'static str, field: &'static str) -> Option<()> {
        let base = self.base;
        let place =
            self.tables(kind, owner, |place, _| (place.frame.whole && base.has(place, field)).then_some(*place))?;
        self.strip_from(&place, field)
    }

    /// As [`Forge::strip`], of this table of a file that is whole.
    fn strip_from(&mut self, place: &BasePart<'_>, field: &str) -> Option<()> {
        let slot = usize::from(place.entry.owner?.field(field)?.slot);
        let path = join(&place.entry.path, field);
        self.change(&path, place.entry.span, |file| file.own_slot_at(place.at(), slot, 0))
    }

    /// Gives a number of a table another value. One that is absent is put behind the FlatBuffer, for this table alone.
    pub(super) fn assign(&mut self, place: &BasePart<'_>, field: &str, value: u64) -> Option<()> {
        self.assign_all(place, &[(field, value)])
    }

    /// As [`Forge::assign`], of several numbers of one table.
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

    /// As [`Forge::assign`], of a table of a type for which `value` gives one.
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

    /// Makes a field that is an offset lead to an object after the FlatBuffer, which is all of `object` from its first byte.
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

    /// Gives a table a vtable of its own, with fields that it did not have: slot, bytes, path and width of each. With an object,
    /// the one field leads to that.
    fn add(&mut self, place: &BasePart<'_>, fields: &[(u16, [u8; 8], String, usize)], object: &[u8]) -> Option<()> {
        reach(place)?;
        let values: Vec<_> = fields.iter().map(|(slot, value, ..)| (*slot, *value)).collect();
        let at = self.file.add_fields(place.at(), &values, object);
        let (.., path, width) = fields.first()?;
        self.at.get_or_insert_with(|| (path.clone(), Span::of(at, *width), self.file.splices().len()));
        self.file.is_sound().then_some(())
    }

    /// Puts bytes after the FlatBuffer, at [`appendix`].
    pub(super) fn grow(&mut self, frame: &Frame, new: &[u8]) -> Option<()> {
        if !frame.whole {
            return None;
        }
        self.file.append_to_flatbuffer(new, ALIGN);
        self.file.is_sound().then_some(())
    }

    /// Makes the offset at `at` lead to `target`; both from the file's start.
    pub(super) fn point(&mut self, path: &str, at: usize, target: usize) -> Option<()> {
        let distance = u32::try_from(target.checked_sub(at)?).ok().filter(|distance| *distance > 0)?;
        self.number(path, at, 4, distance.into())
    }
}

/// What is put after a FlatBuffer begins at a multiple of this.
const ALIGN: usize = 16;

/// Where bytes put after a frame's FlatBuffer begin, from the frame's start.
pub(super) fn appendix(frame: &Frame) -> usize {
    (frame.region_end - frame.start).next_multiple_of(ALIGN)
}

/// How far the bytes behind the FlatBuffer are from a table, where a vtable can say it.
pub(super) fn reach(place: &BasePart<'_>) -> Option<u16> {
    u16::try_from(appendix(&place.frame).checked_sub(place.local())?).ok().filter(|_| place.frame.whole)
}
