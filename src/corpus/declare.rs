//! A case, and the macro that declares the cases of a topic.

use alloc::string::String;
use alloc::vec::Vec;

use super::verdict::Verdict;
use crate::check::Target;
use crate::patch::Patcher;
use crate::rules::Rule;

/// One case: what a reader is given, and what it must make of it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Case {
    /// `format/area/defect-in-words`: stable for ever, never reused.
    pub id: &'static str,
    /// One line for a table of results.
    pub title: &'static str,
    /// The explanation's lines.
    pub(super) why: &'static [&'static str],
    /// What a reader must do.
    pub verdict: Verdict,
    /// The rule that it breaks, or that an accepted case exercises.
    pub rule: &'static Rule,
    /// The case whose bytes it edits.
    pub base: Option<&'static str>,
    /// CVE, GHSA or pull request ids of this very defect, beside the rule's own references.
    pub refs: &'static [&'static str],
    /// The capabilities that it needs, but that of reading a program together with data files.
    pub(super) needs: &'static [&'static str],
    /// The accepted data files that are loaded with it, by case; none of its own means its base's.
    pub(super) with: &'static [&'static str],
    /// The hosts that it is about, if not all: those on which alone a file that may be either breaks its rule, or those that
    /// alone can take one that must be accepted.
    pub target: Option<Target>,
    pub(super) make: Make,
}

/// How a case's bytes come about.
#[derive(Debug)]
pub(super) enum Make {
    /// From nothing.
    Build(fn() -> Result<Vec<u8>, String>),
    /// From its base's bytes.
    Edit(fn(&mut Patcher<'_>)),
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
        pub(super) static CASES: &[$crate::corpus::declare::Case] = &[$($crate::corpus::declare::Case {
            id: $id,
            title: $title,
            why: &[$($why),+],
            verdict: $crate::corpus::declare::cases!(@verdict $word $relation),
            rule: &$rule,
            base: $crate::corpus::declare::cases!(@base $($base)?),
            refs: &[$($($reference),+)?],
            needs: &[$($($need),+)?],
            with: &[$($($companion),+)?],
            target: $crate::corpus::declare::cases!(@target $($bits)?),
            make: $crate::corpus::declare::cases!(@make $word $make),
        }),*];
    };
    (@verdict build shows) => { $crate::corpus::Verdict::Accept };
    (@verdict build about) => { $crate::corpus::Verdict::Either };
    (@verdict accept shows) => { $crate::corpus::Verdict::Accept };
    (@verdict reject breaks) => { $crate::corpus::Verdict::Reject };
    (@verdict either about) => { $crate::corpus::Verdict::Either };
    (@target) => { None };
    (@target 32) => { Some($crate::check::Target::Bits32) };
    (@target 64) => { Some($crate::check::Target::Bits64) };
    (@base) => { None };
    (@base $base:literal) => { Some($base) };
    (@make build $make:expr) => { $crate::corpus::declare::Make::Build($make) };
    (@make $word:ident $make:expr) => { $crate::corpus::declare::Make::Edit($make) };
}
pub(super) use cases;
