//! **The corpus**: files that a reader must accept or reject, for the tests of a reader in Rust.
//!
//! Each [`Case`] is a small function, and its doc comment is the public explanation. A case has an id that is never reused, a
//! verdict, the one rule that it is about, and bytes that are a pure function of this code. Most cases are an accepted *base* with
//! one defect; the base is the control: a reader that rejects it too has not noticed the defect. `corpus/files/` holds the same
//! bytes.
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
//! The bytes of a case are made when [`Case::build`] is called. What [`needs`](Case::needs) something of a reader can be left
//! out, as it is here, or chosen by name.

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

use crate::Stage;
use crate::patch::{Patched, Patcher};

pub use crate::patch::Splice;
pub use declare::Case;
use declare::{Make, cases};
pub use verdict::{Role, Verdict};

/// What a reader is able to do that takes a program together with data files.
const PAIRS: &str = "pairs";

/// A case's bytes, and how they came from its base's.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Built {
    /// The file.
    pub bytes: Vec<u8>,
    /// The changes, in order; none in a case without a base.
    pub edits: Vec<Splice>,
    /// The field that was changed first.
    pub path: Option<String>,
}

impl Case {
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

    /// The latest stage of reading at which a rejection is in time; only a case that must be rejected has one.
    #[must_use]
    pub fn stage(&self) -> Option<Stage> {
        (self.verdict == Verdict::Reject).then_some(self.rule.stage)
    }

    /// The ids of the accepted cases whose data files are loaded with this one's file, which is then a program.
    #[must_use]
    pub fn companions(&self) -> &'static [&'static str] {
        match self.base.and_then(find) {
            Some(base) if self.with.is_empty() => base.companions(),
            _ => self.with,
        }
    }

    /// What a reader must be able to do for the case to apply to it, beyond its formats: the names of its capabilities.
    #[must_use]
    pub fn needs(&self) -> Vec<&'static str> {
        self.needs.iter().copied().chain((!self.companions().is_empty()).then_some(PAIRS)).collect()
    }

    /// Makes the case's bytes: the same at every call, on every machine.
    ///
    /// # Panics
    ///
    /// Never for a released case: a test builds each.
    #[must_use]
    pub fn build(&self) -> Built {
        self.try_build().unwrap_or_else(|message| panic!("case {}: {message}", self.id))
    }

    fn try_build(&self) -> Result<Built, String> {
        match (&self.make, self.base) {
            (Make::Build(make), _) => Ok(Built { bytes: make()?, edits: Vec::new(), path: None }),
            (Make::Edit(make), Some(base)) => {
                let base = find(base).ok_or_else(|| alloc::format!("its base {base} does not exist"))?;
                let mut file = Patcher::new(base.build().bytes);
                make(&mut file);
                let Patched { bytes, splices: edits, path } = file.finish()?;
                Ok(Built { bytes, edits, path })
            }
            (Make::Edit(_), None) => Err("it edits and names no base".into()),
        }
    }
}

/// For the message of a test that failed: the id, what must be done, and the title.
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

/// The topics, each a file of its own.
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
pub fn all() -> impl Iterator<Item = &'static Case> {
    TOPICS.iter().flat_map(|topic| topic.iter())
}

/// The case with this id, if there is one.
#[must_use]
pub fn find(id: &str) -> Option<&'static Case> {
    all().find(|case| case.id == id)
}
