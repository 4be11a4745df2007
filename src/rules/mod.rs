//! **The catalogue**: one declaration per rule; everything that prints a rule reads it from here.
//!
//! A rule is one invariant of the formats, with an id that never changes its meaning. [`all`] yields every rule in the
//! order of the specification's sections; [`get`] looks one up by id.
//!
//! ```
//! let rule = torchproof::rules::get("eh-length-min").unwrap();
//! assert_eq!(rule.strength, torchproof::rules::Strength::Must);
//! ```

use core::fmt;

use crate::Stage;

mod patterns;

pub use patterns::{Pattern, pattern, patterns};

/// How strongly a rule binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "json", serde(rename_all = "lowercase"))]
pub enum Strength {
    /// A file that breaks it is rejected.
    Must,
    /// Official writers always keep it; a break is a warning.
    Should,
    /// Unwritten, or readers disagree: a note, graded by nobody.
    May,
}

impl Strength {
    /// The word used in manifests and findings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Strength::Must => "must",
            Strength::Should => "should",
            Strength::May => "may",
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "json", serde(rename_all = "lowercase"))]
pub enum Subject {
    /// A file's bytes break it: `check` reports it.
    File,
    /// A reader breaks it, by refusing or misreading what it must accept: cases exercise it, no file breaks it.
    Reader,
    /// A writer breaks it, by what it lets its caller ask for: no trace of it is left in the file.
    Writer,
}

impl Subject {
    /// The word used in listings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Subject::File => "file",
            Subject::Reader => "reader",
            Subject::Writer => "writer",
        }
    }
}

/// One invariant of the formats.
#[derive(Debug)]
#[cfg_attr(feature = "json", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
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
    /// The chapter of the specification that has the rule: `pte-header`.
    pub section: &'static str,
}

/// What there is to know of a rule beyond its statement, in sentences.
///
/// It stands apart from [`Rule`], so that a program that checks files and explains nothing does not carry the prose. In JSON it
/// stands beside the members of its rule.
#[derive(Debug)]
#[cfg_attr(feature = "json", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Explanation {
    /// The rule's id.
    #[cfg_attr(feature = "json", serde(skip))]
    pub id: &'static str,
    /// What a break leads to.
    pub why: &'static str,
    /// What readers do about it.
    pub readers: &'static str,
    /// Where the rule comes from: the formats' text, a schema, a writer or a reader.
    pub source: &'static str,
    /// Public references: CVE and GHSA ids, pull requests and issues, and this project's pattern ids.
    pub refs: &'static [&'static str],
    /// CWE ids of the weaknesses that a break exposes in a reader without this check, the main one first.
    #[cfg_attr(feature = "json", serde(skip))]
    pub cwe: &'static [&'static str],
}

impl Rule {
    /// Why the rule is one, and what is known of it.
    ///
    /// ```
    /// let rule = torchproof::rules::get("eh-length-min").unwrap();
    /// assert_eq!(rule.explanation().cwe, ["CWE-130", "CWE-125"]);
    /// ```
    ///
    /// # Panics
    ///
    /// Never for a rule of the catalogue: each is declared together with its explanation.
    #[must_use]
    pub fn explanation(&self) -> &'static Explanation {
        let all = EXPLANATIONS.iter().flat_map(|area| area.iter());
        all.into_iter().find(|explanation| explanation.id == self.id).expect("a rule is declared with its explanation")
    }
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

/// Declares the rules of one area as constants, and lists them as `RULES` and what is known of them as `EXPLANATIONS`.
macro_rules! rules {
    ($(
        $name:ident = $id:literal, $strength:ident, $subject:ident, $stage:ident, $section:literal {
            $statement:literal
            $(why: $why:literal)?
            $(readers: $readers:literal)?
            source: $source:literal
            $(refs: [$($reference:literal),+ $(,)?])?
            $(cwe: [$($cwe:literal),+ $(,)?])?
        }
    )*) => {
        $(
            #[doc = concat!("`", $id, "`: ", $statement)]
            pub(crate) static $name: $crate::rules::Rule = $crate::rules::Rule {
                id: $id,
                statement: $statement,
                strength: $crate::rules::Strength::$strength,
                subject: $crate::rules::Subject::$subject,
                stage: $crate::Stage::$stage,
                section: $section,
            };
        )*
        /// The rules of this area, in the specification's order.
        pub(super) static RULES: &[&$crate::rules::Rule] = &[$(&$name),*];
        /// What there is to know of each.
        pub(super) static EXPLANATIONS: &[$crate::rules::Explanation] = &[$($crate::rules::Explanation {
            id: $id,
            why: concat!($($why)?),
            readers: concat!($($readers)?),
            source: $source,
            refs: &[$($($reference),+)?],
            cwe: &[$($($cwe),+)?],
        }),*];
    };
}

macro_rules! areas {
    ($($area:ident,)*) => {
        $(pub(crate) mod $area;)*

        /// The sections of the catalogue and their rules, in the specification's order.
        static AREAS: &[(&str, &[&Rule])] = &[$((stringify!($area), $area::RULES)),*];

        static EXPLANATIONS: &[&[Explanation]] = &[$($area::EXPLANATIONS),*];
    };
}

areas! {
    flatbuffer,
    pte_header,
    segments,
    constants,
    mutable_data,
    named_data,
    metadata,
    program,
    values,
    tensors,
    memory,
    instructions,
    delegates,
    ptd_header,
    flat_tensor,
    companions,
    legacy_flat_tensor,
    alignment,
    trailing,
    limits,
    loaders,
    bundled,
}

/// Every rule, in the specification's order.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    AREAS.iter().flat_map(|(_, rules)| rules.iter().copied())
}

/// The rule with this id, if there is one.
#[must_use]
pub fn get(id: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.id == id)
}

#[cfg(test)]
mod tests;
