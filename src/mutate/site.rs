//! Random descents: from the root of a FlatBuffer along the schema to a field, element, offset or vtable.
//!
//! A descent reads only the tables on its path, so it takes about a microsecond for a file of any size. It also works
//! on broken files: it stops at the first offset that leads nowhere.

use alloc::vec::Vec;

use super::file::{FileParts, count, element_width};
use super::number::{number, target};
use crate::flatbuffer::Table;
use crate::flatbuffer::schema::{EnumType, Field, Kind, Scalar, TableType, UnionType};
use crate::random::Random;

/// The maximum number of tables on a descent. A cycle of offsets would otherwise have no end.
const DEEPEST: usize = 24;

const MOST_HINTS: usize = 24;

/// A place in a FlatBuffer, with its type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site<'b> {
    pub(super) at: usize,
    pub(super) place: Place,
    /// The table that contains the place; `None` if the root offset leads to no table.
    pub(super) table: Option<(Table<'b>, &'static TableType)>,
    /// The table's field; `None` if the place is the table itself.
    pub(super) field: Option<&'static Field>,
    /// The position of the last offset on the path to the place, and the type of object that it leads to.
    pub(super) link: Option<(usize, Object)>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    Number(Scalar),
    Enum(&'static EnumType),
    Tag(&'static UnionType),
    Offset(Object),
    /// The count of a vector, or the length of a string.
    Count {
        width: usize,
    },
    Text {
        len: usize,
    },
    Vtable,
    /// The length of a vtable, the object length in it, or one of its slots.
    Slot,
}

/// The type of the target of an offset.
#[derive(Clone, Copy, Debug)]
pub(super) enum Object {
    Table(&'static TableType),
    Text,
    /// A vector of numbers, and the alignment of its elements.
    Numbers(Scalar, usize),
    Tables(&'static TableType),
}

impl Object {
    /// Returns the type that a field leads to, or `None` for an inline field or an unknown union member.
    pub(super) fn of(table: Table<'_>, field: &Field) -> Option<Self> {
        Some(match field.kind {
            Kind::Scalar(_) | Kind::Enum(_) | Kind::Tag(_) => return None,
            Kind::String => Self::Text,
            Kind::Scalars(scalar, align) => Self::Numbers(scalar, align),
            Kind::Table(table) => Self::Table(table),
            Kind::Tables(table) => Self::Tables(table),
            Kind::Union(union) => {
                let tag = table.field(field.slot.checked_sub(1)?)?;
                Self::Table(union.member(*table.buffer().get(tag)?)?)
            }
        })
    }

    pub(super) fn is_like(self, other: Self) -> bool {
        match (self, other) {
            (Self::Table(one), Self::Table(other)) | (Self::Tables(one), Self::Tables(other)) => {
                core::ptr::eq(one, other)
            }
            (Self::Numbers(one, align), Self::Numbers(other, of_other)) => one == other && align == of_other,
            (Self::Text, Self::Text) => true,
            _ => false,
        }
    }
}

pub(super) fn is_inline(field: &Field) -> bool {
    matches!(field.kind, Kind::Scalar(_) | Kind::Enum(_) | Kind::Tag(_))
}

/// Descends from the root table. Appends the lengths of the lists on the path to `hints`, because an index usually
/// refers to a list nearby. Returns `None` if the buffer has no room for a root offset or the path is too deep.
pub(super) fn descend<'b>(file: &FileParts<'b>, random: &mut Random, hints: &mut Vec<u64>) -> Option<Site<'b>> {
    let buffer = file.buffer;
    if buffer.len() < 8 {
        return None;
    }
    let root = Place::Offset(Object::Table(file.root));
    let root_offset = Site { at: 0, place: root, table: None, field: None, link: None };
    let Ok(mut table) = Table::root(buffer) else { return Some(root_offset) };
    let (mut ty, mut link) = (file.root, None);
    for _ in 0..DEEPEST {
        let lists = ty.fields.iter().filter(|field| matches!(field.kind, Kind::Tables(_) | Kind::Scalars(..)));
        let lists = lists.filter_map(|field| Some(number(buffer, target(buffer, table.field(field.slot)?), 4)));
        hints.extend(lists.take(MOST_HINTS.saturating_sub(hints.len())));
        let site = |at, place, field, link| Site { at, place, table: Some((table, ty)), field, link };
        let Some((field, at)) = present(table, ty, random).filter(|_| !random.one_in(20)) else {
            let slot = table.vtable() + 2 * random.index(2 + usize::from(table.slots()));
            let vtable = random.one_in(2);
            let (at, place) = if vtable { (table.position(), Place::Vtable) } else { (slot, Place::Slot) };
            return Some(site(at, place, None, link));
        };
        let Some(object) = Object::of(table, field) else {
            let place = match field.kind {
                Kind::Scalar(scalar) => Place::Number(scalar),
                Kind::Enum(values) => Place::Enum(values),
                Kind::Tag(union) => Place::Tag(union),
                // It is unknown what this offset leads to, because the tag of the union is unknown.
                _ => Place::Offset(Object::Text),
            };
            return Some(site(at, place, Some(field), link));
        };
        let own = Some((at, object));
        if random.one_in(16) {
            return Some(site(at, Place::Offset(object), Some(field), own));
        }
        let (next, at) = match object {
            Object::Table(next) => (next, at),
            list => {
                let (list_at, width) = (target(buffer, at), element_width(field.kind));
                let len = count(buffer, list_at, width).unwrap_or(0);
                if len == 0 || random.one_in(10) {
                    return Some(site(list_at, Place::Count { width }, Some(field), own));
                }
                let element = list_at + 4 + width * random.index(len);
                match list {
                    Object::Text => return Some(site(list_at + 4, Place::Text { len }, Some(field), own)),
                    Object::Numbers(scalar, _) => return Some(site(element, Place::Number(scalar), Some(field), own)),
                    Object::Tables(next) | Object::Table(next) => (next, element),
                }
            }
        };
        let own = Object::Table(next);
        match Table::follow(buffer, at) {
            Ok(found) if !random.one_in(16) => (table, ty, link) = (found, next, Some((at, own))),
            _ => return Some(site(at, Place::Offset(own), Some(field), Some((at, own)))),
        }
    }
    None
}

pub(super) fn descend_to<'b>(
    file: &FileParts<'b>,
    random: &mut Random,
    tries: usize,
    wanted: impl Fn(&Site<'b>) -> bool,
) -> Option<Site<'b>> {
    (0..tries).find_map(|_| descend(file, random, &mut Vec::new()).filter(&wanted))
}

/// Chooses a present field. Fields that lead to tables have more weight, so that descents reach deep tables.
fn present(table: Table<'_>, ty: &'static TableType, random: &mut Random) -> Option<(&'static Field, usize)> {
    let (mut chosen, mut total) = (None, 0);
    for field in ty.fields {
        let Some(at) = table.field(field.slot) else { continue };
        let weight = if matches!(field.kind, Kind::Tables(_) | Kind::Table(_) | Kind::Union(_)) { 3 } else { 1 };
        total += weight;
        if random.below(total) < weight {
            chosen = Some((field, at));
        }
    }
    chosen
}
