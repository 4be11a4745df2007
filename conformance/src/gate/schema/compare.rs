//! Compares two schemas.
//!
//! A FlatBuffer contains no names, so the comparison follows the structure: beginning with the root tables, it pairs
//! the types of fields in the same slot. Only types that no root reaches are paired by name. A type is never paired
//! with more than one other.

use std::sync::Arc;

use super::difference::{Breaks, Difference, DifferenceKind, Effect};
use super::error::Place;
use super::model::{Content, LocatedItem, Schema};
use super::types::TypeWalk;

pub fn compare(old: &Schema, new: &Schema) -> Vec<Difference> {
    let mut walk = SchemaWalk { old, new, queue: Vec::new(), types: TypeWalk::new(old, new), differences: Vec::new() };
    walk.file_declarations();
    walk.all_types();
    let mut differences = walk.differences;
    // Sort differences of equal severity by their positions in the old schema.
    differences.sort_by_cached_key(|difference| {
        (std::cmp::Reverse(difference.breaks.severity()), difference.old, difference.new, difference.kind)
    });
    differences
}

pub(super) struct SchemaWalk<'a> {
    old: &'a Schema,
    new: &'a Schema,
    queue: Vec<(Arc<str>, Arc<str>)>,
    pub(super) types: TypeWalk<'a>,
    differences: Vec<Difference>,
}

impl SchemaWalk<'_> {
    pub(super) fn push(
        &mut self,
        kind: DifferenceKind,
        subject: String,
        (old, new): (Option<Place>, Option<Place>),
        change: String,
        effect: Effect,
    ) {
        let Effect { breaks, why, example } = effect;
        self.differences.push(Difference { kind, subject, change, breaks, why, example, old, new });
    }

    pub(super) fn pair(&mut self, pair: Option<(Arc<str>, Arc<str>)>) {
        if let Some((old, new)) = pair
            && self.types.insert(&old, &new)
        {
            self.queue.push((old, new));
        }
    }

    fn file_declarations(&mut self) {
        let (before, now) = (&self.old.identifier, &self.new.identifier);
        if in_words(before) != in_words(now) {
            let (breaks, example) = match (before, now) {
                (None, _) => {
                    (Breaks::NEW_READERS, "a new reader rejects an old file, which has no identifier".to_owned())
                }
                (_, None) => {
                    (Breaks::OLD_READERS, "an old reader rejects a new file, which has no identifier".to_owned())
                }
                _ => (
                    Breaks { source: false, ..Breaks::BOTH },
                    format!("an old reader expects {}, but finds {}", in_words(before), in_words(now)),
                ),
            };
            let effect = Effect::new(breaks, "readers check the identifier", example);
            self.declaration(DifferenceKind::FileIdentifier, "file_identifier", (before, now), effect);
        }
        let (before, now) = (&self.old.extension, &self.new.extension);
        if in_words(before) != in_words(now) {
            let example = format!("flatc writes FILE.{}", now.as_ref().map_or("bin", |found| &found.value));
            let why = "a file does not contain its extension, but tools may select files by extension";
            let effect = Effect::new(Breaks::SOURCE, why, example);
            self.declaration(DifferenceKind::FileExtension, "file_extension", (before, now), effect);
        }
        let effect = match (&self.old.root, &self.new.root) {
            (Some(first), Some(second)) => {
                let (first, second) = (&first.value, &second.value);
                if self.types.can_pair(first, second) {
                    return self.pair(Some((Arc::clone(first), Arc::clone(second))));
                }
                let example = format!("an old reader reads the fields of {second} as those of {first}");
                Effect::new(Breaks::BOTH, "a reader starts at the root table", example)
            }
            (None, None) => return,
            (Some(first), None) if !self.new.types.contains_key(&first.value) => {
                let example = format!("a new reader knows no table for the {} of an old file", first.value);
                Effect::new(Breaks::NEW_READERS.and(Breaks::SOURCE), "a reader starts at the root table", example)
            }
            (first, _) => {
                let schema = if first.is_some() { "new" } else { "old" };
                let example = format!("generated code of the {schema} schema has no function for the root");
                Effect::new(Breaks::SOURCE, "a file does not name its root table", example)
            }
        };
        self.declaration(DifferenceKind::RootType, "root_type", (&self.old.root, &self.new.root), effect);
    }

    fn declaration<T: std::fmt::Debug>(
        &mut self,
        kind: DifferenceKind,
        subject: &str,
        (old, new): (&Option<LocatedItem<T>>, &Option<LocatedItem<T>>),
        effect: Effect,
    ) {
        let place = |found: &Option<LocatedItem<T>>| found.as_ref().map(|found| found.place);
        let change = format!("{} -> {}", in_words(old), in_words(new));
        self.push(kind, subject.to_owned(), (place(old), place(new)), change, effect);
    }

    fn all_types(&mut self) {
        self.compare_queue();
        let (old, new) = (self.old, self.new);
        for name in old.types.keys().filter(|name| new.types.contains_key(*name)) {
            self.pair(Some((Arc::clone(name), Arc::clone(name))));
        }
        self.compare_queue();
        for (name, ty) in old.types.iter().filter(|(name, _)| !self.types.is_old_paired(name)).collect::<Vec<_>>() {
            let effect = if old.root.is_none() && matches!(ty.content, Content::Table(_)) {
                let example = format!("a new reader knows no table for an old file with the root {name}");
                Effect::new(
                    Breaks::NEW_READERS.and(Breaks::SOURCE),
                    "without a root type, every table can be the root of a file",
                    example,
                )
            } else {
                let why = "no root table reaches the type in the same slot of both schemas, so only source code can use the type";
                Effect::new(Breaks::SOURCE, why, "an old program that uses the type does not compile")
            };
            let change = format!("{} removed", ty.content.noun());
            self.push(DifferenceKind::TypeRemoved, name.to_string(), (Some(ty.place), None), change, effect);
        }
        for (name, ty) in new.types.iter().filter(|(name, _)| !self.types.is_new_paired(name)).collect::<Vec<_>>() {
            let example = "fields of this type are listed separately";
            let effect = Effect::new(Breaks::NOTHING, "old files contain no value of the type", example);
            let change = format!("{} added", ty.content.noun());
            self.push(DifferenceKind::TypeAdded, name.to_string(), (None, Some(ty.place)), change, effect);
        }
    }

    fn compare_queue(&mut self) {
        while let Some((before, now)) = self.queue.pop() {
            let (old, new) = (&self.old.types[&before], &self.new.types[&now]);
            let places = (old.place, new.place);
            let both = (Some(old.place), Some(new.place));
            if before != now {
                let why = "files do not contain type names; check that the meaning is the same";
                let effect = Effect::new(Breaks::SOURCE, why, "both sides read the same value");
                let change = format!("name {before} -> {now}");
                self.push(DifferenceKind::TypeRenamed, before.to_string(), both, change, effect);
            }
            match (&old.content, &new.content) {
                (Content::Table(old), Content::Table(new)) => self.tables([&before, &now], old, new),
                (Content::Struct(old), Content::Struct(new)) => self.structs(&before, old, new, places),
                (Content::Enum(old), Content::Enum(new)) => self.enums([&before, &now], old, new, places),
                (Content::Union(old), Content::Union(new)) => self.unions([&before, &now], old, new, places),
                (first, second) => {
                    let why = format!("{}, and {}", first.stored(), second.stored());
                    let example = format!("an old reader reads {} as {}", second.described(), first.described());
                    let change = format!("{} -> {}", first.noun(), second.noun());
                    let effect = Effect::new(Breaks::BOTH, why, example);
                    self.push(DifferenceKind::TypeKind, before.to_string(), both, change, effect);
                }
            }
        }
    }
}

fn in_words<T: std::fmt::Debug>(found: &Option<LocatedItem<T>>) -> String {
    found.as_ref().map_or("none".to_owned(), |found| format!("{:?}", found.value))
}
