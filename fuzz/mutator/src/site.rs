//! Random descents: from the root of a FlatBuffer along the schema to one field, element, offset or vtable.
//!
//! A descent reads only the tables on its path, so it costs less than a microsecond for a file of any size. It works on
//! broken files: it stops at the first offset that leads nowhere.

use fastrand::Rng;
use torchproof::flatbuffer::Table;
use torchproof::flatbuffer::schema::{EnumType, Field, Kind, Scalar, TableType, UnionType};

use crate::number::{number, position};
use crate::parts::{count, element_width};

/// The maximum number of tables on a descent. A cycle of offsets has no end.
const DEEPEST: usize = 24;

/// The maximum number of hints that a descent collects.
const MOST_HINTS: usize = 24;

/// A place in a FlatBuffer, with its type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site<'b> {
    /// The position of the first byte of the place.
    pub(crate) at: usize,
    pub(crate) place: Place,
    /// The table that contains the place. `None` if the root offset leads to no table.
    pub(crate) table: Option<(Table<'b>, &'static TableType)>,
    /// The field of the table, or `None` if the place is the table itself.
    pub(crate) field: Option<&'static Field>,
    /// The position of the last offset on the path to the place, and the type of this offset's target.
    pub(crate) link: Option<(usize, Object)>,
}

/// The type of a place.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// A number, inline or in a vector.
    Number(Scalar),
    /// A value of an enum.
    Enum(&'static EnumType),
    /// The tag of a union.
    Tag(&'static UnionType),
    /// An offset to an object.
    Offset(Object),
    /// The count of a vector, or the length of a string.
    Count { width: usize },
    /// The bytes of a string.
    Text { len: usize },
    /// The offset from a table to its vtable.
    Vtable,
    /// The length of a vtable, the object length in a vtable, or a slot of a vtable.
    Slot,
}

/// The type of an offset's target.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Object {
    Table(&'static TableType),
    Text,
    /// A vector of numbers, and the alignment of its elements.
    Numbers(Scalar, usize),
    Tables(&'static TableType),
}

impl Object {
    /// Returns the type of a field's target, or `None` for an inline field or an unknown member of a union.
    pub(crate) fn of(buffer: &[u8], table: Table<'_>, field: &Field) -> Option<Self> {
        Some(match field.kind {
            Kind::Scalar(_) | Kind::Enum(_) | Kind::Tag(_) => return None,
            Kind::String => Self::Text,
            Kind::Scalars(scalar, align) => Self::Numbers(scalar, align),
            Kind::Table(table) => Self::Table(table),
            Kind::Tables(table) => Self::Tables(table),
            Kind::Union(union) => {
                let tag = table.field(field.slot.checked_sub(1)?)?;
                Self::Table(union.member(*buffer.get(tag)?)?)
            }
        })
    }

    /// Whether an offset to `other` may replace an offset to `self`.
    pub(crate) fn is_like(self, other: Self) -> bool {
        match (self, other) {
            (Self::Table(one), Self::Table(other)) | (Self::Tables(one), Self::Tables(other)) => {
                std::ptr::eq(one, other)
            }
            (Self::Numbers(one, align), Self::Numbers(other, of_other)) => one == other && align == of_other,
            (Self::Text, Self::Text) => true,
            _ => false,
        }
    }
}

/// The lengths of the lists that a descent passes. An index usually refers to one of these lists.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hints {
    numbers: [u64; MOST_HINTS],
    len: usize,
}

impl Hints {
    pub(crate) fn as_slice(&self) -> &[u64] {
        &self.numbers[..self.len]
    }

    pub(crate) fn add(&mut self, number: u64) {
        if let Some(free) = self.numbers.get_mut(self.len) {
            *free = number;
            self.len += 1;
        }
    }

    fn add_lists(&mut self, buffer: &[u8], table: Table<'_>, ty: &'static TableType) {
        for field in ty.fields {
            let is_list = matches!(field.kind, Kind::Tables(_) | Kind::Scalars(..));
            if let Some(at) = table.field(field.slot).filter(|_| is_list) {
                self.add(number(buffer, at.saturating_add(position(buffer, at, 4)), 4));
            }
        }
    }
}

/// Descends from the root table of the type `root`. Returns `None` if the buffer has no room for a root
/// offset, or if the path is too deep.
pub(crate) fn descend<'b>(
    buffer: &'b [u8],
    root: &'static TableType,
    random: &mut Rng,
    hints: &mut Hints,
) -> Option<Site<'b>> {
    if buffer.len() < 8 {
        return None;
    }
    let root_offset = Site { at: 0, place: Place::Offset(Object::Table(root)), table: None, field: None, link: None };
    let Ok(mut table) = Table::root(buffer) else { return Some(root_offset) };
    let mut ty = root;
    let mut link = None;
    for _ in 0..DEEPEST {
        hints.add_lists(buffer, table, ty);
        let chosen = if random.u8(..40) < 2 { None } else { present(table, ty, random) };
        let Some((field, at)) = chosen else {
            let slot = table.vtable() + 2 * random.usize(..2 + usize::from(table.slots()));
            let (at, place) = if random.bool() { (table.position(), Place::Vtable) } else { (slot, Place::Slot) };
            return Some(Site { at, place, table: Some((table, ty)), field: None, link });
        };
        let site = |at, place, link| Site { at, place, table: Some((table, ty)), field: Some(field), link };
        let Some(object) = Object::of(buffer, table, field) else {
            let place = match field.kind {
                Kind::Scalar(scalar) => Place::Number(scalar),
                Kind::Enum(values) => Place::Enum(values),
                Kind::Tag(union) => Place::Tag(union),
                // The type of this offset's target is unknown, because the tag of the union is.
                _ => Place::Offset(Object::Text),
            };
            return Some(site(at, place, link));
        };
        let target = at.saturating_add(position(buffer, at, 4));
        let own = Some((at, object));
        let offset = site(at, Place::Offset(object), own);
        if random.u8(..16) == 0 {
            return Some(offset);
        }
        let (next, at) = match object {
            Object::Table(next) => (next, at),
            list => {
                let width = element_width(field.kind);
                let len = count(buffer, target, width).unwrap_or(0);
                if len == 0 || random.u8(..10) == 0 {
                    return Some(site(target, Place::Count { width }, own));
                }
                let element = target + 4 + width * random.usize(..len);
                match list {
                    Object::Text => return Some(site(target + 4, Place::Text { len }, own)),
                    Object::Numbers(scalar, _) => return Some(site(element, Place::Number(scalar), own)),
                    Object::Tables(next) | Object::Table(next) => (next, element),
                }
            }
        };
        let own = Object::Table(next);
        match Table::follow(buffer, at) {
            Ok(found) if random.u8(..16) != 0 => (table, ty, link) = (found, next, Some((at, own))),
            _ => return Some(site(at, Place::Offset(own), Some((at, own)))),
        }
    }
    None
}

/// Descends until a place satisfies `wanted`; tries at most `tries` times.
pub(crate) fn descend_to<'b>(
    buffer: &'b [u8],
    root: &'static TableType,
    random: &mut Rng,
    tries: usize,
    wanted: impl Fn(&Site<'b>) -> bool,
) -> Option<Site<'b>> {
    // The hints of a descent that only looks for a place are not used.
    let mut hints = Hints { len: MOST_HINTS, ..Hints::default() };
    (0..tries).find_map(|_| descend(buffer, root, random, &mut hints).filter(&wanted))
}

/// Chooses a present field. A field that leads to tables has a greater weight, so that descents reach deep tables.
fn present(table: Table<'_>, ty: &'static TableType, random: &mut Rng) -> Option<(&'static Field, usize)> {
    let mut chosen = None;
    let mut total = 0;
    for field in ty.fields {
        let Some(at) = table.field(field.slot) else { continue };
        let weight = match field.kind {
            Kind::Tables(_) | Kind::Table(_) | Kind::Union(_) => 3,
            _ => 1,
        };
        total += weight;
        if random.u32(..total) < weight {
            chosen = Some((field, at));
        }
    }
    chosen
}
