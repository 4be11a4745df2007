//! The malformed patterns: shapes of bad files that public reports describe.
//!
//! Each pattern has a stable id. The `refs` of a rule name the patterns that break the rule. A pattern that no rule can
//! state has the reason in [`Pattern::outside`].

/// Declares the patterns of one file as `PATTERNS`.
macro_rules! patterns {
    ($(
        $id:literal = $title:literal {
            $text:literal
            $(refs: [$($reference:literal),+ $(,)?])?
            $(outside: $outside:literal)?
        }
    )*) => {
        pub(super) static PATTERNS: &[$crate::rules::Pattern] = &[$($crate::rules::Pattern {
            id: $id,
            title: $title,
            text: $text,
            refs: &[$($($reference),+)?],
            outside: $crate::rules::patterns::first(&[$($outside)?]),
        }),*];
    };
}

mod container;
mod data;
mod method;
mod program;

/// One shape of malformed file.
///
/// ```
/// let pattern = torchproof::rules::pattern("H-04").unwrap();
/// assert_eq!(pattern.title, "Header length below the minimum");
/// ```
#[derive(Debug)]
#[cfg_attr(feature = "json", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Pattern {
    /// The id: the letter of a family and a number.
    pub id: &'static str,
    /// The name, as a noun phrase.
    pub title: &'static str,
    /// What the file contains, and what a careless reader does with it.
    pub text: &'static str,
    /// Public references: CVE and GHSA ids, pull requests and issues.
    pub refs: &'static [&'static str],
    /// Why no rule states the pattern, if none does.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub outside: Option<&'static str>,
}

const fn first(texts: &[&'static str]) -> Option<&'static str> {
    match texts {
        [] => None,
        [text, ..] => Some(text),
    }
}

static ALL: [&[Pattern]; 4] = [container::PATTERNS, program::PATTERNS, method::PATTERNS, data::PATTERNS];

/// Every malformed pattern, by family.
pub fn patterns() -> impl Iterator<Item = &'static Pattern> {
    ALL.iter().flat_map(|family| family.iter())
}

/// The malformed pattern with this id, if there is one.
#[must_use]
pub fn pattern(id: &str) -> Option<&'static Pattern> {
    patterns().find(|pattern| pattern.id == id)
}

#[cfg(test)]
mod tests;
