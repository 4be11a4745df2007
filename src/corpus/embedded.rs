//! The cases with their bytes, for the tests of a reader in Rust.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use super::{Role, Verdict};
use crate::cases::{self, Built, DeclaredCase, Splice};
use crate::check::Target;
use crate::rules::Rule;
use crate::{Span, Stage};

/// A case of the corpus with its bytes.
///
/// A reader is given [`bytes`](Self::bytes), or [`files`](Self::files) if it can take a program with its data files, and must do
/// what [`verdict`](Self::verdict) says. A case [`needs`](Self::needs) something of some readers, and says nothing of those that
/// cannot do it.
#[derive(Clone, Debug)]
pub struct Embedded {
    case: &'static DeclaredCase,
    built: Built,
    data: Vec<Vec<u8>>,
}

/// One file of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmbeddedFile<'a> {
    /// What it is to the reader.
    pub role: Role,
    /// The whole of it.
    pub bytes: &'a [u8],
}

/// Every case of the corpus, in the order of their topics.
///
/// The bytes of a case are made when it comes up: the same at every call, on every machine.
///
/// ```
/// use torchproof::corpus::{Role, Verdict, embedded};
///
/// // A reader of programs that knows the identifier, and nothing else of the format.
/// let reader = |bytes: &[u8]| bytes.get(4..8) == Some(b"ET12");
/// let cases = || embedded().filter(|case| case.role() == Role::Program && case.needs().is_empty());
/// let wrong = cases().filter(|case| !case.verdict().allows(reader(case.bytes()))).count();
/// let accepted = cases().filter(|case| case.verdict() == Verdict::Accept).count();
/// assert!(wrong > 300 && accepted > 60);
/// ```
pub fn embedded() -> impl Iterator<Item = Embedded> {
    cases::all().map(Embedded::of)
}

impl Embedded {
    /// The case of this id, if there is one.
    #[must_use]
    pub fn find(id: &str) -> Option<Self> {
        cases::find(id).map(Self::of)
    }

    fn of(case: &'static DeclaredCase) -> Self {
        let build = |case: &DeclaredCase| case.build().expect("every case of the registry is built by a test");
        let companions = case.companions().iter().filter_map(|id| cases::find(id));
        Self { case, built: build(case), data: companions.map(|case| build(case).bytes).collect() }
    }

    /// `format/area/defect-in-words`: stable for ever, never reused.
    #[must_use]
    pub fn id(&self) -> &'static str {
        self.case.id
    }

    /// The case in a few words.
    #[must_use]
    pub fn title(&self) -> &'static str {
        self.case.title
    }

    /// What readers get wrong here, and what that does.
    #[must_use]
    pub fn why(&self) -> String {
        self.case.why()
    }

    /// What a reader must do.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.case.verdict
    }

    /// The rule that a rejected case breaks, or that an accepted one is about.
    #[must_use]
    pub fn rule(&self) -> &'static Rule {
        self.case.rule
    }

    /// The latest stage of reading at which a rejection is still in time; only a case that must be rejected has one.
    #[must_use]
    pub fn stage(&self) -> Option<Stage> {
        (self.case.verdict == Verdict::Reject).then_some(self.case.rule.stage)
    }

    /// What the case's own file is.
    #[must_use]
    pub fn role(&self) -> Role {
        self.case.role()
    }

    /// The case's own file.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.built.bytes
    }

    /// The case's own file, and behind a program the data files that it is loaded with.
    pub fn files(&self) -> impl Iterator<Item = EmbeddedFile<'_>> {
        let own = EmbeddedFile { role: self.role(), bytes: self.bytes() };
        core::iter::once(own).chain(self.data.iter().map(|bytes| EmbeddedFile { role: Role::Data, bytes }))
    }

    /// What a reader must be able to do for the case to apply to it, as `needs` in the manifest: none for most.
    #[must_use]
    pub fn needs(&self) -> Vec<&'static str> {
        self.case.all_needs().collect()
    }

    /// The width of the hosts that the case is about, where that is not every host.
    ///
    /// 32: the file breaks its rule there alone, and the verdict is [`Verdict::Either`]; a reader for such hosts rejects it. 64: the
    /// file is right, and no host of 32 bits can take it.
    #[must_use]
    pub fn target_bits(&self) -> Option<u32> {
        self.case.target.map(Target::bits)
    }

    /// The accepted twin of a rejected case, which differs in the defect alone: a reader that refuses it too has not noticed the
    /// defect.
    #[must_use]
    pub fn control(&self) -> Option<Self> {
        self.case.base.and_then(Self::find)
    }

    /// How the case's own file comes from its control's: none for one that has no control.
    #[must_use]
    pub fn edits(&self) -> &[Splice] {
        &self.built.edits
    }

    /// Where the first change was made.
    #[must_use]
    pub fn at(&self) -> Option<Span> {
        self.built.at
    }

    /// The field that it was made in.
    #[must_use]
    pub fn path(&self) -> Option<&str> {
        self.built.path.as_deref()
    }

    /// What a file that must be accepted holds, as its [canonical JSON](crate::view).
    #[cfg(feature = "json")]
    #[must_use]
    pub fn expect(&self) -> Option<serde_json::Value> {
        let accepted = self.case.verdict == Verdict::Accept;
        accepted.then(|| crate::view::to_value(self.bytes()).ok()).flatten()
    }
}

/// For the message of a test that failed: the id, what must be done, and the title.
impl fmt::Display for Embedded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let must = match self.case.verdict {
            Verdict::Accept => "must be accepted",
            Verdict::Reject => "must be rejected",
            Verdict::Either => "may be accepted or rejected",
        };
        write!(f, "{} {must}: {}", self.case.id, self.case.title)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_is_embedded_with_all_that_belongs_to_it() {
        assert!(embedded().map(|case| case.id()).eq(cases::all().map(|case| case.id)));
        for case in embedded() {
            assert_eq!(case.files().next(), Some(EmbeddedFile { role: case.role(), bytes: case.bytes() }), "{case}");
            assert_eq!(case.files().count() > 1, case.needs().contains(&cases::PAIRS), "{case}");
            assert!(case.files().skip(1).all(|file| file.role == Role::Data && !file.bytes.is_empty()), "{case}");
            if case.verdict() == Verdict::Reject {
                let control = case.control().expect("a rejected case has a control");
                assert!(control.verdict() != Verdict::Reject && control.bytes() != case.bytes(), "{case}");
                assert_eq!(case.stage(), Some(case.rule().stage), "{case}");
            }
            #[cfg(feature = "json")]
            assert_eq!(case.expect().is_some(), case.verdict() == Verdict::Accept, "{case}");
        }
        let pair = Embedded::find("pte/valid/external-constants").expect("there is such a case");
        assert_eq!(pair.files().map(|file| file.role).collect::<Vec<_>>(), [Role::Program, Role::Data]);
    }

    #[test]
    fn a_verdict_allows_what_it_says() {
        for (verdict, accepted, rejected) in
            [(Verdict::Accept, true, false), (Verdict::Reject, false, true), (Verdict::Either, true, true)]
        {
            assert_eq!((verdict.allows(true), verdict.allows(false)), (accepted, rejected), "{verdict:?}");
        }
    }
}
