//! **The catalogue**: one declaration per rule; everything that prints a rule reads it from here.
//!
//! A rule is one invariant of the formats, with an id that never changes its meaning. [`all`] yields every rule in the
//! order of the specification's sections; [`find`] looks one up by id.
//!
//! ```
//! let rule = torchproof::rules::find("eh-length-min").unwrap();
//! assert_eq!(rule.strength, torchproof::rules::Strength::Must);
//! ```

use core::fmt;

use crate::Stage;

pub mod alignment;
pub mod envelope;
pub mod flat_tensor;
pub mod named_data;
pub mod older_flat_tensor;
pub mod ptd_header;
pub mod pte_header;
pub mod segments;
pub mod trailing;

/// How strongly a rule binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(rename_all = "lowercase"))]
pub enum Strength {
    /// A file that breaks it is rejected.
    Must,
    /// Official writers always keep it; a break is a warning.
    Should,
    /// Unwritten, or readers disagree: a note, graded by nobody.
    Either,
}

impl Strength {
    /// The word used in manifests and findings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Strength::Must => "must",
            Strength::Should => "should",
            Strength::Either => "either",
        }
    }
}

impl fmt::Display for Strength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Who can break a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(rename_all = "lowercase"))]
pub enum Subject {
    /// A file's bytes break it: `check` reports it.
    File,
    /// A reader breaks it, by refusing or misreading what it must accept: cases exercise it, no file breaks it.
    Reader,
    /// A writer breaks it, by what it lets its caller ask for: no trace of it is left in the file.
    Writer,
}

/// One invariant of the formats.
#[derive(Debug)]
pub struct Rule {
    /// Stable for ever: lower-case words joined by `-`.
    pub id: &'static str,
    /// What holds, as one sentence.
    pub statement: &'static str,
    /// How strongly it binds.
    pub strength: Strength,
    /// Who can break it.
    pub subject: Subject,
    /// The latest stage of reading at which a break can still be refused in time.
    pub stage: Stage,
    /// What the rule and its strength rest on.
    pub source: &'static str,
    /// Section of the specification.
    pub section: &'static str,
    /// Public references, pattern ids included.
    pub refs: &'static [&'static str],
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Rule {}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.id)
    }
}

/// Declares the rules of one area as constants, and lists them as `RULES`.
macro_rules! rules {
    ($(
        $name:ident = $id:literal, $strength:ident, $subject:ident, $stage:ident, $section:literal {
            $statement:literal
            source: $source:literal
            refs: [$($reference:literal),* $(,)?]
        }
    )*) => {
        $(
            #[doc = concat!("`", $id, "`: ", $statement)]
            pub static $name: $crate::rules::Rule = $crate::rules::Rule {
                id: $id,
                statement: $statement,
                strength: $crate::rules::Strength::$strength,
                subject: $crate::rules::Subject::$subject,
                stage: $crate::Stage::$stage,
                source: $source,
                section: $section,
                refs: &[$($reference),*],
            };
        )*
        /// The rules of this area, in the specification's order.
        pub static RULES: &[&$crate::rules::Rule] = &[$(&$name),*];
    };
}
use rules;

/// The areas of the catalogue, in the specification's order.
pub static AREAS: &[&[&Rule]] = &[
    envelope::RULES,
    pte_header::RULES,
    segments::RULES,
    named_data::RULES,
    ptd_header::RULES,
    flat_tensor::RULES,
    older_flat_tensor::RULES,
    alignment::RULES,
    trailing::RULES,
];

/// Every rule, in the specification's order.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    AREAS.iter().flat_map(|area| area.iter().copied())
}

/// The rule with this id, if there is one.
#[must_use]
pub fn find(id: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.id == id)
}

#[cfg(test)]
mod tests;
