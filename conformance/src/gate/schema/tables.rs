//! Compares the fields of two tables by their slots.

use std::collections::BTreeMap;

use super::compare::SchemaWalk;
use super::difference::{Breaks, DifferenceKind, Effect};
use super::model::{DefaultValue, Field};

pub(super) const FIELD_RENAMED: &str = "files do not contain field names; check that the meaning is the same";

struct Tables<'a> {
    name: &'a str,
    old: Index<'a>,
    new: Index<'a>,
}

impl<'a> Tables<'a> {
    fn occupants(&self, old: &Field) -> impl Iterator<Item = (u32, &'a Field)> {
        self.old.slots(old).filter_map(|slot| Some((slot, *self.new.by_slot.get(&slot)?)))
    }
}

struct Index<'a> {
    by_slot: BTreeMap<u32, &'a Field>,
    by_name: BTreeMap<&'a str, &'a Field>,
}

impl<'a> Index<'a> {
    /// The fields by name and by slot. A union field takes two slots.
    fn new(fields: &'a [Field], is_union: impl Fn(&Field) -> bool) -> Self {
        let mut by_slot: BTreeMap<u32, &Field> = fields.iter().map(|field| (field.slot, field)).collect();
        for field in fields.iter().filter(|field| is_union(field)) {
            by_slot.insert(field.slot - 1, field);
        }
        Self { by_slot, by_name: fields.iter().map(|field| (&*field.name, field)).collect() }
    }

    /// The tag of a union comes before its value.
    fn slots(&self, field: &Field) -> impl Iterator<Item = u32> {
        let before = field.slot.checked_sub(1);
        let tag = before.filter(|slot| self.by_slot.get(slot).is_some_and(|found| found.name == field.name));
        tag.into_iter().chain([field.slot])
    }
}

impl SchemaWalk<'_> {
    pub(super) fn tables(&mut self, [name, new_name]: [&str; 2], old: &[Field], new: &[Field]) {
        let tables = Tables {
            name,
            old: Index::new(old, |field| self.types.is_union(&field.ty, true)),
            new: Index::new(new, |field| self.types.is_union(&field.ty, false)),
        };
        for field in old {
            self.old_field(&tables, field);
        }
        for field in new.iter().filter(|field| !tables.old.by_name.contains_key(&*field.name)) {
            // A new field in an occupied slot is part of the old field's difference.
            if !tables.new.slots(field).any(|slot| tables.old.by_slot.contains_key(&slot)) {
                self.added(new_name, field);
            }
        }
    }

    fn old_field(&mut self, tables: &Tables<'_>, field: &Field) {
        if let Some(moved) = tables.new.by_name.get(&*field.name) {
            if moved.slot == field.slot {
                return self.same_field(tables.name, field, moved);
            }
            // A moved field's old and new types can be two versions of one type, so compare them too.
            let change = self.types.compare(&field.ty, &moved.ty);
            self.pair(change.pair);
            let reads =
                tables.occupants(field).map(|(slot, now)| format!("{} as {}", part(now, slot), part(field, slot)));
            let reads = reads.collect::<Vec<_>>().join(", and ");
            let example = if reads.is_empty() {
                format!("an old reader reads the default of `{}` from a new file", field.name)
            } else {
                format!("an old reader of a new file reads {reads}")
            };
            let change = format!("slot {} -> {}", field.slot, moved.slot);
            let effect = Effect::new(Breaks::BOTH, "a reader finds a value by its slot", example);
            return self.field(DifferenceKind::FieldMoved, tables.name, (Some(field), Some(moved)), change, effect);
        }
        if let Some(now) = tables.new.by_slot.get(&field.slot)
            && now.slot == field.slot
            && !tables.old.by_name.contains_key(&*now.name)
            // If only the old field is deprecated, the new one is a different field that reuses the slot.
            && (now.deprecated || !field.deprecated)
            && self.types.compare(&field.ty, &now.ty).effect.is_none_or(|effect| !effect.breaks.readers())
        {
            let example = format!("an old reader reads `{}` as `{}`", now.name, field.name);
            let change = format!("name {} -> {}", field.name, now.name);
            let effect = Effect::new(Breaks::SOURCE, FIELD_RENAMED, example);
            self.field(DifferenceKind::FieldRenamed, tables.name, (Some(field), Some(now)), change, effect);
            return self.same_field(tables.name, field, now);
        }
        // One new union can occupy both slots of an old union.
        let occupants: BTreeMap<&str, (u32, &Field)> =
            tables.occupants(field).map(|found| (&*found.1.name, found)).collect();
        if occupants.is_empty() {
            return self.removed(tables.name, field);
        }
        for (slot, now) in occupants.into_values() {
            let (new_part, old_part) = (part(now, slot), part(field, slot));
            let example = format!("an old reader reads {new_part} ({}) as {old_part} ({})", now.ty, field.ty);
            let change = format!("slot {slot} now belongs to `{}`", now.name);
            let effect = Effect::new(Breaks::BOTH, "a reader finds a value by its slot", example);
            self.field(DifferenceKind::FieldReplaced, tables.name, (Some(field), Some(now)), change, effect);
        }
    }

    fn removed(&mut self, table: &str, field: &Field) {
        let (breaks, why) = if field.is_needed() {
            (Breaks::BOTH, "new readers ignore the value, old readers require it, and a later field can reuse the slot")
        } else if field.key {
            (
                Breaks::BOTH,
                "new readers ignore the value, old readers search by it, and a later field can reuse the slot",
            )
        } else {
            let why = "new readers ignore the value, and a later field can reuse the slot; keep the field and mark it `deprecated`";
            (Breaks::NEW_READERS.and(Breaks::SOURCE), why)
        };
        let example = format!("a new reader ignores the stored `{}` of an old file", field.name);
        let change = format!("field removed from slot {}", field.slot);
        let effect = Effect::new(breaks, why, example);
        self.field(DifferenceKind::FieldRemoved, table, (Some(field), None), change, effect);
    }

    fn added(&mut self, table: &str, field: &Field) {
        let name = &field.name;
        let effect = if field.is_needed() {
            let why = "old files lack a field that new readers require";
            let example = format!("a new reader rejects an old file, which has no `{name}`");
            Effect::new(Breaks::NEW_READERS, why, example)
        } else if field.key {
            let why = "a binary search by the key needs a vector that is sorted by the key";
            let example = format!("a new reader of an old file finds no element by `{name}`");
            Effect::new(Breaks::NEW_READERS, why, example)
        } else {
            let why = "old readers ignore the field, and new readers find it absent in old files";
            Effect::new(Breaks::NOTHING, why, format!("a new reader of an old file reads {}", absent(field)))
        };
        let change = format!("{} added in slot {}", field.ty, field.slot);
        self.field(DifferenceKind::FieldAdded, table, (None, Some(field)), change, effect);
    }

    fn same_field(&mut self, table: &str, old: &Field, new: &Field) {
        let both = (Some(old), Some(new));
        let change = self.types.compare(&old.ty, &new.ty);
        self.pair(change.pair);
        let retyped = change.effect.as_ref().is_some_and(|effect| effect.breaks.readers());
        if let Some(effect) = change.effect {
            let change = format!("type {} -> {}", old.ty, new.ty);
            self.field(DifferenceKind::FieldType, table, both, change, effect);
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
            self.field(DifferenceKind::FieldDefault, table, both, change, Effect::new(Breaks::BOTH, why, example));
        }
        self.flags(table, old, new);
        self.alignment(table, old, new);
        self.content(table, old, new);
    }

    fn flags(&mut self, table: &str, old: &Field, new: &Field) {
        let both = (Some(old), Some(new));
        let name = &new.name;
        let (needs, rejected) = match (old.is_needed(), new.is_needed()) {
            (false, true) => (Breaks::NEW_READERS, Some(format!("a new reader rejects an old file without `{name}`"))),
            (true, false) => (Breaks::OLD_READERS, Some(format!("an old reader rejects a new file without `{name}`"))),
            _ => (Breaks::NOTHING, None),
        };
        let breaks = needs.and(Breaks::SOURCE);
        if old.required != new.required {
            let why = "a reader rejects a table without a required field";
            let example = rejected.clone().unwrap_or_else(|| "both sides read the same tables".to_owned());
            let effect = Effect::new(breaks, why, example);
            self.field(DifferenceKind::FieldRequired, table, both, changed("required", new.required), effect);
        }
        if old.deprecated != new.deprecated {
            let why = if rejected.is_some() {
                "writers omit a deprecated field, and readers of the other schema require it"
            } else {
                "the slot stays the same, and only generated code changes"
            };
            let other = if new.deprecated {
                "generated code of the new schema has no access to the field"
            } else {
                "a new reader finds no value in files that were written while the field was deprecated"
            };
            let effect = Effect::new(breaks, why, rejected.unwrap_or_else(|| other.to_owned()));
            self.field(DifferenceKind::FieldDeprecated, table, both, changed("deprecated", new.deprecated), effect);
        }
        if old.key != new.key {
            let effect = key_change(new.key);
            let effect = Effect { breaks: effect.breaks.and(needs), ..effect };
            self.field(DifferenceKind::FieldKey, table, both, changed("key", new.key), effect);
        }
    }

    fn content(&mut self, table: &str, old: &Field, new: &Field) {
        let both = (Some(old), Some(new));
        for (name, before, now) in [("offset64", old.offset64, new.offset64), ("vector64", old.vector64, new.vector64)]
        {
            if before != now {
                let reader = if now { "an old" } else { "a new" };
                let example = format!("{reader} reader reads 4 of the 8 bytes");
                let why = "the attribute changes the size of the offset or of the length from 4 to 8 bytes";
                let effect = Effect::new(Breaks::BOTH, why, example);
                self.field(DifferenceKind::FieldEncoding, table, both, changed(name, now), effect);
            }
        }
        if old.flexbuffer != new.flexbuffer {
            let effect = format_change("a FlexBuffer", new.flexbuffer);
            self.field(DifferenceKind::FieldEncoding, table, both, changed("flexbuffer", new.flexbuffer), effect);
        }
        let effect = match (&old.nested, &new.nested) {
            (Some(before), Some(now)) if self.types.can_pair(before, now) => {
                return self.pair(Some((before.clone(), now.clone())));
            }
            (Some(before), Some(now)) => Effect::new(
                Breaks::BOTH,
                "the attribute names the root table of the bytes",
                format!("an old reader reads the bytes of a {now} as a {before}"),
            ),
            (None, None) => return,
            (Some(root), None) | (None, Some(root)) => format_change(&format!("a {root}"), new.nested.is_some()),
        };
        let name = |field: &Field| field.nested.as_deref().unwrap_or("none").to_owned();
        let change = format!("nested_flatbuffer {} -> {}", name(old), name(new));
        self.field(DifferenceKind::FieldNested, table, both, change, effect);
    }

    fn alignment(&mut self, table: &str, old: &Field, new: &Field) {
        let align = |field: &Field| field.force_align.unwrap_or(1).max(field.natural_align);
        let (before, now) = (align(old), align(new));
        if before == now || old.force_align.is_none() && new.force_align.is_none() {
            return;
        }
        let (breaks, side) = needs_more(now > before);
        let (low, high) = (before.min(now), before.max(now));
        let why = "a reader that uses the bytes in place relies on their alignment";
        let example = format!("{side} needs a multiple of {high}, and the data can be at any multiple of {low}");
        let change = format!("alignment {before} -> {now}");
        let effect = Effect::new(breaks, why, example);
        self.field(DifferenceKind::FieldAlignment, table, (Some(old), Some(new)), change, effect);
    }

    fn field(
        &mut self,
        kind: DifferenceKind,
        table: &str,
        (old, new): (Option<&Field>, Option<&Field>),
        change: String,
        effect: Effect,
    ) {
        let name = old.or(new).map_or("", |field| &field.name);
        let places = (old.map(|field| field.place), new.map(|field| field.place));
        self.push(kind, format!("{table}.{name}"), places, change, effect);
    }
}

/// What breaks if one side's readers need more, and the words for these readers and the file that they read.
const fn needs_more(is_new: bool) -> (Breaks, &'static str) {
    if is_new {
        (Breaks::NEW_READERS, "a new reader of an old file")
    } else {
        (Breaks::OLD_READERS, "an old reader of a new file")
    }
}

/// Returns text such as `key added`.
pub(super) fn changed(attribute: &str, is_added: bool) -> String {
    format!("{attribute} {}", if is_added { "added" } else { "removed" })
}

pub(super) fn key_change(is_added: bool) -> Effect {
    let (breaks, side) = needs_more(is_added);
    let why = "a binary search by the key needs a sorted vector";
    let example = format!("{side} does not find an element of an unsorted vector");
    Effect::new(breaks.and(Breaks::SOURCE), why, example)
}

fn format_change(format: &str, is_added: bool) -> Effect {
    let (breaks, side) = needs_more(is_added);
    let why = "without the attribute, a writer can store other bytes";
    Effect::new(breaks.and(Breaks::SOURCE), why, format!("{side} verifies the bytes as {format}"))
}

fn part(field: &Field, slot: u32) -> String {
    let tag = if slot == field.slot { "" } else { "the tag of the union " };
    format!("{tag}`{}`", field.name)
}

fn absent(field: &Field) -> String {
    match &field.default {
        DefaultValue::None => format!("no `{}`", field.name),
        default => format!("`{}` = {default}", field.name),
    }
}
