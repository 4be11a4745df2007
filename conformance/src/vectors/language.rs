//! The languages that vectors are written in.

/// A language for vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    C,
    Cpp,
    Hex,
    Python,
    Rust,
}

impl Language {
    pub(super) const fn template(self) -> &'static str {
        match self {
            Language::C => include_str!("templates/vectors.c.jinja"),
            Language::Cpp => include_str!("templates/vectors.h.jinja"),
            Language::Hex => include_str!("templates/vectors.txt.jinja"),
            Language::Python => include_str!("templates/vectors.py.jinja"),
            Language::Rust => include_str!("templates/vectors.rs.jinja"),
        }
    }

    pub(super) const fn indent(self) -> &'static str {
        match self {
            Language::Hex => "",
            Language::C => "    ",
            Language::Cpp | Language::Python | Language::Rust => "        ",
        }
    }
}
