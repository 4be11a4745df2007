//! Differences between schemas, and what each one breaks.

use std::fmt;

use serde::Serialize;

use super::error::Place;
use crate::gate::kinds::kinds;

/// What a difference breaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Breaks {
    /// Readers of the old schema misread or reject files of the new schema.
    pub old_readers: bool,
    /// Readers of the new schema misread or reject files of the old schema.
    pub new_readers: bool,
    /// Source code that uses the generated code no longer compiles, or its meaning changes.
    pub source: bool,
}

impl Breaks {
    pub(super) const NOTHING: Self = Self { old_readers: false, new_readers: false, source: false };
    pub(super) const SOURCE: Self = Self { source: true, ..Self::NOTHING };
    pub(super) const OLD_READERS: Self = Self { old_readers: true, ..Self::NOTHING };
    pub(super) const NEW_READERS: Self = Self { new_readers: true, ..Self::NOTHING };
    pub(super) const BOTH: Self = Self { old_readers: true, new_readers: true, source: true };

    pub const fn readers(self) -> bool {
        self.old_readers || self.new_readers
    }

    pub(super) const fn and(self, other: Self) -> Self {
        Self {
            old_readers: self.old_readers || other.old_readers,
            new_readers: self.new_readers || other.new_readers,
            source: self.source || other.source,
        }
    }

    pub(super) const fn severity(self) -> u8 {
        self.old_readers as u8 * 2 + self.new_readers as u8 * 2 + self.source as u8
    }
}

impl fmt::Display for Breaks {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match (self.old_readers, self.new_readers, self.source) {
            (true, true, _) => "old readers on new files, new readers on old files",
            (true, false, _) => "old readers on new files",
            (false, true, _) => "new readers on old files",
            (false, false, true) => "source code only",
            (false, false, false) => "nothing",
        })
    }
}

#[derive(Clone, Debug)]
pub(super) struct Effect {
    pub(super) breaks: Breaks,
    pub(super) why: String,
    pub(super) example: String,
}

impl Effect {
    pub(super) fn new(breaks: Breaks, why: impl Into<String>, example: impl Into<String>) -> Self {
        Self { breaks, why: why.into(), example: example.into() }
    }
}

kinds! {
    /// A kind of difference.
    DifferenceKind:
    FileIdentifier "file-identifier" "The file identifier was added, removed or changed.",
    FileExtension "file-extension" "The file extension changed.",
    RootType "root-type" "The root is a different table, or was removed.",
    TypeAdded "type-added" "A type was added.",
    TypeRemoved "type-removed" "A type was removed.",
    TypeRenamed "type-renamed" "A type was renamed or moved to another namespace.",
    TypeKind "type-kind" "A type changed its kind, for example from struct to table.",
    FieldAdded "field-added" "A field was added in an unused slot.",
    FieldRemoved "field-removed" "A field was removed, and its slot is now unused.",
    FieldRenamed "field-renamed" "A field was renamed, but kept its slot.",
    FieldMoved "field-moved" "A field moved to another slot.",
    FieldReplaced "field-replaced" "A field's slot now belongs to another field.",
    FieldType "field-type" "A field's type changed.",
    FieldDefault "field-default" "A field's default changed.",
    FieldRequired "field-required" "The attribute `required` was added or removed.",
    FieldDeprecated "field-deprecated" "The attribute `deprecated` was added or removed.",
    FieldKey "field-key" "The attribute `key` was added or removed.",
    FieldAlignment "field-alignment" "The attribute `force_align` changed.",
    FieldNested "field-nested" "The attribute `nested_flatbuffer` was added or removed, or names another table.",
    FieldEncoding "field-encoding" "The attribute `offset64`, `vector64` or `flexbuffer` was added or removed.",
    StructLayout "struct-layout" "A struct's size, alignment or field offsets changed.",
    StructFieldRenamed "struct-field-renamed" "A struct field was renamed.",
    EnumType "enum-type" "An enum's underlying type changed.",
    EnumValueAdded "enum-value-added" "An enum value was added.",
    EnumValueRemoved "enum-value-removed" "An enum value was removed.",
    EnumValueRenamed "enum-value-renamed" "An enum value was renamed.",
    EnumValueNumber "enum-value-number" "An enum value's number changed.",
    UnionType "union-type" "The type of a union's tag changed.",
    UnionMemberAdded "union-member-added" "A union member was added.",
    UnionMemberRemoved "union-member-removed" "A union member was removed.",
    UnionMemberRenamed "union-member-renamed" "A union member was renamed.",
    UnionMemberMoved "union-member-moved" "A union member's tag changed.",
    UnionMemberType "union-member-type" "A union member's type changed, but not its tag.",
}

/// A difference between two schemas.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Difference {
    /// The kind.
    pub kind: DifferenceKind,
    /// The name of the type, field or value: the new one for an addition, otherwise the old one.
    pub subject: String,
    /// The change, such as `type int8 -> int32`.
    pub change: String,
    /// What the change breaks.
    pub breaks: Breaks,
    /// The reason.
    pub why: String,
    /// An example in one line, such as the value that an old reader reads from a new file.
    pub example: String,
    #[serde(skip)]
    pub old: Option<Place>,
    #[serde(skip)]
    pub new: Option<Place>,
}
