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
use crate::check::Target;
use crate::patch::{Patched, Patcher};
use crate::rules::Rule;

pub use crate::patch::Splice;
pub use verdict::{Role, Verdict};

/// What a reader is able to do that takes a program together with data files.
pub const PAIRS: &str = "pairs";

/// One case: what a reader is given, and what it must make of it.
#[derive(Debug)]
pub struct Case {
    /// `format/area/defect-in-words`: stable for ever, never reused.
    pub id: &'static str,
    /// One line for a table of results.
    pub title: &'static str,
    /// The explanation's lines.
    why: &'static [&'static str],
    /// What a reader must do.
    pub verdict: Verdict,
    /// The rule that it breaks, or that an accepted case exercises.
    pub rule: &'static Rule,
    /// The case whose bytes it edits.
    pub base: Option<&'static str>,
    /// CVE, GHSA or pull request ids of this very defect, beside the rule's own references.
    pub refs: &'static [&'static str],
    /// What a reader must be able to do for the case to apply to it, beyond its formats: its capabilities' names.
    pub needs: &'static [&'static str],
    /// The accepted data files that are loaded with it, by case; none of its own means its base's.
    with: &'static [&'static str],
    /// The hosts that it is about, if not all: those on which alone a file that may be either breaks its rule, or those that
    /// alone can take one that must be accepted.
    pub target: Option<Target>,
    make: Make,
}

/// How a case's bytes come about.
#[derive(Debug)]
enum Make {
    /// From nothing.
    Build(fn() -> Result<Vec<u8>, String>),
    /// From its base's bytes.
    Edit(fn(&mut Patcher<'_>)),
}

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

/// Declares the cases of one topic, as `CASES`.
///
/// * `build "id": "title" shows RULE => function;` is accepted, and its bytes come from `function`; with `about` it may be either.
/// * `accept "id": "title" shows RULE, from "base" => |file| …;` is accepted.
/// * `reject "id": "title" breaks RULE, from "base" => |file| …;` is rejected.
/// * `either "id": "title" about RULE, from "base" => |file| …;` may be either.
///
/// Behind the base, `refs [..]` may name public references of this very defect, and `needs [..]` capabilities without which the
/// case does not apply to a reader; `with [..]` the cases whose data files are loaded with the program; `target 32` says that the
/// rule is broken on 32-bit hosts alone, so that the verdict is the reader's host's, and `target 64` that no 32-bit host can take
/// a file that is right for others.
macro_rules! cases {
    ($(
        $(#[doc = $why:literal])+
        $word:ident $id:literal: $title:literal $relation:ident $rule:path
        $(, from $base:literal)? $(, with [$($companion:literal),+])? $(, refs [$($reference:literal),+])?
        $(, needs [$($need:literal),+])? $(, target $bits:tt)? => $make:expr;
    )*) => {
        /// The cases of this topic.
        pub(super) static CASES: &[$crate::cases::Case] = &[$($crate::cases::Case {
            id: $id,
            title: $title,
            why: &[$($why),+],
            verdict: $crate::cases::cases!(@verdict $word $relation),
            rule: &$rule,
            base: $crate::cases::cases!(@base $($base)?),
            refs: &[$($($reference),+)?],
            needs: &[$($($need),+)?],
            with: &[$($($companion),+)?],
            target: $crate::cases::cases!(@target $($bits)?),
            make: $crate::cases::cases!(@make $word $make),
        }),*];
    };
    (@verdict build shows) => { $crate::cases::Verdict::Accept };
    (@verdict build about) => { $crate::cases::Verdict::Either };
    (@verdict accept shows) => { $crate::cases::Verdict::Accept };
    (@verdict reject breaks) => { $crate::cases::Verdict::Reject };
    (@verdict either about) => { $crate::cases::Verdict::Either };
    (@target) => { None };
    (@target 32) => { Some($crate::check::Target::Bits32) };
    (@target 64) => { Some($crate::check::Target::Bits64) };
    (@base) => { None };
    (@base $base:literal) => { Some($base) };
    (@make build $make:expr) => { $crate::cases::Make::Build($make) };
    (@make $word:ident $make:expr) => { $crate::cases::Make::Edit($make) };
}
use cases;

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
