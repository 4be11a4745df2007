//! Determines what a changed field type breaks.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::difference::{Breaks, Effect};
use super::model::{Content, Enum, FieldType, Scalar, Schema};

pub(super) struct TypeWalk<'a> {
    old: &'a Schema,
    new: &'a Schema,
    /// Maps old types to new types. `new_partners` is the inverse map.
    old_partners: BTreeMap<Arc<str>, Arc<str>>,
    new_partners: BTreeMap<Arc<str>, Arc<str>>,
    enums: BTreeMap<(Arc<str>, Arc<str>), Option<Effect>>,
}

pub(super) struct TypeChange {
    pub(super) pair: Option<(Arc<str>, Arc<str>)>,
    /// `None` if the difference breaks nothing, or the types are two versions of one type.
    pub(super) effect: Option<Effect>,
}

impl From<Effect> for TypeChange {
    fn from(effect: Effect) -> Self {
        Self { pair: None, effect: Some(effect) }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Scalar(Scalar),
    Struct,
    Table,
    Union,
    String,
    Vector,
    Array,
}

impl Form {
    const fn in_words(self) -> &'static str {
        match self {
            Self::Scalar(_) => "a number",
            Self::Struct => "a struct",
            Self::Table => "the offset of a table",
            Self::Union => "the offset of a union's value",
            Self::String => "the offset of a string",
            Self::Vector => "the offset of a vector",
            Self::Array => "an array",
        }
    }
}

fn form(schema: &Schema, ty: &FieldType) -> Form {
    match ty {
        FieldType::Scalar(scalar) => Form::Scalar(*scalar),
        FieldType::String => Form::String,
        FieldType::Vector(_) => Form::Vector,
        FieldType::Array(..) => Form::Array,
        FieldType::Named(name) => match &schema.types[name].content {
            Content::Table(_) => Form::Table,
            Content::Struct(_) => Form::Struct,
            Content::Enum(found) => Form::Scalar(found.underlying),
            Content::Union(_) => Form::Union,
        },
    }
}

impl<'a> TypeWalk<'a> {
    pub(super) fn new(old: &'a Schema, new: &'a Schema) -> Self {
        let (old_partners, new_partners) = (BTreeMap::new(), BTreeMap::new());
        Self { old, new, old_partners, new_partners, enums: BTreeMap::new() }
    }

    pub(super) fn insert(&mut self, old: &Arc<str>, new: &Arc<str>) -> bool {
        let added = !self.is_old_paired(old) && !self.is_new_paired(new);
        if added {
            self.old_partners.insert(Arc::clone(old), Arc::clone(new));
            self.new_partners.insert(Arc::clone(new), Arc::clone(old));
        }
        added
    }

    pub(super) fn is_old_paired(&self, name: &str) -> bool {
        self.old_partners.contains_key(name)
    }

    pub(super) fn is_new_paired(&self, name: &str) -> bool {
        self.new_partners.contains_key(name)
    }

    /// Types can be paired if their names are equal, or neither schema has the other's name. Neither may have another partner.
    pub(super) fn can_pair(&self, old: &str, new: &str) -> bool {
        let renamed = || !self.new.types.contains_key(old) && !self.old.types.contains_key(new);
        let is_free = |partner: Option<&Arc<str>>, expected: &str| partner.is_none_or(|partner| **partner == *expected);
        (old == new || renamed())
            && is_free(self.old_partners.get(old), new)
            && is_free(self.new_partners.get(new), old)
    }

    /// `is_old` selects the schema that declares the type.
    pub(super) fn is_union(&self, ty: &FieldType, is_old: bool) -> bool {
        match ty {
            FieldType::Vector(element) => self.is_union(element, is_old),
            ty => form(if is_old { self.old } else { self.new }, ty) == Form::Union,
        }
    }

    pub(super) fn compare(&mut self, old: &FieldType, new: &FieldType) -> TypeChange {
        if let (FieldType::Named(before), FieldType::Named(now)) = (old, new) {
            let (first, second) = (&self.old.types[before].content, &self.new.types[now].content);
            let same_kind = first.noun() == second.noun();
            if (before == now || same_kind) && self.can_pair(before, now) {
                return TypeChange { pair: Some((Arc::clone(before), Arc::clone(now))), effect: None };
            }
            if let (Content::Enum(first), Content::Enum(second)) = (first, second)
                && first.underlying == second.underlying
            {
                let pair = (Arc::clone(before), Arc::clone(now));
                let effect = self.enums.entry(pair).or_insert_with(|| enums(first, second)).clone();
                return TypeChange { pair: None, effect };
            }
        }
        match (form(self.old, old), form(self.new, new)) {
            (Form::Scalar(before), Form::Scalar(now)) => {
                let effect = scalars(before, now).or_else(|| (old != new).then(other_name));
                return TypeChange { pair: None, effect };
            }
            (Form::Vector, Form::Vector) => return self.elements(old, new),
            (Form::Array, Form::Array) => return self.elements(old, new),
            (Form::String, Form::String) => return TypeChange { pair: None, effect: None },
            (before @ (Form::String | Form::Vector), Form::String | Form::Vector) if is_bytes(old) || is_bytes(new) => {
                let (breaks, reader) = stricter(before == Form::String);
                let example = format!("{reader} reader rejects the vector [1, 2, 3], or reads past its end");
                Effect::new(breaks, "a vector has no NUL terminator, which a string needs", example)
            }
            (before, now) if before == now => Effect::new(
                Breaks::BOTH,
                self.why_different(old, new),
                format!("a reader reads the fields of {old} as those of {new}"),
            ),
            (before, now) => Effect::new(
                Breaks::BOTH,
                format!("the slot has {} in old files and {} in new files", before.in_words(), now.in_words()),
                format!("an old reader interprets {} as {}", now.in_words(), before.in_words()),
            ),
        }
        .into()
    }

    /// Says why two types of the same form are not versions of one type.
    fn why_different(&self, old: &FieldType, new: &FieldType) -> String {
        let partner = |partners: &BTreeMap<Arc<str>, Arc<str>>, ty: &FieldType| match ty {
            FieldType::Named(name) => partners.get(name).cloned(),
            _ => None,
        };
        match (partner(&self.old_partners, old), partner(&self.new_partners, new)) {
            (Some(now), _) => format!("another field pairs {old} with {now}, and {new} can differ from {now}"),
            (None, Some(before)) => {
                format!("another field pairs {before} with {new}, and {old} can differ from {before}")
            }
            (None, None) => format!("{old} and {new} are different types"),
        }
    }

    fn elements(&mut self, old: &FieldType, new: &FieldType) -> TypeChange {
        let (before, now) = match (old, new) {
            (FieldType::Array(_, before), FieldType::Array(_, now)) if before != now => {
                let example = format!("an old reader reads {before} elements, but a new file has {now}");
                return Effect::new(Breaks::BOTH, "the arrays have different lengths", example).into();
            }
            (FieldType::Array(before, _), FieldType::Array(now, _))
            | (FieldType::Vector(before), FieldType::Vector(now)) => (before, now),
            _ => return TypeChange { pair: None, effect: None },
        };
        let mut change = self.compare(before, now);
        if let (Form::Scalar(before), Form::Scalar(now)) = (form(self.old, before), form(self.new, now))
            && before.width() != now.width()
            && let Some(effect) = &mut change.effect
        {
            let (stored, read) = (3 * u32::from(before.width()), 3 * u32::from(now.width()));
            effect.why = "the elements have a different size".to_owned();
            effect.example = format!("a new reader reads {read} bytes for 3 old elements, which have {stored} bytes");
        }
        change
    }
}

fn is_bytes(ty: &FieldType) -> bool {
    matches!(ty, FieldType::Vector(element) if matches!(**element, FieldType::Scalar(scalar) if scalar.width() == 1))
}

fn other_name() -> Effect {
    let why = "files do not contain type names; check that the meaning is the same";
    Effect::new(Breaks::SOURCE, why, "both sides read the same value")
}

/// Compares two enums with the same underlying type.
fn enums(old: &Enum, new: &Enum) -> Option<Effect> {
    let names: BTreeMap<i128, &str> = new.values.iter().map(|(name, number)| (*number, &*name.value)).collect();
    let mut lost = None;
    for (name, number) in &old.values {
        match names.get(number) {
            Some(now) if **now != *name.value => {
                let example = format!("a new reader reads `{}` of an old file as `{now}`", name.value);
                return Some(Effect::new(Breaks::BOTH, "a file contains the number, not the name", example));
            }
            Some(_) => {}
            None => lost = lost.or(Some(number)),
        }
    }
    Some(match lost {
        Some(number) => Effect::new(
            Breaks::NEW_READERS.and(Breaks::SOURCE),
            "old files can contain the number",
            format!("a new reader does not know the number {number} of an old file"),
        ),
        None => other_name(),
    })
}

pub(super) fn scalars(old: Scalar, new: Scalar) -> Option<Effect> {
    if old == new {
        return None;
    }
    if old.width() != new.width() {
        let (narrow, wide) = if old.width() < new.width() { (old, new) } else { (new, old) };
        let reader = if old == narrow { "an old" } else { "a new" };
        let example = if let (Some(_), Some(_)) = (narrow.range(), wide.range()) {
            let value = (1_i128 << (8 * narrow.width())) + 1;
            format!("{reader} reader reads the {wide} {value} as 1")
        } else {
            format!("{reader} reader reads {} of the {} bytes", narrow.width(), wide.width())
        };
        let why = format!("old files store {} bytes, and new files store {} bytes", old.width(), new.width());
        return Some(Effect::new(Breaks::BOTH, why, example));
    }
    Some(match (old, new) {
        (Scalar::Bool, _) | (_, Scalar::Bool) => {
            let (breaks, reader) = stricter(old == Scalar::Bool);
            let why = format!("{reader} reader expects 0 or 1");
            Effect::new(breaks, why, format!("{reader} reader reads the number 2 as a bool"))
        }
        (Scalar::Float(width), _) | (_, Scalar::Float(width)) => {
            let reader = if let Scalar::Float(_) = old { "a new" } else { "an old" };
            let bits = if width == 4 { 1_f32.to_bits().into() } else { 1_f64.to_bits() };
            let why = "the bytes of a floating-point number represent a different integer";
            Effect::new(Breaks::BOTH, why, format!("{reader} reader reads 1.0 as {bits}"))
        }
        _ => {
            let largest = old.range().into_iter().chain(new.range()).map(|(_, largest)| largest).max().unwrap_or(0);
            let reader = if let Scalar::Signed(_) = old { "an old" } else { "a new" };
            let why = "only one of the types has a sign bit";
            Effect::new(Breaks::BOTH, why, format!("{reader} reader reads {largest} as -1"))
        }
    })
}

/// What breaks if one type is stricter (the old one if `is_old` is set), and the words for this type's readers.
const fn stricter(is_old: bool) -> (Breaks, &'static str) {
    if is_old {
        (Breaks::OLD_READERS.and(Breaks::SOURCE), "an old")
    } else {
        (Breaks::NEW_READERS.and(Breaks::SOURCE), "a new")
    }
}
