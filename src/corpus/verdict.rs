//! The verdict of a case.

use crate::named::named;

named! {
    /// The outcome that a case requires of readers.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum Verdict {
        /// The reader must accept the file and report the expected values.
        Accept = "accept",
        /// The reader must reject the file with a clean error.
        Reject = "reject",
        /// The reader may accept or reject the file, but must not crash or hang.
        Either = "either",
    }
}

impl Verdict {
    /// Returns whether the verdict allows what a reader did. `accepted` is true if the reader accepted the file.
    #[must_use]
    pub const fn allows(self, accepted: bool) -> bool {
        match self {
            Verdict::Accept => accepted,
            Verdict::Reject => !accepted,
            Verdict::Either => true,
        }
    }
}
