//! Kinds of files.

use crate::named::named;

named! {
    /// A file's kind, according to its identifier and structure.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[cfg_attr(feature = "json", serde(rename_all = "kebab-case"))]
    #[non_exhaustive]
    pub enum FileKind {
        /// A program.
        Pte = "pte",
        /// A data file of the current layout.
        Ptd = "ptd",
        /// A data file of the legacy layout.
        PtdLegacy = "ptd-legacy",
        /// A program bundled with test cases.
        Bpte = "bpte",
        /// A `.ptn` package: a ZIP archive that contains a program in another schema and its constants. Packages are
        /// recognized but not checked.
        Ptn = "ptn",
        /// Any other file.
        Unknown = "unknown",
    }
}

impl FileKind {
    /// Guesses the kind of a file from its first bytes.
    ///
    /// `head` is the file's first 48 bytes, or the whole file if it is shorter. Only a check of the whole file can
    /// confirm the kind.
    ///
    /// The first bytes do not reveal a data file's layout, so the result is [`FileKind::Ptd`] for either layout.
    #[must_use]
    pub fn of_head(head: &[u8]) -> Self {
        let identifier = crate::flatbuffer::identifier(head).unwrap_or_default();
        match &identifier[..2] {
            b"ET" => FileKind::Pte,
            b"FT" => FileKind::Ptd,
            b"BP" => FileKind::Bpte,
            _ if is_package(head) => FileKind::Ptn,
            _ => FileKind::Unknown,
        }
    }
}

/// A ZIP archive whose first member is the program.
fn is_package(head: &[u8]) -> bool {
    const MEMBER: &[u8] = b"program.ptg";
    let len = crate::flatbuffer::u16_at(head, 26).map_or(0, usize::from);
    head.starts_with(b"PK\x03\x04") && head.get(30..).and_then(|name| name.get(..len)) == Some(MEMBER)
}

/// A file's role: a program (`.pte`), a data file (`.ptd`) or a bundled program (`.bpte`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Role {
    /// A program: a `.pte` file.
    Program,
    /// A data file: a `.ptd` file.
    Data,
    /// A program bundled with test cases: a `.bpte` file.
    Bundled,
}

impl Role {
    /// Returns the file name extension.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Role::Program => "pte",
            Role::Data => "ptd",
            Role::Bundled => "bpte",
        }
    }
}
