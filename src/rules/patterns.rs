//! The malformed patterns: known kinds of malformed files.
//!
//! Each pattern has a stable id. A rule's `refs` list the patterns that break it. If no rule can cover a pattern,
//! [`Pattern::outside`] says why.

/// Declares one source file's patterns in the static `PATTERNS`.
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

/// One kind of malformed file.
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
    /// The id: the letter of a family, a hyphen and a number.
    pub id: &'static str,
    /// The name, as a noun phrase.
    pub title: &'static str,
    /// What is unusual in the file.
    pub text: &'static str,
    /// Public references: CVE and GHSA ids, pull requests and issues.
    pub refs: &'static [&'static str],
    /// Why no rule covers the pattern; `None` if one does.
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

/// Returns every malformed pattern, grouped by family.
pub fn patterns() -> impl Iterator<Item = &'static Pattern> {
    ALL.iter().flat_map(|family| family.iter())
}

/// Returns the malformed pattern with this id, if there is one.
#[must_use]
pub fn pattern(id: &str) -> Option<&'static Pattern> {
    patterns().find(|pattern| pattern.id == id)
}

#[cfg(test)]
mod tests;
