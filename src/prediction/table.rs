//! The effects table: how each release reacts to each broken rule.
//!
//! The table is tab-separated text. The first line names the columns: rule, field, and a release with a verification
//! level for each further column. The second line says how each column was derived. In every other line, each cell
//! contains an effect: `loads`, `undefined`, or `STAGE:CODE` for a refusal. A cell is empty if no file showed the
//! effect, or if files with a broken may-rule or should-rule showed several effects. The field `*` stands for all
//! fields of a program that have neither a context nor a line of their own, `* (CONTEXT)` stands for those with this
//! context, and `* (in any context)` stands for all others. In a data file, a path begins with `data file: `.

use alloc::borrow::ToOwned;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use std::sync::LazyLock;

use crate::Role;
use crate::Stage;
use crate::rules::{self, Rule, Strength};

use super::keys::{DATA_FILE, MISSING_BACKEND, MISSING_OPERATOR};
use super::{FileKey, Release, Verification};

/// How a broken rule affects a loader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RuntimeEffect {
    /// The loader accepts the file.
    Loads,
    /// The loader checks the must-rule only in some cases.
    Undefined,
    /// The loader returns an error code at a stage.
    Refuses(Stage, u8),
}

impl RuntimeEffect {
    /// Returns the effect as it is written in a cell of the table.
    #[must_use]
    pub fn cell(self) -> String {
        match self {
            Self::Loads => "loads".to_owned(),
            Self::Undefined => "undefined".to_owned(),
            Self::Refuses(stage, code) => format!("{stage}:0x{code:02x}"),
        }
    }

    fn parse(cell: &str) -> Option<Self> {
        match cell {
            "loads" => Some(Self::Loads),
            "undefined" => Some(Self::Undefined),
            _ => {
                let (stage, code) = cell.split_once(":0x")?;
                Some(Self::Refuses(
                    Stage::ALL.into_iter().find(|known| known.to_string() == stage)?,
                    u8::from_str_radix(code, 16).ok()?,
                ))
            }
        }
    }
}

/// One column of the table: a release and a verification level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReleaseColumn {
    /// The release.
    pub release: Release,
    /// The verification level.
    pub verification: Verification,
    /// The reader and the number of files that the column was derived from.
    pub derivation: String,
    /// The effect of each key.
    pub effects: BTreeMap<(String, String), RuntimeEffect>,
}

impl ReleaseColumn {
    /// Returns whether the column has effects observed with files of the given role.
    #[must_use]
    pub fn knows(&self, role: Role) -> bool {
        role != Role::Data || self.effects.keys().any(|(_, field)| field.starts_with(DATA_FILE))
    }

    /// Returns how a key affects this release, or `None` if no file showed it.
    #[must_use]
    pub fn effect(&self, key: &FileKey) -> Option<RuntimeEffect> {
        // These properties come from a build, and all releases react to them alike, so they have no lines.
        match key.subject {
            MISSING_BACKEND => return Some(RuntimeEffect::Refuses(Stage::Method, 0x20)),
            MISSING_OPERATOR => return Some(RuntimeEffect::Refuses(Stage::Method, 0x14)),
            _ => {}
        }
        let of = |field: &str| self.effects.get(&(key.subject.to_owned(), field.to_owned())).copied();
        let known = of(&key.field).or_else(|| key.wildcards().iter().find_map(|wildcard| of(wildcard)));
        // A defect that shows only during execution does not stop a loader, unless some file has shown otherwise.
        let is_late = |rule: &Rule| rule.stage == Stage::Execute && rule.strength != Strength::Must;
        let has_lines = || {
            let first = self.effects.range((key.subject.to_owned(), String::new())..).next();
            first.is_some_and(|((subject, _), _)| subject == key.subject)
        };
        known.or_else(|| (rules::get(key.subject).is_some_and(is_late) && !has_lines()).then_some(RuntimeEffect::Loads))
    }
}

/// The effects of all known releases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EffectTable {
    /// The columns, in the order of `releases.tsv`.
    pub columns: Vec<ReleaseColumn>,
}

impl EffectTable {
    /// Returns the built-in table.
    ///
    /// # Panics
    ///
    /// Never panics, because a test verifies that the built-in table is valid.
    #[must_use]
    pub fn get() -> &'static Self {
        static TABLE: LazyLock<EffectTable> = LazyLock::new(|| {
            EffectTable::parse(include_str!("releases.tsv")).expect("a test reads the built-in table")
        });
        &TABLE
    }

    /// Returns the known releases, the oldest first.
    #[must_use]
    pub fn releases(&self) -> Vec<Release> {
        let mut releases: Vec<Release> = self.columns.iter().map(|column| column.release).collect();
        releases.sort();
        releases.dedup();
        releases
    }

    /// Returns the given release's columns.
    pub fn of_release(&self, release: Release) -> impl Iterator<Item = &ReleaseColumn> {
        self.columns.iter().filter(move |column| column.release == release)
    }

    /// Parses a table; `None` if the text is not a table.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines().map(|line| line.split('\t').collect::<Vec<_>>());
        let (names, derivations) = (lines.next()?, lines.next()?);
        let mut columns = Vec::new();
        for (name, derivation) in names.iter().zip(&derivations).skip(2) {
            let (version, level) = name.split_once(' ')?;
            let verification = Verification::ALL.into_iter().find(|verification| verification.name() == level)?;
            columns.push(ReleaseColumn {
                release: Release::parse_version(version)?,
                verification,
                derivation: (*derivation).to_owned(),
                effects: BTreeMap::new(),
            });
        }
        for line in lines {
            let [rule, field, cells @ ..] = &line[..] else { return None };
            if cells.len() != columns.len() {
                return None;
            }
            for (cell, column) in cells.iter().zip(&mut columns).filter(|(cell, _)| !cell.is_empty()) {
                column.effects.insert(((*rule).to_owned(), (*field).to_owned()), RuntimeEffect::parse(cell)?);
            }
        }
        Some(Self { columns })
    }

    /// Returns the table's text.
    #[must_use]
    pub fn text(&self) -> String {
        let name = |column: &ReleaseColumn| {
            let Release([major, minor, patch]) = column.release;
            format!("{major}.{minor}.{patch} {}", column.verification.name())
        };
        let names: Vec<String> = self.columns.iter().map(name).collect();
        let derivations: Vec<&str> = self.columns.iter().map(|column| column.derivation.as_str()).collect();
        let mut text = format!("rule\tfield\t{}\nderivation\t\t{}\n", names.join("\t"), derivations.join("\t"));
        let keys: BTreeSet<_> = self.columns.iter().flat_map(|column| column.effects.keys()).collect();
        for key in keys {
            let cells =
                self.columns.iter().map(|column| column.effects.get(key).map_or(String::new(), |all| all.cell()));
            text += &format!("{}\t{}\t{}\n", key.0, key.1, cells.collect::<Vec<_>>().join("\t"));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_table_names_rules_and_survives_a_round_trip() {
        let table = EffectTable::get();
        assert_eq!(EffectTable::parse(&table.text()).as_ref(), Some(table));
        for (rule, _) in table.columns.iter().flat_map(|column| column.effects.keys()) {
            assert!(rule.starts_with('(') || crate::rules::get(rule).is_some(), "{rule} is not a rule");
        }
    }
    #[test]
    fn every_column_comes_from_many_files() {
        for column in &EffectTable::get().columns {
            let files = column.derivation.split_whitespace().rev().nth(1).and_then(|count| count.parse::<u32>().ok());
            assert!(files >= Some(2_000), "{}: {}", column.release, column.derivation);
        }
    }
}
