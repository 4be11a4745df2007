//! **The case registry**: each case a small function, its doc comment the public explanation.
//!
//! A case has an explicit id that is never reused, a verdict, the one rule that it is about, and bytes that are a pure function
//! of this code. Most are a *base* case with a defect put in by a [`Patcher`]; the base is then the control, which a reader
//! must accept for its rejection of the case to count.
//!
//! ```
//! let case = torchproof::cases::find("pte/header/length-23").unwrap();
//! let built = case.build().unwrap();
//! assert_eq!(built.edits.len(), 1);
//! assert_eq!(case.base, Some("pte/valid/constants"));
//! ```

mod base;
mod bundled;
mod data_header;
mod data_segments;
mod data_structure;
mod declare;
mod defects;
mod layouts;
mod older_data;
mod program_base;
mod program_constants;
mod program_delegates;
mod program_external;
mod program_header;
mod program_instructions;
mod program_kernels;
mod program_limits;
mod program_memory;
mod program_metadata;
mod program_methods;
mod program_mutable;
mod program_named_data;
mod program_segments;
mod program_structure;
mod program_tensor_data;
mod program_tensors;
mod program_values;
mod program_vectors;
mod truncation;
mod valid;
mod verdict;

#[cfg(test)]
mod tests;

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::Span;
use crate::patch::{Patched, Patcher};

pub use crate::patch::Splice;
pub use declare::DeclaredCase;
use declare::{Make, cases};
pub use verdict::{Role, Verdict};

/// What a reader is able to do that takes a program together with data files.
pub const PAIRS: &str = "pairs";

/// A case's bytes, and how they came from its base's.
#[derive(Clone, Debug)]
pub struct Built {
    /// The file.
    pub bytes: Vec<u8>,
    /// The changes, in order; none in a case without a base.
    pub edits: Vec<Splice>,
    /// Where the first change was made.
    pub at: Option<Span>,
    /// The field that it was made in.
    pub path: Option<String>,
}

/// A case's function asked for something that cannot be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseError {
    /// The case.
    pub id: &'static str,
    /// Why it has no bytes.
    pub message: String,
}

impl fmt::Display for CaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "case {}: {}", self.id, self.message)
    }
}

impl core::error::Error for CaseError {}

impl DeclaredCase {
    /// What readers get wrong here, and what that does.
    #[must_use]
    pub fn why(&self) -> String {
        let lines: Vec<&str> = self.why.iter().map(|line| line.trim()).collect();
        lines.join(" ")
    }

    /// What the file is to a reader.
    #[must_use]
    pub fn role(&self) -> Role {
        match self.id.split('/').next() {
            Some("pte") => Role::Program,
            Some("bpte") => Role::Bundled,
            _ => Role::Data,
        }
    }

    /// The cases whose files are loaded with this one's, which is then a program.
    #[must_use]
    pub fn companions(&self) -> &'static [&'static str] {
        match self.base.and_then(find) {
            Some(base) if self.with.is_empty() => base.companions(),
            _ => self.with,
        }
    }

    /// All that a reader must be able to do for the case to apply to it: its own needs, and to read a program together with data
    /// files.
    pub fn all_needs(&self) -> impl Iterator<Item = &'static str> {
        self.needs.iter().copied().chain((!self.companions().is_empty()).then_some(PAIRS))
    }

    /// Makes the case's bytes: the same at every call, on every machine.
    ///
    /// # Errors
    ///
    /// The case's function asks for a part that its base does not have.
    pub fn build(&self) -> Result<Built, CaseError> {
        let fail = |message| CaseError { id: self.id, message };
        match (&self.make, self.base) {
            (Make::Build(make), _) => {
                let bytes = make().map_err(fail)?;
                Ok(Built { bytes, edits: Vec::new(), at: None, path: None })
            }
            (Make::Edit(make), Some(base)) => {
                let base = find(base).ok_or_else(|| fail(alloc::format!("its base {base} does not exist")))?;
                let mut file = Patcher::new(base.build()?.bytes);
                make(&mut file);
                let Patched { bytes, splices: edits, path } = file.finish().map_err(fail)?;
                let at = edits.first().map(|edit| Span::new(edit.at, edit.now.len() as u64));
                Ok(Built { bytes, edits, at, path })
            }
            (Make::Edit(_), None) => Err(fail("it edits and names no base".into())),
        }
    }
}

/// The topics, each a file of its own.
static TOPICS: &[&[DeclaredCase]] = &[
    valid::CASES,
    truncation::CASES,
    program_header::CASES,
    program_structure::CASES,
    program_vectors::CASES,
    program_limits::CASES,
    program_segments::CASES,
    program_constants::CASES,
    program_mutable::CASES,
    program_named_data::CASES,
    program_metadata::CASES,
    program_methods::CASES,
    program_delegates::CASES,
    program_values::CASES,
    program_tensors::CASES,
    program_tensor_data::CASES,
    program_memory::CASES,
    program_instructions::CASES,
    program_kernels::CASES,
    program_external::CASES,
    data_header::CASES,
    data_structure::CASES,
    data_segments::CASES,
    layouts::CASES,
    older_data::CASES,
    bundled::CASES,
];

/// Rules of files that no case shows, each with the reason.
pub static WITHOUT_CASE: &[(&str, &str)] = &[
    ("fb-max-size", "takes a FlatBuffer of 2 GiB, which no corpus can hold; the tests of `check` use a sparse file"),
    (
        "eh-py-needs-40",
        "a header and a list of methods are 40 bytes already, so that a shorter file breaks other rules",
    ),
    ("eh-target-32", "takes a file of more than 4 GiB, since a header may not promise more than the file has"),
    ("fh-target-32", "takes a file of more than 4 GiB as well"),
];

/// Every case, by topic.
pub fn all() -> impl Iterator<Item = &'static DeclaredCase> {
    TOPICS.iter().flat_map(|topic| topic.iter())
}

/// The case with this id, if there is one.
#[must_use]
pub fn find(id: &str) -> Option<&'static DeclaredCase> {
    all().find(|case| case.id == id)
}
