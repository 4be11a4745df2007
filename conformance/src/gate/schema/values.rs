//! Compares enums, unions and structs.

use std::collections::BTreeMap;

use super::compare::SchemaWalk;
use super::difference::{Breaks, Difference, DifferenceKind};
use super::error::Place;
use super::model::{Enum, FieldType, Member, Placed, StructLayout};
use super::types;
use crate::text::counted;

impl SchemaWalk<'_> {
    #[expect(clippy::too_many_arguments, reason = "the arguments are the members of a difference")]
    fn add(
        &mut self,
        kind: DifferenceKind,
        subject: String,
        (old, new): (Option<Place>, Option<Place>),
        breaks: Breaks,
        change: String,
        why: &str,
        example: String,
    ) {
        self.differences.push(Difference { kind, subject, change, breaks, why: why.to_owned(), example, old, new });
    }

    pub(super) fn enums(&mut self, ty: &str, (old, old_place): (&Enum, Place), (new, new_place): (&Enum, Place)) {
        if let Some(effect) = types::scalars(old.underlying, new.underlying, true) {
            let change = format!("type {} -> {}", old.underlying, new.underlying);
            let places = (Some(old_place), Some(new_place));
            self.add(
                DifferenceKind::EnumType,
                ty.to_owned(),
                places,
                effect.breaks,
                change,
                &effect.why,
                effect.example,
            );
        }
        let names = |found: &'_ Enum| -> BTreeMap<String, (i128, Place)> {
            found.values.iter().map(|(name, number)| (name.value.clone(), (*number, name.place))).collect()
        };
        let (old_names, new_names) = (names(old), names(new));
        let new_numbers: BTreeMap<i128, (&str, Place)> =
            new.values.iter().map(|(name, number)| (*number, (&*name.value, name.place))).collect();
        let old_numbers: BTreeMap<i128, &str> =
            old.values.iter().map(|(name, number)| (*number, &*name.value)).collect();
        for (name, number) in &old.values {
            let subject = format!("{ty}.{}", name.value);
            let at = Some(name.place);
            if let Some((now, place)) = new_names.get(&name.value) {
                if now != number {
                    let change = format!("number {number} -> {now}");
                    let why = "a file contains the number, not the name";
                    let read = new_numbers
                        .get(number)
                        .map_or_else(|| "an unknown value".to_owned(), |(other, _)| format!("`{other}`"));
                    let example = format!("a new reader reads `{}` of an old file as {read}", name.value);
                    self.add(
                        DifferenceKind::EnumValueNumber,
                        subject,
                        (at, Some(*place)),
                        Breaks::BOTH,
                        change,
                        why,
                        example,
                    );
                }
                continue;
            }
            match new_numbers.get(number).filter(|(now, _)| !old_names.contains_key(*now)) {
                Some((now, place)) => {
                    let change = format!("name {} -> {now}", name.value);
                    let why = "a file contains the number, not the name; check that the meaning is the same";
                    let example = format!("both sides read the number {number}");
                    self.add(
                        DifferenceKind::EnumValueRenamed,
                        subject,
                        (at, Some(*place)),
                        Breaks::SOURCE,
                        change,
                        why,
                        example,
                    );
                }
                None => {
                    let breaks = Breaks { source: true, ..Breaks::NEW_READERS };
                    let why = "old files can contain the number";
                    let example = format!("a new reader does not know the number {number} of an old file");
                    let change = format!("value {number} removed");
                    self.add(DifferenceKind::EnumValueRemoved, subject, (at, None), breaks, change, why, example);
                }
            }
        }
        for (name, number) in new.values.iter().filter(|(name, number)| {
            !old_names.contains_key(&name.value)
                && old_numbers.get(number).is_none_or(|before| new_names.contains_key(*before))
        }) {
            let why = "old files do not contain the number, and a reader must expect numbers that it does not know";
            let example = format!("an old reader of a new file reads the number {number} without a name");
            let change = format!("value {number} added");
            let subject = format!("{ty}.{}", name.value);
            self.add(
                DifferenceKind::EnumValueAdded,
                subject,
                (None, Some(name.place)),
                Breaks::NOTHING,
                change,
                why,
                example,
            );
        }
    }

    pub(super) fn unions(&mut self, ty: &str, old: &[Member], new: &[Member]) {
        for member in old {
            let subject = format!("{ty}.{}", member.name);
            let at = Some(member.place);
            let same_tag = new.iter().find(|now| now.tag == member.tag);
            if let Some(moved) = new.iter().find(|now| now.name == member.name && now.tag != member.tag) {
                let why = "a file contains the tag, not the name";
                let read = same_tag.map_or_else(|| "an unknown member".to_owned(), |now| format!("`{}`", now.name));
                let example = format!("a new reader reads `{}` of an old file as {read}", member.name);
                let change = format!("tag {} -> {}", member.tag, moved.tag);
                self.add(
                    DifferenceKind::UnionMemberMoved,
                    subject,
                    (at, Some(moved.place)),
                    Breaks::BOTH,
                    change,
                    why,
                    example,
                );
                continue;
            }
            let Some(now) = same_tag else {
                let why = "old files can contain the tag";
                let example = format!("a new reader does not know the tag {} of an old file", member.tag);
                let breaks = Breaks { source: true, ..Breaks::NEW_READERS };
                let change = format!("member with tag {} removed", member.tag);
                self.add(DifferenceKind::UnionMemberRemoved, subject, (at, None), breaks, change, why, example);
                continue;
            };
            let places = (at, Some(now.place));
            let mut pairs = Vec::new();
            let effect = types::compare((self.old, &member.ty), (self.new, &now.ty), &mut |before, now| {
                pairs.push((before.to_owned(), now.to_owned()));
            });
            for (before, now) in pairs {
                self.pair(&before, &now);
            }
            if let Some(effect) = effect {
                let change = format!("type of tag {}: {} -> {}", member.tag, member.ty, now.ty);
                let why = effect.why;
                self.add(DifferenceKind::UnionMemberType, subject, places, effect.breaks, change, &why, effect.example);
            } else if now.name != member.name {
                let change = format!("name {} -> {}", member.name, now.name);
                let why = "a file contains the tag, not the name";
                let example = "both sides read the same value".to_owned();
                self.add(DifferenceKind::UnionMemberRenamed, subject, places, Breaks::SOURCE, change, why, example);
            }
        }
        let known = |now: &&Member| old.iter().any(|member| member.tag == now.tag || member.name == now.name);
        for member in new.iter().filter(|now| !known(now)) {
            let why = "old files do not contain the tag, and a reader must expect tags that it does not know";
            let example = format!("an old reader of a new file finds the unknown tag {}", member.tag);
            let subject = format!("{ty}.{}", member.name);
            let change = format!("member with tag {} added", member.tag);
            self.add(
                DifferenceKind::UnionMemberAdded,
                subject,
                (None, Some(member.place)),
                Breaks::NOTHING,
                change,
                why,
                example,
            );
        }
    }

    pub(super) fn structs(
        &mut self,
        ty: &str,
        (old, old_place): (&StructLayout, Place),
        (new, new_place): (&StructLayout, Place),
    ) {
        let places = (Some(old_place), Some(new_place));
        let mut pairs = Vec::new();
        let mut changed = None;
        for (before, now) in old.fields.iter().zip(&new.fields) {
            let mut pair = |before: &str, now: &str| pairs.push((before.to_owned(), now.to_owned()));
            let effect = types::compare((self.old, &before.2), (self.new, &now.2), &mut pair);
            let readers = effect.is_some_and(|effect| effect.breaks.readers());
            if changed.is_none() && (before.0 != now.0 || readers) {
                let (old, new) = (in_words(before), in_words(now));
                changed = Some(format!("an old reader expects {old}, and a new file has {new}"));
            }
        }
        for (before, now) in pairs {
            self.pair(&before, &now);
        }
        if old.size != new.size || old.fields.len() != new.fields.len() {
            changed = changed.or_else(|| {
                Some(format!("an old reader expects {}, and a new file has {}", bytes(old.size), bytes(new.size)))
            });
        }
        if let Some(example) = changed {
            let change = format!("{} -> {}", layout(old), layout(new));
            let why = "a struct has no vtable, so readers rely on its size and offsets";
            return self.add(DifferenceKind::StructLayout, ty.to_owned(), places, Breaks::BOTH, change, why, example);
        }
        if old.align != new.align {
            let breaks = if new.align > old.align { Breaks::NEW_READERS } else { Breaks::OLD_READERS };
            let why = "a reader that uses the struct in place relies on its alignment";
            let example = format!("the struct can be at a multiple of {} only", old.align.min(new.align));
            let change = format!("alignment {} -> {}", old.align, new.align);
            self.add(DifferenceKind::StructLayout, ty.to_owned(), places, breaks, change, why, example);
        }
        // Two fields of one type can swap their names without a change of the layout.
        for (before, now) in old.fields.iter().zip(&new.fields).filter(|(before, now)| before.1.value != now.1.value) {
            let elsewhere = new.fields.iter().any(|field| field.1.value == before.1.value);
            let (kind, breaks, why) = if elsewhere {
                (DifferenceKind::StructLayout, Breaks::BOTH, "a struct has no vtable, so readers rely on its offsets")
            } else {
                (DifferenceKind::StructFieldRenamed, Breaks::SOURCE, "a file does not contain the names of fields")
            };
            let example = format!("an old reader reads `{}` as `{}`", now.1.value, before.1.value);
            let change = format!("name at byte {}: {} -> {}", before.0, before.1.value, now.1.value);
            let subject = format!("{ty}.{}", before.1.value);
            self.add(kind, subject, (Some(before.1.place), Some(now.1.place)), breaks, change, why, example);
        }
    }
}

fn layout(layout: &StructLayout) -> String {
    let fields: Vec<_> = layout.fields.iter().map(in_words).collect();
    format!("{} ({})", bytes(layout.size), fields.join(", "))
}

/// Describes a field of a struct, for example `a (int8) at byte 0`.
fn in_words((offset, name, ty): &(u64, Placed<String>, FieldType)) -> String {
    format!("{} ({ty}) at byte {offset}", name.value)
}

fn bytes(count: u64) -> String {
    counted(count, "byte")
}
