//! What the change of a field's type breaks.

use super::difference::Breaks;
use super::model::{Content, FieldType, Scalar, Schema};

/// The effect of a change of type: what breaks, why, and an example.
pub(super) struct TypeEffect {
    pub(super) breaks: Breaks,
    pub(super) why: String,
    pub(super) example: String,
}

impl TypeEffect {
    fn new(breaks: Breaks, why: impl Into<String>, example: impl Into<String>) -> Self {
        Self { breaks, why: why.into(), example: example.into() }
    }

    fn source_only(why: &str) -> Self {
        Self::new(Breaks::SOURCE, why, "both sides read the same value")
    }
}

/// The form of a value in a file.
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

/// Returns whether `before` can be the old name of the type `now`: each name exists in one schema only.
pub(super) fn renamed((old, before): (&Schema, &str), (new, now): (&Schema, &str)) -> bool {
    !new.types.contains_key(before) && !old.types.contains_key(now)
}

/// Compares the types of a field, and calls `pair` with each pair of named types that must be compared.
///
/// Returns `None` if the types are the same, or if their names are the only difference.
pub(super) fn compare(
    (old_schema, old): (&Schema, &FieldType),
    (new_schema, new): (&Schema, &FieldType),
    pair: &mut dyn FnMut(&str, &str),
) -> Option<TypeEffect> {
    if let (FieldType::Named(before), FieldType::Named(now)) = (old, new) {
        let same_kind = old_schema.types[before].content.noun() == new_schema.types[now].content.noun();
        if before == now || renamed((old_schema, before), (new_schema, now)) && same_kind {
            pair(before, now);
            return None;
        }
    }
    match (form(old_schema, old), form(new_schema, new)) {
        (Form::Scalar(before), Form::Scalar(now)) => scalars(before, now, old == new),
        (Form::Vector, Form::Vector) => vectors((old_schema, old), (new_schema, new), pair),
        (Form::Array, Form::Array) => (old != new).then(|| {
            TypeEffect::new(Breaks::BOTH, "the array has another size", format!("{old} and {new} have other sizes"))
        }),
        (Form::String, Form::String) => None,
        (Form::String, Form::Vector) if bytes(new) => Some(TypeEffect::new(
            Breaks::OLD_READERS,
            "a vector has no NUL terminator, which a string needs",
            "an old reader rejects the vector [1, 2, 3], or reads past its end",
        )),
        (Form::Vector, Form::String) if bytes(old) => Some(TypeEffect::new(
            Breaks::NEW_READERS,
            "a vector has no NUL terminator, which a string needs",
            "a new reader rejects the vector [1, 2, 3], or reads past its end",
        )),
        (before, now) if before == now => Some(TypeEffect::new(
            Breaks::BOTH,
            format!("{old} and {new} are different types"),
            format!("a reader reads the fields of {old} as those of {new}"),
        )),
        (before, now) => Some(TypeEffect::new(
            Breaks::BOTH,
            format!("the slot has {} in old files and {} in new files", before.in_words(), now.in_words()),
            format!("an old reader uses {} as {}", now.in_words(), before.in_words()),
        )),
    }
}

fn bytes(ty: &FieldType) -> bool {
    matches!(ty, FieldType::Vector(element) if matches!(**element, FieldType::Scalar(scalar) if scalar.width() == 1))
}

fn vectors(
    (old_schema, old): (&Schema, &FieldType),
    (new_schema, new): (&Schema, &FieldType),
    pair: &mut dyn FnMut(&str, &str),
) -> Option<TypeEffect> {
    let (FieldType::Vector(before), FieldType::Vector(now)) = (old, new) else { return None };
    let mut effect = compare((old_schema, before), (new_schema, now), pair)?;
    if let (Form::Scalar(before), Form::Scalar(now)) = (form(old_schema, before), form(new_schema, now))
        && before.width() != now.width()
    {
        let (stored, read) = (3 * u32::from(before.width()), 3 * u32::from(now.width()));
        effect.why = "the elements have another size".to_owned();
        effect.example =
            format!("a new reader reads {read} bytes of an old vector with 3 elements, which has {stored} bytes");
    }
    Some(effect)
}

/// Returns the effect of another scalar type. `same` states whether the schemas write the type in the same way.
pub(super) fn scalars(old: Scalar, new: Scalar, same: bool) -> Option<TypeEffect> {
    if old == new {
        return (!same).then(|| TypeEffect::source_only("the name of the type is not part of a file"));
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
        return Some(TypeEffect::new(Breaks::BOTH, why, example));
    }
    Some(match (old, new) {
        (Scalar::Bool, _) => TypeEffect::new(
            Breaks { source: true, ..Breaks::OLD_READERS },
            "an old reader expects 0 or 1",
            "an old reader reads the number 2 as a bool",
        ),
        (_, Scalar::Bool) => TypeEffect::new(
            Breaks { source: true, ..Breaks::NEW_READERS },
            "a new reader expects 0 or 1",
            "a new reader reads the number 2 as a bool",
        ),
        (Scalar::Float(4), _) => {
            TypeEffect::new(Breaks::BOTH, FLOAT, format!("a new reader reads 1.0 as {}", 1_f32.to_bits()))
        }
        (_, Scalar::Float(4)) => {
            TypeEffect::new(Breaks::BOTH, FLOAT, format!("an old reader reads 1.0 as {}", 1_f32.to_bits()))
        }
        (Scalar::Float(_), _) => {
            TypeEffect::new(Breaks::BOTH, FLOAT, format!("a new reader reads 1.0 as {}", 1_f64.to_bits()))
        }
        (_, Scalar::Float(_)) => {
            TypeEffect::new(Breaks::BOTH, FLOAT, format!("an old reader reads 1.0 as {}", 1_f64.to_bits()))
        }
        _ => {
            let largest = old.range().into_iter().chain(new.range()).map(|(_, largest)| largest).max().unwrap_or(0);
            let reader = if let Scalar::Signed(_) = old { "an old" } else { "a new" };
            let why = "the first bit is a sign in one type only";
            TypeEffect::new(Breaks::BOTH, why, format!("{reader} reader reads {largest} as -1"))
        }
    })
}

const FLOAT: &str = "the bytes of a floating-point number are another integer";

/// Returns whether a field of this type has two slots.
pub(super) fn is_union(schema: &Schema, ty: &FieldType) -> bool {
    match ty {
        FieldType::Vector(element) => is_union(schema, element),
        ty => form(schema, ty) == Form::Union,
    }
}
