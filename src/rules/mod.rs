//! **The catalogue**: one declaration per rule; everything that prints a rule reads it from here.

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
