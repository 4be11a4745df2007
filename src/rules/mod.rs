//! The catalogue of rules for the `.pte`, `.ptd` and `.bpte` formats.
//!
//! A rule is one invariant of the formats, and its id never changes its meaning. [`all`] iterates over all rules in the
//! order of the specification's sections, and [`get`] finds one by its id.
//!
//! ```
//! let rule = torchproof::rules::get("eh-length-min").unwrap();
//! assert_eq!(rule.strength, torchproof::rules::Strength::Must);
//! ```

use core::fmt;

use crate::Stage;
use crate::flatbuffer::Code;
use crate::named::named;

mod patterns;

pub use patterns::{Pattern, pattern, patterns};

named! {
    /// The strength of a rule, as an RFC 2119 keyword.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[cfg_attr(feature = "json", serde(rename_all = "lowercase"))]
    pub enum Strength {
        /// A file that breaks the rule is invalid, and `check` rejects it.
        Must = "must",
        /// Official writers always keep the rule, so `check` warns about a file that breaks it.
        Should = "should",
        /// No document clearly requires the rule, or readers disagree, so `check` only prints a note.
        May = "may",
    }
}

named! { all
    /// What a rule rests on. Its [source](Explanation::source) gives the details.
    ///
    /// A must-rule for files rests on a text, on loaders or on a policy, because what writers happen to do does not
    /// make other files invalid.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[cfg_attr(feature = "json", serde(rename_all = "lowercase"))]
    pub enum Basis {
        /// An official page, a schema or a comment in the official source requires it.
        Text = "text",
        /// Released readers enforce it: at least one release does so, at one of its verification levels.
        Loader = "loader",
        /// Official writers always keep it.
        Writer = "writer",
        /// This project chose it, for example because memory safety depends on it.
        Policy = "policy",
    }
}

impl Basis {
    /// Returns what the basis means, as a phrase.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Basis::Text => "an official page or schema requires it",
            Basis::Loader => "released readers enforce it",
            Basis::Writer => "official writers always keep it",
            Basis::Policy => "this project chose it",
        }
    }
}

named! {
    /// Who can break a rule: a file, a reader or a writer.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[cfg_attr(feature = "json", serde(rename_all = "lowercase"))]
    pub enum Subject {
        /// A file's bytes can break the rule, and `check` reports each violation as a finding.
        File = "file",
        /// Only a reader's behavior can break the rule. No file can, so the corpus tests readers for it.
        Reader = "reader",
        /// A writer can break the rule without a trace in the file, for example by accepting an invalid option.
        Writer = "writer",
    }
}

/// One invariant of the formats.
#[derive(Debug)]
#[cfg_attr(feature = "json", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Rule {
    /// The rule's number, a function of its id.
    #[cfg_attr(feature = "json", serde(skip))]
    pub number: RuleNumber,
    /// The rule's stable id: lower-case words joined by `-`, such as `eh-length-min`.
    pub id: &'static str,
    /// What the rule requires, in one sentence with MUST, SHOULD or MAY.
    pub statement: &'static str,
    /// How strong the rule is, which decides how `check` reports a violation.
    pub strength: Strength,
    /// What the rule rests on.
    pub basis: Basis,
    /// Who can break the rule.
    pub subject: Subject,
    /// The last stage of reading at which a reader can safely reject a violation.
    pub stage: Stage,
    /// The chapter of the specification that contains the rule, such as `pte-header`.
    pub section: &'static str,
}

/// A rule's number: a hash of its id (FNV-1a with 32 bits), so that it never changes.
///
/// A verdict contains a number instead of a [`Rule`], because a small device has no room for the texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RuleNumber(pub u32);

impl RuleNumber {
    const fn of(id: &str) -> Self {
        let (bytes, mut hash, mut index) = (id.as_bytes(), 0x811c_9dc5_u32, 0);
        while index < bytes.len() {
            hash = (hash ^ bytes[index] as u32).wrapping_mul(0x0100_0193);
            index += 1;
        }
        Self(hash)
    }
}

/// What a check needs to know about a rule, without the texts, which would take several kilobytes on a device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RuleKey {
    pub(crate) number: RuleNumber,
    pub(crate) strength: Strength,
}

impl From<&'static Rule> for RuleKey {
    #[inline(always)]
    fn from(rule: &'static Rule) -> Self {
        rule.key()
    }
}

/// A rule's rationale, source and references.
///
/// In JSON, one object has the members of both the rule and its explanation.
///
/// This type is separate from [`Rule`] so that a program that uses only the rules does not contain the texts.
#[derive(Debug)]
#[cfg_attr(feature = "json", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Explanation {
    /// The explained rule's id.
    #[cfg_attr(feature = "json", serde(skip))]
    pub id: &'static str,
    /// What goes wrong if the rule is broken, and what known readers do then, in at most 60 words.
    pub rationale: &'static str,
    /// Where the rule comes from: a document, a schema, a writer, a reader or a decision by this project.
    pub source: &'static str,
    /// References: CVE and GHSA ids, pull requests and issues, and ids of malformed patterns.
    ///
    /// Pull requests and issues have the form `owner/repository#number`. Ids such as `H-04` refer to this
    /// project's own list of malformed patterns ([`Pattern`]).
    pub refs: &'static [&'static str],
    /// CWE ids of the weaknesses that a reader has if it does not check the rule, with the main weakness first.
    #[cfg_attr(feature = "json", serde(skip))]
    pub cwe: &'static [&'static str],
}

impl Rule {
    #[inline(always)]
    pub(crate) const fn key(&self) -> RuleKey {
        RuleKey { number: self.number, strength: self.strength }
    }

    /// The explanation of this rule.
    ///
    /// ```
    /// let rule = torchproof::rules::get("eh-length-min").unwrap();
    /// assert_eq!(rule.explanation().cwe, ["CWE-130", "CWE-125"]);
    /// ```
    ///
    /// # Panics
    ///
    /// Never panics for a rule of the catalogue, because each rule is declared together with its explanation.
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

/// Declares one section's rules as statics, and collects them in `RULES` and their explanations in `EXPLANATIONS`.
macro_rules! rules {
    ($(
        $name:ident = $id:literal, $strength:ident, $basis:ident, $subject:ident, $stage:ident, $section:literal {
            $statement:literal
            rationale: $rationale:literal
            source: $source:literal
            $(refs: [$($reference:literal),+ $(,)?])?
            $(cwe: [$($cwe:literal),+ $(,)?])?
        }
    )*) => {
        $(
            #[doc = concat!("`", $id, "`: ", $statement)]
            pub(crate) static $name: $crate::rules::Rule = $crate::rules::Rule {
                number: $crate::rules::RuleNumber::of($id),
                id: $id,
                statement: $statement,
                strength: $crate::rules::Strength::$strength,
                basis: $crate::rules::Basis::$basis,
                subject: $crate::rules::Subject::$subject,
                stage: $crate::Stage::$stage,
                section: $section,
            };
        )*
        pub(super) static RULES: &[&$crate::rules::Rule] = &[$(&$name),*];
        pub(super) static EXPLANATIONS: &[$crate::rules::Explanation] = &[$($crate::rules::Explanation {
            id: $id,
            rationale: $rationale,
            source: $source,
            refs: &[$($($reference),+)?],
            cwe: &[$($($cwe),+)?],
        }),*];
    };
}

macro_rules! areas {
    ($($area:ident,)*) => {
        $(pub(crate) mod $area;)*

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

/// Iterates over all rules, in the specification's order.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    AREAS.iter().flat_map(|(_, rules)| rules.iter().copied())
}

/// Returns the rule with this id, if there is one.
#[must_use]
pub fn get(id: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.id == id)
}

/// Returns the rule with this number, if there is one.
#[must_use]
pub fn by_number(number: RuleNumber) -> Option<&'static Rule> {
    all().find(|rule| rule.number == number)
}

/// Returns the rule that a FlatBuffer fault violates.
#[must_use]
pub const fn of_fault(code: Code) -> &'static Rule {
    match code {
        Code::RootOutOfBounds => &flatbuffer::FB_ROOT_OFFSET_RANGE,
        Code::RootMisaligned => &flatbuffer::FB_ROOT_ALIGNED,
        Code::TableMisaligned | Code::Misaligned => &flatbuffer::FB_ALIGNMENT,
        Code::VtableOutOfBounds
        | Code::VtableMisaligned
        | Code::VtableTooShort
        | Code::VtableOddLength
        | Code::VtablePastEnd
        | Code::FieldPastEnd => &flatbuffer::FB_VTABLE_VALID,
        Code::NullOffset | Code::OffsetTooLarge | Code::OffsetPastEnd => &flatbuffer::FB_UOFFSET_VALID,
        Code::VectorPastEnd => &flatbuffer::FB_VECTOR_IN_BOUNDS,
        Code::StringNotTerminated => &flatbuffer::FB_STRING_NUL,
        Code::UnionWithoutValue | Code::UnionWithoutType => &flatbuffer::FB_UNION_CONSISTENT,
    }
}

#[cfg(test)]
mod tests;
