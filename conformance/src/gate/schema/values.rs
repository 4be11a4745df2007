//! Compares enums, unions and structs.

use std::collections::{BTreeMap, BTreeSet};

use torchproof_harness::text::counted;

use super::compare::SchemaWalk;
use super::difference::{Breaks, DifferenceKind, Effect};
use super::error::Place;
use super::model::{Enum, Member, StructField, StructLayout, Union};
use super::tables::{FIELD_RENAMED, changed, key_change};
use super::types;

type Places = (Place, Place);

impl SchemaWalk<'_> {
    pub(super) fn enums(&mut self, [ty, new_ty]: [&str; 2], old: &Enum, new: &Enum, (old_place, new_place): Places) {
        if let Some(effect) = types::scalars(old.underlying, new.underlying) {
            let change = format!("type {} -> {}", old.underlying, new.underlying);
            self.push(DifferenceKind::EnumType, ty.to_owned(), (Some(old_place), Some(new_place)), change, effect);
        }
        let by_number = |found: &'_ Enum| -> BTreeMap<i128, (String, Place)> {
            found.values.iter().map(|(name, number)| (*number, (name.value.clone(), name.place))).collect()
        };
        let (old_numbers, new_numbers) = (by_number(old), by_number(new));
        for (name, number) in &old.values {
            let subject = format!("{ty}.{}", name.value);
            let at = Some(name.place);
            if let Some((now, place)) = new.by_name.get(&name.value) {
                if now != number {
                    let read = new_numbers
                        .get(number)
                        .map_or_else(|| "an unknown value".to_owned(), |(other, _)| format!("`{other}`"));
                    let example = format!("a new reader reads `{}` of an old file as {read}", name.value);
                    let effect = Effect::new(Breaks::BOTH, "a file contains the number, not the name", example);
                    let change = format!("number {number} -> {now}");
                    self.push(DifferenceKind::EnumValueNumber, subject, (at, Some(*place)), change, effect);
                }
                continue;
            }
            match new_numbers.get(number).filter(|(now, _)| !old.by_name.contains_key(now)) {
                Some((now, place)) => {
                    let why = "a file contains the number, not the name; check that the meaning is the same";
                    let effect = Effect::new(Breaks::SOURCE, why, format!("both sides read the number {number}"));
                    let change = format!("name {} -> {now}", name.value);
                    self.push(DifferenceKind::EnumValueRenamed, subject, (at, Some(*place)), change, effect);
                }
                None => {
                    let example = format!("a new reader does not know the number {number} of an old file");
                    let breaks = Breaks::NEW_READERS.and(Breaks::SOURCE);
                    let effect = Effect::new(breaks, "old files can contain the number", example);
                    let change = format!("value {number} removed");
                    self.push(DifferenceKind::EnumValueRemoved, subject, (at, None), change, effect);
                }
            }
        }
        for (name, number) in new.values.iter().filter(|(name, number)| {
            !old.by_name.contains_key(&name.value)
                && old_numbers.get(number).is_none_or(|(before, _)| new.by_name.contains_key(before))
        }) {
            let why = "old files do not contain the number, and a reader must expect numbers that it does not know";
            let example = format!("an old reader of a new file reads the number {number} without a name");
            let effect = Effect::new(Breaks::NOTHING, why, example);
            let subject = format!("{new_ty}.{}", name.value);
            let change = format!("value {number} added");
            self.push(DifferenceKind::EnumValueAdded, subject, (None, Some(name.place)), change, effect);
        }
    }

    pub(super) fn unions(&mut self, [ty, new_ty]: [&str; 2], old: &Union, new: &Union, (old_place, new_place): Places) {
        if let Some(effect) = types::scalars(old.tag, new.tag) {
            let change = format!("tag {} -> {}", old.tag, new.tag);
            self.push(DifferenceKind::UnionType, ty.to_owned(), (Some(old_place), Some(new_place)), change, effect);
        }
        let by_tag: BTreeMap<i128, &Member> = new.members.iter().map(|member| (member.tag, member)).collect();
        let by_name: BTreeMap<&str, &Member> = new.members.iter().map(|member| (&*member.name, member)).collect();
        for member in &old.members {
            let subject = format!("{ty}.{}", member.name);
            let at = Some(member.place);
            let same_tag = by_tag.get(&member.tag);
            if let Some(moved) = by_name.get(&*member.name).filter(|now| now.tag != member.tag) {
                let read = same_tag.map_or_else(|| "an unknown member".to_owned(), |now| format!("`{}`", now.name));
                let example = format!("a new reader reads `{}` of an old file as {read}", member.name);
                let effect = Effect::new(Breaks::BOTH, "a file contains the tag, not the name", example);
                let change = format!("tag {} -> {}", member.tag, moved.tag);
                self.push(DifferenceKind::UnionMemberMoved, subject, (at, Some(moved.place)), change, effect);
                continue;
            }
            let Some(now) = same_tag else {
                let example = format!("a new reader does not know the tag {} of an old file", member.tag);
                let breaks = Breaks::NEW_READERS.and(Breaks::SOURCE);
                let effect = Effect::new(breaks, "old files can contain the tag", example);
                let change = format!("member with tag {} removed", member.tag);
                self.push(DifferenceKind::UnionMemberRemoved, subject, (at, None), change, effect);
                continue;
            };
            let places = (at, Some(now.place));
            let change = self.types.compare(&member.ty, &now.ty);
            self.pair(change.pair);
            if let Some(effect) = change.effect {
                let change = format!("type of tag {}: {} -> {}", member.tag, member.ty, now.ty);
                self.push(DifferenceKind::UnionMemberType, subject, places, change, effect);
            } else if now.name != member.name {
                let why = "a file contains the tag, not the name; check that the meaning is the same";
                let effect = Effect::new(Breaks::SOURCE, why, "both sides read the same value");
                let change = format!("name {} -> {}", member.name, now.name);
                self.push(DifferenceKind::UnionMemberRenamed, subject, places, change, effect);
            }
        }
        let tags: BTreeSet<i128> = old.members.iter().map(|member| member.tag).collect();
        let names: BTreeSet<&str> = old.members.iter().map(|member| &*member.name).collect();
        let is_known = |now: &Member| tags.contains(&now.tag) || names.contains(&*now.name);
        for member in new.members.iter().filter(|now| !is_known(now)) {
            let why = "old files do not contain the tag, and a reader must expect tags that it does not know";
            let example = format!("an old reader of a new file finds the unknown tag {}", member.tag);
            let effect = Effect::new(Breaks::NOTHING, why, example);
            let subject = format!("{new_ty}.{}", member.name);
            let change = format!("member with tag {} added", member.tag);
            self.push(DifferenceKind::UnionMemberAdded, subject, (None, Some(member.place)), change, effect);
        }
    }

    pub(super) fn structs(&mut self, ty: &str, old: &StructLayout, new: &StructLayout, places: Places) {
        let both = (Some(places.0), Some(places.1));
        let mut changed_field = None;
        let mut source_only = Vec::new();
        for (before, now) in old.fields.iter().zip(&new.fields) {
            let change = self.types.compare(&before.ty, &now.ty);
            self.pair(change.pair);
            let readers = change.effect.as_ref().is_some_and(|effect| effect.breaks.readers());
            if before.offset != now.offset || readers {
                let (old, new) = (in_words(before), in_words(now));
                changed_field.get_or_insert_with(|| format!("an old reader expects {old}, but a new file has {new}"));
            } else if let Some(effect) = change.effect {
                source_only.push((before, now, effect));
            }
        }
        if let Some(example) = changed_field.or_else(|| other_size(old, new)) {
            let why = "a struct has no vtable, so readers rely on its size and offsets";
            let change = format!("{} -> {}", layout(old), layout(new));
            let effect = Effect::new(Breaks::BOTH, why, example);
            return self.push(DifferenceKind::StructLayout, ty.to_owned(), both, change, effect);
        }
        if old.align != new.align {
            let breaks = if new.align > old.align { Breaks::NEW_READERS } else { Breaks::OLD_READERS };
            let why = "a reader that uses the struct in place relies on its alignment";
            let example = format!("the struct can be at any multiple of {}", old.align.min(new.align));
            let change = format!("alignment {} -> {}", old.align, new.align);
            self.push(DifferenceKind::StructLayout, ty.to_owned(), both, change, Effect::new(breaks, why, example));
        }
        for (before, now, effect) in source_only {
            let change = format!("type {} -> {}", before.ty, now.ty);
            self.struct_field(DifferenceKind::FieldType, ty, (before, now), change, effect);
        }
        let new_names: BTreeSet<&str> = new.fields.iter().map(|field| &*field.name.value).collect();
        for pair @ (before, now) in old.fields.iter().zip(&new.fields) {
            if before.key != now.key {
                self.struct_field(DifferenceKind::FieldKey, ty, pair, changed("key", now.key), key_change(now.key));
            }
            let (old_name, new_name) = (&before.name.value, &now.name.value);
            if old_name == new_name {
                continue;
            }
            // Two fields of one type can swap names without changing the layout.
            let (kind, breaks, why) = if new_names.contains(&**old_name) {
                (DifferenceKind::StructLayout, Breaks::BOTH, "a struct has no vtable, so readers rely on its offsets")
            } else {
                (DifferenceKind::StructFieldRenamed, Breaks::SOURCE, FIELD_RENAMED)
            };
            let effect = Effect::new(breaks, why, format!("an old reader reads `{new_name}` as `{old_name}`"));
            let change = format!("name at byte {}: {old_name} -> {new_name}", before.offset);
            self.struct_field(kind, ty, pair, change, effect);
        }
    }

    fn struct_field(
        &mut self,
        kind: DifferenceKind,
        ty: &str,
        (old, new): (&StructField, &StructField),
        change: String,
        effect: Effect,
    ) {
        let places = (Some(old.name.place), Some(new.name.place));
        self.push(kind, format!("{ty}.{}", old.name.value), places, change, effect);
    }
}

fn other_size(old: &StructLayout, new: &StructLayout) -> Option<String> {
    if old.size != new.size {
        return Some(format!("an old reader expects {}, but a new file has {}", bytes(old.size), bytes(new.size)));
    }
    // The sizes are equal, so a field that only one struct has lies in the other struct's padding.
    let padding = |reader: &str, file: &str, field: &StructField| {
        format!("{reader} reader reads the padding of {file} file as `{}`", field.name.value)
    };
    match (old.fields.get(new.fields.len()), new.fields.get(old.fields.len())) {
        (Some(removed), _) => Some(padding("an old", "a new", removed)),
        (None, Some(added)) => Some(padding("a new", "an old", added)),
        (None, None) => None,
    }
}

fn layout(layout: &StructLayout) -> String {
    let fields: Vec<_> = layout.fields.iter().map(in_words).collect();
    format!("{} ({})", bytes(layout.size), fields.join(", "))
}

fn in_words(field: &StructField) -> String {
    format!("{} ({}) at byte {}", field.name.value, field.ty, field.offset)
}

fn bytes(count: u64) -> String {
    counted(count, "byte")
}
