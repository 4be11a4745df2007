//! Compares the fields of two tables by their slots.

use std::collections::BTreeMap;

use super::compare::SchemaWalk;
use super::difference::{Breaks, Difference, DifferenceKind};
use super::model::{DefaultValue, Field};
use super::types;

/// Two versions of a table.
struct Tables<'a> {
    name: &'a str,
    old: Index<'a>,
    new: Index<'a>,
}

struct Index<'a> {
    by_slot: BTreeMap<u32, &'a Field>,
    by_name: BTreeMap<&'a str, &'a Field>,
}

impl<'a> Index<'a> {
    /// Indexes fields by name and by each slot that they use.
    fn new(fields: &'a [Field], is_union: impl Fn(&Field) -> bool) -> Self {
        let mut by_slot: BTreeMap<u32, &Field> = fields.iter().map(|field| (field.slot, field)).collect();
        for field in fields.iter().filter(|field| is_union(field)) {
            by_slot.insert(field.slot - 1, field);
        }
        Self { by_slot, by_name: fields.iter().map(|field| (&*field.name, field)).collect() }
    }
}

impl SchemaWalk<'_> {
    pub(super) fn tables(&mut self, name: &str, old: &[Field], new: &[Field]) {
        let (old_schema, new_schema) = (self.old, self.new);
        let tables = Tables {
            name,
            old: Index::new(old, |field| types::is_union(old_schema, &field.ty)),
            new: Index::new(new, |field| types::is_union(new_schema, &field.ty)),
        };
        for field in old {
            self.old_field(&tables, field);
        }
        for field in new.iter().filter(|field| !tables.old.by_slot.contains_key(&field.slot)) {
            if !tables.old.by_name.contains_key(&*field.name) {
                self.added(&tables, field);
            }
        }
    }

    fn old_field(&mut self, tables: &Tables<'_>, field: &Field) {
        if let Some(moved) = tables.new.by_name.get(&*field.name) {
            if moved.slot == field.slot {
                return self.same_field(tables, field, moved);
            }
            // Compare the types of a moved field too, if they can be versions of one type.
            types::compare((self.old, &field.ty), (self.new, &moved.ty), &mut |before, now| self.pair(before, now));
            let reader = match tables.new.by_slot.get(&field.slot) {
                Some(now) => format!("an old reader reads `{}` of a new file as `{}`", now.name, field.name),
                None => format!("an old reader reads the default of `{}` from a new file", field.name),
            };
            let why = "a reader finds a value by its slot";
            let change = format!("slot {} -> {}", field.slot, moved.slot);
            return self.field(
                DifferenceKind::FieldMoved,
                tables,
                (Some(field), Some(moved)),
                Breaks::BOTH,
                change,
                why,
                reader,
            );
        }
        let Some(now) = tables.new.by_slot.get(&field.slot) else {
            let breaks = if field.required { Breaks::BOTH } else { Breaks { source: true, ..Breaks::NEW_READERS } };
            let why = if field.required {
                "new readers ignore the value, old readers require it, and a later field can reuse the slot"
            } else {
                "new readers ignore the value, and a later field can reuse the slot; keep the field and mark it `deprecated`"
            };
            let example = format!("a new reader finds no `{}` in an old file", field.name);
            let change = format!("field removed from slot {}", field.slot);
            return self.field(DifferenceKind::FieldRemoved, tables, (Some(field), None), breaks, change, why, example);
        };
        let renamed = now.slot == field.slot && !tables.old.by_name.contains_key(&*now.name);
        let comparable = renamed && {
            let (old, new) = ((self.old, &field.ty), (self.new, &now.ty));
            types::compare(old, new, &mut |_, _| {}).is_none_or(|effect| !effect.breaks.readers())
        };
        if comparable {
            let why = "a file does not contain the names of fields; check that the meaning is the same";
            let example = format!("an old reader reads `{}` as `{}`", now.name, field.name);
            let change = format!("name {} -> {}", field.name, now.name);
            self.field(
                DifferenceKind::FieldRenamed,
                tables,
                (Some(field), Some(now)),
                Breaks::SOURCE,
                change,
                why,
                example,
            );
            return self.same_field(tables, field, now);
        }
        let why = "a reader finds a value by its slot";
        let example = format!("an old reader reads `{}` ({}) as `{}` ({})", now.name, now.ty, field.name, field.ty);
        let change = format!("slot {} now belongs to `{}`", field.slot, now.name);
        self.field(DifferenceKind::FieldReplaced, tables, (Some(field), Some(now)), Breaks::BOTH, change, why, example);
    }

    fn added(&mut self, tables: &Tables<'_>, field: &Field) {
        let (breaks, why, example) = if field.required {
            let why = "old files lack a field that new readers require";
            (Breaks::NEW_READERS, why, format!("a new reader rejects an old file, which has no `{}`", field.name))
        } else {
            let why = "old readers ignore the field, and new readers find it absent in old files";
            (Breaks::NOTHING, why, format!("a new reader of an old file reads {}", absent(field)))
        };
        let change = format!("{} added in slot {}", field.ty, field.slot);
        self.field(DifferenceKind::FieldAdded, tables, (None, Some(field)), breaks, change, why, example);
    }

    /// Compares two versions of a field in the same slot.
    fn same_field(&mut self, tables: &Tables<'_>, old: &Field, new: &Field) {
        let both = (Some(old), Some(new));
        let mut pairs = Vec::new();
        let effect = types::compare((self.old, &old.ty), (self.new, &new.ty), &mut |before, now| {
            pairs.push((before.to_owned(), now.to_owned()));
        });
        for (before, now) in pairs {
            self.pair(&before, &now);
        }
        let retyped = effect.as_ref().is_some_and(|effect| effect.breaks.readers());
        if let Some(effect) = effect {
            let change = format!("type {} -> {}", old.ty, new.ty);
            self.field(DifferenceKind::FieldType, tables, both, effect.breaks, change, &effect.why, effect.example);
        }
        if old.default != new.default && !retyped {
            let readers = if let (DefaultValue::Text(_), _) | (_, DefaultValue::Text(_)) = (&old.default, &new.default)
            {
                "an absent string or vector"
            } else {
                "a number that equals the default"
            };
            let why = format!("writers do not store {readers}, so each reader returns its own default");
            let example = format!(
                "for an absent field, an old reader reads {}, and a new reader reads {}",
                old.default, new.default
            );
            let change = format!("default {} -> {}", old.default, new.default);
            self.field(DifferenceKind::FieldDefault, tables, both, Breaks::BOTH, change, &why, example);
        }
        if old.required != new.required {
            let (breaks, side, change) = if new.required {
                (Breaks { source: true, ..Breaks::NEW_READERS }, "a new reader rejects an old file", "required added")
            } else {
                (Breaks { source: true, ..Breaks::OLD_READERS }, "an old reader rejects a new file", "required removed")
            };
            let why = "a reader rejects a table without a required field";
            let example = format!("{side} without `{}`", new.name);
            self.field(DifferenceKind::FieldRequired, tables, both, breaks, change.to_owned(), why, example);
        }
        if old.deprecated != new.deprecated {
            let (change, example) = if new.deprecated {
                ("deprecated added", "generated code of the new schema has no access to the field")
            } else {
                ("deprecated removed", "a new reader finds no value in files that were written meanwhile")
            };
            let why = "the slot stays the same, and only generated code changes";
            self.field(
                DifferenceKind::FieldDeprecated,
                tables,
                both,
                Breaks::SOURCE,
                change.to_owned(),
                why,
                example.to_owned(),
            );
        }
        if old.key != new.key {
            let (breaks, change, side) = if new.key {
                (Breaks { source: true, ..Breaks::NEW_READERS }, "key added", "a new reader of an old file")
            } else {
                (Breaks { source: true, ..Breaks::OLD_READERS }, "key removed", "an old reader of a new file")
            };
            let why = "a binary search by the key needs a sorted vector";
            let example = format!("{side} does not find an element of an unsorted vector");
            self.field(DifferenceKind::FieldKey, tables, both, breaks, change.to_owned(), why, example);
        }
        self.alignment(tables, old, new);
        self.nested(tables, old, new);
    }

    fn nested(&mut self, tables: &Tables<'_>, old: &Field, new: &Field) {
        let same = match (&old.nested, &new.nested) {
            (Some(before), Some(now)) if before == now || types::renamed((self.old, before), (self.new, now)) => {
                return self.pair(before, now);
            }
            (Some(_), Some(_)) => false,
            (None, None) => return,
            _ => true,
        };
        let name = |field: &Field| field.nested.clone().unwrap_or_else(|| "none".to_owned());
        let change = format!("nested_flatbuffer {} -> {}", name(old), name(new));
        let (breaks, example) = if same {
            (Breaks::SOURCE, "both sides read the same bytes".to_owned())
        } else {
            (Breaks::BOTH, format!("an old reader reads the bytes of a {} as a {}", name(new), name(old)))
        };
        let why = "the attribute states the root table of the bytes";
        self.field(DifferenceKind::FieldNested, tables, (Some(old), Some(new)), breaks, change, why, example);
    }

    fn alignment(&mut self, tables: &Tables<'_>, old: &Field, new: &Field) {
        let (before, now) = (old.force_align.unwrap_or(1), new.force_align.unwrap_or(1));
        if before == now {
            return;
        }
        let (breaks, side) = if now > before {
            (Breaks::NEW_READERS, "a new reader of an old file")
        } else {
            (Breaks::OLD_READERS, "an old reader of a new file")
        };
        let (low, high) = (before.min(now), before.max(now));
        let why = "a reader that uses the bytes in place relies on their alignment";
        let example = format!("{side} needs a multiple of {high}, and the data can be at any multiple of {low}");
        let change = format!("force_align {before} -> {now}");
        self.field(DifferenceKind::FieldAlignment, tables, (Some(old), Some(new)), breaks, change, why, example);
    }

    #[expect(clippy::too_many_arguments, reason = "the arguments are the members of a difference")]
    fn field(
        &mut self,
        kind: DifferenceKind,
        tables: &Tables<'_>,
        (old, new): (Option<&Field>, Option<&Field>),
        breaks: Breaks,
        change: String,
        why: &str,
        example: String,
    ) {
        let name = old.or(new).map_or("", |field| &field.name);
        self.differences.push(Difference {
            kind,
            subject: format!("{}.{name}", tables.name),
            change,
            breaks,
            why: why.to_owned(),
            example,
            old: old.map(|field| field.place),
            new: new.map(|field| field.place),
        });
    }
}

/// Returns what a reader reads from a table without the field.
fn absent(field: &Field) -> String {
    match &field.default {
        DefaultValue::None => format!("no `{}`", field.name),
        default => format!("`{}` = {default}", field.name),
    }
}
