//! Compares two schemas.
//!
//! A file contains no names, so the comparison follows the structure: it begins with the root tables, and pairs the types of
//! fields with the same slot. Types that no root reaches are paired by name.

use std::collections::BTreeSet;

use super::difference::{Breaks, Difference, DifferenceKind};
use super::model::{Content, Placed, Schema};
use super::types;

/// Returns the differences between two schemas, the worst first.
#[must_use]
pub fn compare(old: &Schema, new: &Schema) -> Vec<Difference> {
    let mut comparison = SchemaWalk { old, new, pairs: Vec::new(), met: BTreeSet::new(), differences: Vec::new() };
    comparison.of_files();
    comparison.of_types();
    let mut differences = comparison.differences;
    // The order within one severity is that of the old schema.
    differences.sort_by_cached_key(|difference| {
        (std::cmp::Reverse(difference.breaks.severity()), difference.old, difference.new, difference.kind)
    });
    differences
}

pub(super) struct SchemaWalk<'a> {
    pub(super) old: &'a Schema,
    pub(super) new: &'a Schema,
    /// Pairs of types that are still to be compared.
    pub(super) pairs: Vec<(String, String)>,
    met: BTreeSet<(String, String)>,
    pub(super) differences: Vec<Difference>,
}

impl SchemaWalk<'_> {
    /// Adds a pair of types, unless it was added before.
    pub(super) fn pair(&mut self, old: &str, new: &str) {
        let pair = (old.to_owned(), new.to_owned());
        if self.met.insert(pair.clone()) {
            self.pairs.push(pair);
        }
    }

    fn of_files(&mut self) {
        let (old, new) = (self.old, self.new);
        let value = |found: &Option<Placed<String>>| {
            found.as_ref().map_or("none".to_owned(), |found| format!("{:?}", found.value))
        };
        let differs = |old: &Option<Placed<String>>, new: &Option<Placed<String>>| value(old) != value(new);
        let place = |found: &Option<Placed<String>>| found.as_ref().map(|found| found.place);
        let mut add = |kind, subject: &str, (before, now), breaks, why: &str, example: String| {
            let change = format!("{} -> {}", value(before), value(now));
            let (why, subject) = (why.to_owned(), subject.to_owned());
            let difference =
                Difference { kind, subject, change, breaks, why, example, old: place(before), new: place(now) };
            self.differences.push(difference);
        };
        let (before, now) = (&old.identifier, &new.identifier);
        if differs(before, now) {
            let (breaks, example) = match (before, now) {
                (None, _) => {
                    (Breaks::NEW_READERS, "a new reader rejects an old file, which has no identifier".to_owned())
                }
                (_, None) => {
                    (Breaks::OLD_READERS, "an old reader rejects a new file, which has no identifier".to_owned())
                }
                _ => (
                    Breaks { source: false, ..Breaks::BOTH },
                    format!("an old reader expects {} and finds {}", value(before), value(now)),
                ),
            };
            add(
                DifferenceKind::FileIdentifier,
                "file_identifier",
                (before, now),
                breaks,
                "readers check the identifier",
                example,
            );
        }
        let (before, now) = (&old.extension, &new.extension);
        if differs(before, now) {
            let example = format!("flatc writes FILE.{}", now.as_ref().map_or("bin", |found| &found.value));
            let why = "a file does not contain its extension; tools may select files by it";
            add(DifferenceKind::FileExtension, "file_extension", (before, now), Breaks::SOURCE, why, example);
        }
        let (before, now) = (&old.root, &new.root);
        let root = |found: &Option<Placed<String>>| found.as_ref().map(|found| found.value.clone());
        match (root(before), root(now)) {
            (Some(first), Some(second)) => {
                if first == second || types::renamed((old, &first), (new, &second)) {
                    self.pair(&first, &second);
                } else {
                    let example = format!("an old reader reads the fields of {second} as those of {first}");
                    let why = "a reader starts at the root table";
                    add(DifferenceKind::RootType, "root_type", (before, now), Breaks::BOTH, why, example);
                }
            }
            (None, None) => {}
            (first, _) => {
                let example = match first {
                    Some(_) => "generated code of the new schema has no function for the root",
                    None => "generated code of the old schema has no function for the root",
                };
                let why = "a file does not name its root table";
                add(DifferenceKind::RootType, "root_type", (before, now), Breaks::SOURCE, why, example.to_owned());
            }
        }
    }

    fn of_types(&mut self) {
        self.drain();
        for name in self.old.types.keys().filter(|name| self.new.types.contains_key(*name)) {
            self.pair(name, name);
        }
        self.drain();
        let (old_met, new_met): (BTreeSet<_>, BTreeSet<_>) = self.met.iter().cloned().unzip();
        for (name, ty) in self.old.types.iter().filter(|(name, _)| !old_met.contains(*name)) {
            self.differences.push(Difference {
                kind: DifferenceKind::TypeRemoved,
                subject: name.clone(),
                change: format!("{} removed", ty.content.noun()),
                breaks: Breaks::SOURCE,
                why: "only source code can use a type that no root table reaches under the same slot".to_owned(),
                example: "fields of this type are listed on their own".to_owned(),
                old: Some(ty.place),
                new: None,
            });
        }
        for (name, ty) in self.new.types.iter().filter(|(name, _)| !new_met.contains(*name)) {
            self.differences.push(Difference {
                kind: DifferenceKind::TypeAdded,
                subject: name.clone(),
                change: format!("{} added", ty.content.noun()),
                breaks: Breaks::NOTHING,
                why: "old files contain no value of the type".to_owned(),
                example: "fields of this type are listed on their own".to_owned(),
                old: None,
                new: Some(ty.place),
            });
        }
    }

    fn drain(&mut self) {
        while let Some((before, now)) = self.pairs.pop() {
            let (Some(old), Some(new)) = (self.old.types.get(&before), self.new.types.get(&now)) else { continue };
            if before != now {
                self.differences.push(Difference {
                    kind: DifferenceKind::TypeRenamed,
                    subject: before.clone(),
                    change: format!("name {before} -> {now}"),
                    breaks: Breaks::SOURCE,
                    why: "a file does not contain the names of types".to_owned(),
                    example: "both sides read the same value".to_owned(),
                    old: Some(old.place),
                    new: Some(new.place),
                });
            }
            match (&old.content, &new.content) {
                (Content::Table(old), Content::Table(new)) => self.tables(&before, old, new),
                (Content::Struct(first), Content::Struct(second)) => {
                    self.structs(&before, (first, old.place), (second, new.place));
                }
                (Content::Enum(first), Content::Enum(second)) => {
                    self.enums(&before, (first, old.place), (second, new.place));
                }
                (Content::Union(old), Content::Union(new)) => self.unions(&before, old, new),
                (first, second) => self.differences.push(Difference {
                    kind: DifferenceKind::TypeKind,
                    subject: before.clone(),
                    change: format!("{} -> {}", first.noun(), second.noun()),
                    breaks: Breaks::BOTH,
                    why: format!("a {} and a {} have other bytes", first.noun(), second.noun()),
                    example: format!("an old reader reads a {} as a {}", second.noun(), first.noun()),
                    old: Some(old.place),
                    new: Some(new.place),
                }),
            }
        }
    }
}
