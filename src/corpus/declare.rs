//! The type of a case, and the macro that declares a topic's cases.

use alloc::string::String;
use alloc::vec::Vec;

use super::verdict::Verdict;
use crate::Stage;
use crate::check::Target;
use crate::patch::Patcher;
use crate::rules::Rule;

/// A file in the corpus, and the outcome that readers must reach for it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Case {
    /// The id, `format/area/defect-in-words`. An id never changes and is never reused.
    pub id: &'static str,
    /// The title, shown in result tables: one line without a period.
    pub title: &'static str,
    pub(super) why: &'static [&'static str],
    /// The required outcome.
    pub verdict: Verdict,
    /// The rule that the case breaks or, for an `accept` case, the rule that it tests.
    pub rule: &'static Rule,
    /// The latest stage at which a reader may reject the file, if it differs from the rule's stage.
    pub(super) due: Option<Stage>,
    /// The case whose bytes this case edits.
    pub base: Option<&'static str>,
    /// The CVE, GHSA or pull request ids of exactly this defect, in addition to the rule's references.
    pub refs: &'static [&'static str],
    /// The capabilities that a reader needs, apart from those that the role and the data files imply.
    pub(super) needs: &'static [&'static str],
    /// The cases whose data files a reader must load with this file. If the list is empty, the base's list applies.
    pub(super) with: &'static [&'static str],
    /// The hosts that the verdict applies to, or `None` for all hosts.
    ///
    /// An `either` file breaks its rule only on these hosts, and an `accept` file loads only on them.
    pub target: Option<Target>,
    pub(super) make: Make,
}

#[derive(Debug)]
pub(super) enum Make {
    Build(fn() -> Result<Vec<u8>, String>),
    Edit(fn(&mut Patcher<'_>)),
}

/// Declares `CASES`, the cases of one topic.
///
/// * `build "id": "title" shows RULE => function;` declares a file that readers must accept. The function returns the
///   file's bytes. If `about` replaces `shows`, readers may accept or reject the file.
/// * `accept "id": "title" shows RULE, from "base" => |file| …;` declares an edited file that readers must accept.
/// * `reject "id": "title" breaks RULE, from "base" => |file| …;` declares an edited file that readers must reject.
/// * `either "id": "title" about RULE, from "base" => |file| …;` declares an edited file that readers may accept or
///   reject.
///
/// Optional parts can follow the rule. `by Method` sets the latest stage at which readers may reject the file, instead
/// of the rule's stage. `with [..]` lists the cases whose data files a reader must load. `refs [..]` names public
/// references to exactly this defect, and `needs [..]` lists required capabilities. `target 32` means that the file
/// breaks the rule only on 32-bit hosts. `target 64` means that the file is valid but loads only on 64-bit hosts.
macro_rules! cases {
    ($(
        $(#[doc = $why:expr])+
        $word:ident $id:literal: $title:literal $relation:ident $rule:path
        $(, by $due:ident)? $(, from $base:literal)? $(, with [$($companion:literal),+])? $(, refs [$($reference:literal),+])?
        $(, needs [$($need:literal),+])? $(, target $bits:tt)? => $make:expr;
    )*) => {
        pub(super) static CASES: &[$crate::corpus::declare::Case] = &[$($crate::corpus::declare::Case {
            id: $id,
            title: $title,
            why: &[$($why),+],
            verdict: $crate::corpus::declare::cases!(@verdict $word $relation),
            rule: &$rule,
            due: $crate::corpus::declare::cases!(@due $($due)?),
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
    (@due) => { None };
    (@due $due:ident) => { Some($crate::Stage::$due) };
    (@base) => { None };
    (@base $base:literal) => { Some($base) };
    (@make build $make:expr) => { $crate::corpus::declare::Make::Build($make) };
    (@make $word:ident $make:expr) => { $crate::corpus::declare::Make::Edit($make) };
}
pub(super) use cases;
