//! What attacks are made with: choosing a part of a base, and changing it.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::base::{Base, Frame, Place, Sort, join};
use crate::Span;
use crate::check::Kind;
use crate::flatbuffer::schema::Field;
use crate::random::Random;

/// One attack in the making: the base is copied when the first byte of it is changed.
#[derive(Debug)]
pub(super) struct Forge<'b> {
    pub(super) base: &'b Base,
    pub(super) random: Random,
    bytes: Option<Vec<u8>>,
    /// The field that is attacked and its bytes, as they are after so many of the moves.
    at: Option<(String, Span, usize)>,
    /// The changes that moved bytes: position, length before, length after.
    moves: Vec<[u64; 3]>,
}

/// What came of an attack.
#[derive(Debug)]
pub(super) struct Forged {
    pub(super) bytes: Vec<u8>,
    pub(super) path: String,
    pub(super) span: Span,
    pub(super) moves: Vec<[u64; 3]>,
}

impl<'b> Forge<'b> {
    pub(super) fn new(base: &'b Base, random: Random) -> Self {
        Self { base, random, bytes: None, at: None, moves: Vec::new() }
    }

    /// What has been made; `None` when nothing was changed.
    pub(super) fn finish(self) -> Option<Forged> {
        let bytes = self.bytes.filter(|bytes| bytes.as_slice() != self.base.bytes())?;
        let (path, span, moved) = self.at.unwrap_or_default();
        let span = self.moves.iter().skip(moved).fold(span, |span, [at, was, now]| span.spliced(*at, *was, *now));
        Some(Forged { bytes, path, span, moves: self.moves })
    }

    /// The first part, from a random one on and round, of which `test` makes something.
    pub(super) fn any<T>(
        &mut self,
        parts: &[u32],
        mut test: impl FnMut(&Place<'b>, &mut Random) -> Option<T>,
    ) -> Option<T> {
        let base: &'b Base = self.base;
        let start = self.random.index(parts.len());
        let round = parts[start..].iter().chain(&parts[..start]);
        round.into_iter().find_map(|at| test(&base.place(*at)?, &mut self.random))
    }

    /// As [`Forge::any`], of the tables of a type.
    pub(super) fn tables<T>(
        &mut self,
        kind: Kind,
        owner: &'static str,
        test: impl FnMut(&Place<'b>, &mut Random) -> Option<T>,
    ) -> Option<T> {
        let base: &'b Base = self.base;
        self.any(base.column(kind, owner, "", Sort::Table), test)
    }

    /// As [`Forge::any`], of one field's parts of a sort.
    pub(super) fn parts<T>(
        &mut self,
        (kind, owner, field): (Kind, &'static str, &'static str),
        sort: Sort,
        test: impl FnMut(&Place<'b>, &mut Random) -> Option<T>,
    ) -> Option<T> {
        let base: &'b Base = self.base;
        self.any(base.column(kind, owner, field, sort), test)
    }

    /// The file's own frame.
    pub(super) fn whole(&self) -> Option<Frame> {
        self.base.frames().first().copied()
    }

    /// One of the frames of a kind.
    pub(super) fn frame(&self, kind: Kind) -> Option<Frame> {
        self.base.frames().iter().copied().find(|frame| frame.kind == kind)
    }

    fn now(&mut self) -> &mut Vec<u8> {
        self.bytes.get_or_insert_with(|| self.base.bytes().to_vec())
    }

    /// Says what is attacked, and where it is at this moment; without it, what is changed first.
    pub(super) fn blame(&mut self, path: &str, span: Span) {
        self.at = Some((path.to_string(), span, self.moves.len()));
    }

    /// Overwrites bytes, at a position of the base before any move.
    pub(super) fn put(&mut self, path: &str, at: usize, new: &[u8]) -> Option<()> {
        self.at.get_or_insert_with(|| (path.to_string(), Span::of(at, new.len()), self.moves.len()));
        self.now().get_mut(at..)?.get_mut(..new.len())?.copy_from_slice(new);
        Some(())
    }

    /// Overwrites a little-endian number of `width` bytes.
    pub(super) fn number(&mut self, path: &str, at: usize, width: usize, value: u64) -> Option<()> {
        self.put(path, at, value.to_le_bytes().get(..width)?)
    }

    /// Overwrites a part that is a number.
    pub(super) fn set(&mut self, place: &Place<'_>, value: u64) -> Option<()> {
        self.number(&place.entry.path, place.at(), place.len(), value)
    }

    /// Overwrites one element of a vector of numbers.
    pub(super) fn set_element(&mut self, place: &Place<'_>, index: usize, value: u64) -> Option<()> {
        let path = alloc::format!("{}[{index}]", place.entry.path);
        self.number(&path, place.at() + index * place.width(), place.width(), value)
    }

    /// Replaces `was` bytes at `at` by others.
    pub(super) fn splice(&mut self, path: &str, at: usize, was: usize, new: &[u8]) -> Option<()> {
        let end = at.checked_add(was).filter(|end| *end <= self.now().len())?;
        self.now().splice(at..end, new.iter().copied());
        self.moves.push([at as u64, was as u64, new.len() as u64]);
        self.at.get_or_insert_with(|| (path.to_string(), Span::of(at, new.len()), self.moves.len()));
        Some(())
    }

    /// Ends the file at `len`.
    pub(super) fn truncate(&mut self, path: &str, len: usize) -> Option<()> {
        let all = self.base.bytes().len();
        self.splice(path, len, all.checked_sub(len)?, &[])
    }

    /// A field of a frame's header.
    pub(super) fn header(&mut self, frame: &Frame, field: &str, value: u64) -> Option<()> {
        let path = frame.path(&alloc::format!("header.{field}"));
        let place = self.base.find(&path, Sort::Header)?;
        self.set(&place, value)
    }

    /// Takes a field from a table by its vtable, and from the tables of its type that share that.
    pub(super) fn absent(&mut self, kind: Kind, owner: &'static str, field: &'static str) -> Option<()> {
        self.absent_where(kind, owner, field, |_| true)
    }

    /// As [`Forge::absent`], from a table of which `test` holds.
    pub(super) fn absent_where(
        &mut self,
        kind: Kind,
        owner: &'static str,
        field: &'static str,
        test: impl Fn(&Place<'b>) -> bool,
    ) -> Option<()> {
        let base = self.base;
        let alone = |place: &Place<'b>| place.frame.whole || !base.is_mixed(place);
        let fits = |place: &Place<'b>| base.has(place, field) && alone(place) && test(place);
        let place = self.tables(kind, owner, |place, _| fits(place).then_some(*place))?;
        if base.is_mixed(&place) {
            return self.strip_from(&place, field);
        }
        self.without(&place, field)
    }

    /// Takes a field from this table.
    pub(super) fn without(&mut self, place: &Place<'_>, field: &str) -> Option<()> {
        let slot = place.owner?.field(field)?.slot;
        let at = place.frame.start + self.base.table(place)?.vtable() + 4 + 2 * usize::from(slot);
        self.put(&join(&place.entry.path, field), at, &[0; 2])
    }

    /// Takes a field from one table of a type alone, which gets a vtable of its own behind the FlatBuffer.
    pub(super) fn strip(&mut self, kind: Kind, owner: &'static str, field: &'static str) -> Option<()> {
        let base = self.base;
        let place =
            self.tables(kind, owner, |place, _| (place.frame.whole && base.has(place, field)).then_some(*place))?;
        self.strip_from(&place, field)
    }

    /// As [`Forge::strip`], of this table of a file that is whole.
    fn strip_from(&mut self, place: &Place<'_>, field: &str) -> Option<()> {
        let entry = 4 + 2 * usize::from(place.owner?.field(field)?.slot);
        let mut vtable = self.vtable(place)?;
        vtable.get_mut(entry..entry + 2)?.fill(0);
        let at = appendix(&place.frame);
        let back = i32::try_from(place.local() as i64 - at as i64).ok()?;
        self.number(&join(&place.entry.path, field), place.at(), 4, u64::from(back.cast_unsigned()))?;
        self.grow(&place.frame, &vtable)
    }

    /// A copy of a table's vtable.
    fn vtable(&self, place: &Place<'_>) -> Option<Vec<u8>> {
        let table = self.base.table(place)?;
        let bytes = self.base.region(&place.frame).get(table.vtable()..)?;
        bytes.get(..4 + 2 * usize::from(table.slots())).map(<[u8]>::to_vec)
    }

    /// Gives a number of a table another value. One that is absent is put behind the FlatBuffer, for this table alone.
    pub(super) fn assign(&mut self, place: &Place<'_>, field: &str, value: u64) -> Option<()> {
        self.assign_all(place, &[(field, value)])
    }

    /// As [`Forge::assign`], of several numbers of one table.
    pub(super) fn assign_all(&mut self, place: &Place<'_>, values: &[(&str, u64)]) -> Option<()> {
        let table = self.base.table(place)?;
        let mut missing = Vec::new();
        for (name, value) in values {
            let field = place.owner?.field(name)?;
            match table.field(field.slot) {
                Some(at) => {
                    let path = join(&place.entry.path, name);
                    self.number(&path, place.frame.start + at, field.kind.width(), *value)?;
                }
                None => missing.push((field, value.to_le_bytes())),
            }
        }
        if missing.is_empty() { Some(()) } else { self.add(place, &missing, &[]) }
    }

    /// As [`Forge::assign`], of a table of a type for which `value` gives one.
    pub(super) fn assign_any(
        &mut self,
        kind: Kind,
        owner: &'static str,
        field: &'static str,
        mut value: impl FnMut(&Place<'b>, &mut Random) -> Option<u64>,
    ) -> Option<()> {
        let base = self.base;
        let (place, value) = self.tables(kind, owner, |place, random| {
            let value = value(place, random)?;
            let fits = base.has(place, field) || reach(place).is_some();
            fits.then_some((*place, value))
        })?;
        self.assign(&place, field, value)
    }

    /// Makes a field that is a reference lead to an object behind the FlatBuffer, which is all of `object` from its first byte.
    pub(super) fn attach(&mut self, place: &Place<'_>, field: &str, object: &[u8]) -> Option<()> {
        let described = place.owner?.field(field)?;
        match self.base.table(place)?.field(described.slot) {
            Some(at) => {
                let target = place.frame.start + appendix(&place.frame);
                self.point(&join(&place.entry.path, field), place.frame.start + at, target)?;
                self.grow(&place.frame, object)
            }
            None => self.add(place, &[(described, [0; 8])], object),
        }
    }

    /// Gives a table a vtable of its own, with fields that it did not have. With an object, the one field leads to that.
    fn add(&mut self, place: &Place<'_>, fields: &[(&Field, [u8; 8])], object: &[u8]) -> Option<()> {
        let far = reach(place)?;
        let mut vtable = self.vtable(place)?;
        // The numbers first, where the vtable can reach them; then the vtable, which may be anywhere.
        let mut new = Vec::new();
        for (field, value) in fields {
            let entry = 4 + 2 * usize::from(field.slot);
            vtable.resize(vtable.len().max(entry + 2), 0);
            let offset = far.checked_add(u16::try_from(new.len()).ok()?)?;
            vtable.get_mut(entry..entry + 2)?.copy_from_slice(&offset.to_le_bytes());
            new.extend_from_slice(value);
        }
        let len = u16::try_from(vtable.len()).ok()?;
        vtable[..2].copy_from_slice(&len.to_le_bytes());
        let at = appendix(&place.frame);
        let back = i32::try_from(place.local() as i64 - (at + new.len()) as i64).ok()?;
        new.extend_from_slice(&vtable);
        if !object.is_empty() {
            new.resize(new.len().next_multiple_of(16), 0);
            let distance = u32::try_from(new.len()).ok()?;
            new[..4].copy_from_slice(&distance.to_le_bytes());
            new.extend_from_slice(object);
        }
        let (field, _) = fields.first()?;
        self.number(&place.entry.path, place.at(), 4, u64::from(back.cast_unsigned()))?;
        self.grow(&place.frame, &new)?;
        let span = Span::of(place.frame.start + at, field.kind.width());
        self.blame(&join(&place.entry.path, field.name), span);
        Some(())
    }

    /// Puts bytes behind the FlatBuffer, at [`appendix`], which moves the segments and changes nothing else.
    pub(super) fn grow(&mut self, frame: &Frame, new: &[u8]) -> Option<()> {
        if !frame.whole {
            return None;
        }
        let data = self.base.header(frame, "segment_base_offset");
        let (size, end) = match frame.kind {
            Kind::Pte => ("program_size", appendix(frame) + new.len()),
            Kind::Ptd | Kind::PtdLegacy => {
                let before = usize::try_from(self.base.header(frame, "flatbuffer_offset")?).ok()?;
                ("flatbuffer_size", (appendix(frame) + new.len()).checked_sub(before)?)
            }
            _ => ("", 0),
        };
        let mut inserted = alloc::vec![0; appendix(frame) - frame.region_end];
        inserted.extend_from_slice(new);
        if let Some(base) = data {
            // As far as the segments were aligned, they stay.
            let unit = (1_usize << base.trailing_zeros().min(12)).max(16);
            inserted.resize(inserted.len().next_multiple_of(unit), 0);
            self.header(frame, size, end as u64)?;
            if base > 0 {
                self.header(frame, "segment_base_offset", base.checked_add(inserted.len() as u64)?)?;
            }
        } else if frame.kind != Kind::Bpte && self.base.header(frame, "length").is_some() {
            return None;
        }
        self.splice("", frame.region_end, 0, &inserted)
    }

    /// A reference at `at`, which is made to lead to `target`; both from the file's start.
    pub(super) fn point(&mut self, path: &str, at: usize, target: usize) -> Option<()> {
        let distance = u32::try_from(target.checked_sub(at)?).ok().filter(|distance| *distance > 0)?;
        self.number(path, at, 4, distance.into())
    }
}

/// Where bytes put behind a frame's FlatBuffer begin, from the frame's start.
pub(super) fn appendix(frame: &Frame) -> usize {
    (frame.region_end - frame.start).next_multiple_of(16)
}

/// How far the bytes behind the FlatBuffer are from a table, where a vtable can say it.
pub(super) fn reach(place: &Place<'_>) -> Option<u16> {
    u16::try_from(appendix(&place.frame).checked_sub(place.local())?).ok().filter(|_| place.frame.whole)
}
