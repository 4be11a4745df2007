//! **The corpus**: files that a reader must accept or reject.
//!
//! Each [`Case`] has a permanent id, a public explanation, a verdict, one rule, and bytes that depend only on this
//! code. Most cases copy an accepted file, the *base*, and add one defect. The base is the control: a reader that
//! rejects the base too has not detected the defect. The files themselves are also in `corpus/files/`.
//!
//! ```
//! # fn my_reader(bytes: &[u8]) -> Result<(), ()> {
//! #     torchproof::check(bytes).accepts().then_some(()).ok_or(())
//! # }
//! for case in torchproof::corpus::all().filter(|case| case.needs().is_empty()) {
//!     assert!(case.verdict.allows(my_reader(&case.build().bytes).is_ok()), "{case}");
//! }
//! ```
//!
//! [`Case::build`] creates the bytes. [`needs`](Case::needs) lists the optional reader capabilities that a case
//! requires, so that tests can skip or select the case.

mod base;
mod bundled;
mod data_header;
mod data_segments;
mod data_structure;
mod declare;
mod defects;
mod layouts;
mod legacy_data;
mod program_base;
mod program_constants;
mod program_delegates;
mod program_external;
mod program_header;
mod program_instructions;
mod program_kernels;
mod program_limits;
mod program_loads;
mod program_memory;
mod program_metadata;
mod program_methods;
mod program_mutable;
mod program_named_data;
mod program_numbers;
mod program_operators;
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

use crate::patch::{PatchedFile, Patcher};
use crate::{Role, Stage};

pub use crate::patch::Splice;
pub use declare::Case;
use declare::{Make, cases};
#[cfg(test)]
pub(crate) use program_delegates::keyed_xnnpack_blob;
pub use verdict::Verdict;

/// A case's bytes, and how they differ from its base.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BuiltCase {
    /// The file's bytes.
    pub bytes: Vec<u8>,
    /// The changes from the base's bytes, in order; empty for a case without a base.
    pub edits: Vec<Splice>,
    /// The path of the first field that the edits change.
    pub path: Option<String>,
}

impl Case {
    /// Returns the explanation: what is wrong or unusual in the file, and what readers do with it.
    #[must_use]
    pub fn why(&self) -> String {
        let lines: Vec<&str> = self.why.iter().map(|line| line.trim()).collect();
        lines.join(" ")
    }

    /// Returns the file's role: program, data file or bundled program.
    #[must_use]
    pub fn role(&self) -> Role {
        match self.id.split('/').next() {
            Some("pte") => Role::Program,
            Some("bpte") => Role::Bundled,
            _ => Role::Data,
        }
    }

    /// Returns the latest stage at which a reader may still reject the file.
    ///
    /// Returns `None` if the verdict is not `reject`.
    #[must_use]
    pub fn stage(&self) -> Option<Stage> {
        (self.verdict == Verdict::Reject).then(|| self.due.unwrap_or(self.rule.stage))
    }

    /// Returns the ids of the cases whose data files a reader must load with this program.
    #[must_use]
    pub fn companions(&self) -> &'static [&'static str] {
        match self.base.and_then(find) {
            Some(base) if self.with.is_empty() => base.companions(),
            _ => self.with,
        }
    }

    /// Returns the capabilities that a reader needs for this case, in addition to support for the file formats.
    #[must_use]
    pub fn needs(&self) -> Vec<&'static str> {
        let bundled = (self.role() == Role::Bundled).then_some("bundled");
        let pairs = (!self.companions().is_empty()).then_some("pairs");
        self.needs.iter().copied().chain(bundled).chain(pairs).collect()
    }

    /// Creates the case's bytes, which are the same every time and on every machine.
    ///
    /// # Panics
    ///
    /// Never panics for a released case, because a test builds every case.
    #[must_use]
    pub fn build(&self) -> BuiltCase {
        self.try_build().unwrap_or_else(|message| panic!("case {}: {message}", self.id))
    }

    fn try_build(&self) -> Result<BuiltCase, String> {
        match (&self.make, self.base) {
            (Make::Build(make), _) => Ok(BuiltCase { bytes: make()?, edits: Vec::new(), path: None }),
            (Make::Edit(make), Some(base)) => {
                let base = find(base).ok_or_else(|| alloc::format!("base `{base}`: no such case"))?;
                let mut file = Patcher::new(base.build().bytes);
                make(&mut file);
                let PatchedFile { bytes, splices: edits, path } = file.finish()?;
                Ok(BuiltCase { bytes, edits, path })
            }
            (Make::Edit(_), None) => Err("edits a file but names no base".into()),
        }
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let must = match self.verdict {
            Verdict::Accept => "must be accepted",
            Verdict::Reject => "must be rejected",
            Verdict::Either => "may be accepted or rejected",
        };
        write!(f, "{} {must}: {}", self.id, self.title)
    }
}

static TOPICS: &[&[Case]] = &[
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
    program_operators::CASES,
    program_numbers::CASES,
    program_external::CASES,
    program_loads::CASES,
    data_header::CASES,
    data_structure::CASES,
    data_segments::CASES,
    layouts::CASES,
    legacy_data::CASES,
    bundled::CASES,
];

/// The ids of the rules that have no case, each with the reason.
pub static UNTESTED_RULES: &[(&str, &str)] = &[
    (
        "fb-max-size",
        "needs a FlatBuffer of 2 GiB, which is too large for a corpus; the tests of `check` use a sparse file",
    ),
    (
        "eh-py-needs-40",
        "a file shorter than 40 bytes also breaks other rules, because a header and a list of methods alone need 40",
    ),
    (
        "eh-target-32",
        "needs a file of more than 4 GiB, because a header must not declare more data than the file contains",
    ),
    ("fh-target-32", "needs a file of more than 4 GiB"),
];

/// Returns every case, grouped by topic.
pub fn all() -> impl Iterator<Item = &'static Case> {
    TOPICS.iter().flat_map(|topic| topic.iter())
}

/// Returns the case with the given id, or `None` if there is none.
#[must_use]
pub fn find(id: &str) -> Option<&'static Case> {
    all().find(|case| case.id == id)
}
