//! **Vectors**: cases of the corpus as source code, alone or in a complete test, for projects that want neither this program
//! nor the corpus folder.

mod language;
mod literal;
mod source;
mod suite;

use language::Language;
pub(crate) use suite::{Suite, default_cases};

/// What an export consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum VectorFormat {
    /// C++17: a header
    Cpp,
    /// C99: a header
    C,
    /// Rust: a module
    Rust,
    /// Python: a module
    Python,
    /// Text: bytes in hex, with comments
    Hex,
    /// A complete test of ExecuTorch's C++ loader with GoogleTest
    Gtest,
    /// A complete test of a reader in Rust
    RustTest,
    /// A complete test of a reader in Python
    Pytest,
}

impl VectorFormat {
    pub(crate) const fn kind(self) -> Result<Language, Suite> {
        match self {
            VectorFormat::Cpp => Ok(Language::Cpp),
            VectorFormat::C => Ok(Language::C),
            VectorFormat::Rust => Ok(Language::Rust),
            VectorFormat::Python => Ok(Language::Python),
            VectorFormat::Hex => Ok(Language::Hex),
            VectorFormat::Gtest => Err(Suite::Gtest),
            VectorFormat::RustTest => Err(Suite::Rust),
            VectorFormat::Pytest => Err(Suite::Python),
        }
    }
}
