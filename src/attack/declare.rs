//! An attack and its label, and the macro that declares the attacks of a family.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use super::base::{Base, layout_of};
use super::findings::findings;
use super::forge::{Forge, Forged};
use crate::check::Target;
use crate::patch::Splice;
use crate::rules::Rule;
use crate::{FileKind, Span};

/// What an attack does to a file that the checker accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Effect {
    /// The file breaks the attack's rule: the checker finds it, perhaps among others.
    Breaks,
    /// The file breaks no must-rule: the checker accepts it, perhaps with warnings.
    Preserves,
    /// Nobody can tell beforehand: a reader must answer, whatever it answers.
    Unknown,
}

impl Effect {
    /// The word used in labels.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Effect::Breaks => "breaks",
            Effect::Preserves => "preserves",
            Effect::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// One way to attack a file.
#[derive(Debug)]
#[non_exhaustive]
pub struct Attack {
    /// `family/name`: stable for ever.
    pub name: &'static str,
    /// What it does, as one sentence.
    pub sentence: &'static str,
    /// The rule that it breaks, if its effect is that.
    pub rule: Option<&'static Rule>,
    /// What it does to an accepted file.
    pub effect: Effect,
    /// The hosts on which the file breaks the rule: all of them, or those of 32 bits alone.
    pub target: Target,
    /// The hash of its name.
    pub(super) hash: u64,
    /// The first edition that has it.
    pub(super) edition: u32,
    pub(super) make: fn(&mut Forge<'_>) -> Option<()>,
}

/// What is wrong with an attacked file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Label {
    /// The attack.
    pub attack: &'static str,
    /// The rule that the file breaks; only with [`Effect::Breaks`].
    pub rule: Option<&'static Rule>,
    /// The field that was attacked, as findings name fields; empty for the file as a whole.
    pub path: String,
    /// The bytes that were changed first, in the attacked file.
    pub span: Span,
    /// What the attack came to.
    pub effect: Effect,
    /// The hosts for which the effect is that.
    pub target: Target,
    /// Every attack that was put on the file, in the order in which they were: one, unless it is the label of [several](super::compose).
    pub steps: Vec<Step>,
}

/// One of the attacks that were put on a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// The attack.
    pub attack: &'static str,
    /// The field that it attacked, as findings name fields; empty for the file as a whole.
    pub path: String,
    /// The bytes that it changed first, at the place where they are in the file that came of all attacks; a later one may have
    /// changed them again.
    pub span: Span,
}

impl Label {
    /// The attack's family.
    #[must_use]
    pub fn family(&self) -> &'static str {
        self.attack.split('/').next().unwrap_or_default()
    }
}

/// An attacked file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attacked {
    /// The file.
    pub bytes: Vec<u8>,
    /// What is wrong with it.
    pub label: Label,
    /// Every change of the bytes.
    pub(super) splices: Vec<Splice>,
}

impl Attack {
    /// The attack's family.
    #[must_use]
    pub fn family(&self) -> &'static str {
        self.name.split('/').next().unwrap_or_default()
    }

    /// Attacks a file: the same bytes and label for the same base and seed, for ever.
    ///
    /// `None` when the file has no place for this attack. The time is linear in the file.
    ///
    /// What the attack does is known for accepted files, unless the parts of one overlap. Of any other, the checker is asked what
    /// became of it: the label says that the rule is broken only if it finds that, and never that nothing is.
    #[must_use]
    pub fn apply(&self, base: &Base, seed: u64) -> Option<Attacked> {
        let mut forge = Forge::new(base, seed);
        (self.make)(&mut forge)?;
        let Forged { bytes, path, span, splices } = forge.finish()?;
        let known = if base.is_foreseeable() { self.keeps_layout(base, &bytes) } else { self.is_found(&bytes) };
        let (rule, effect) = if known { (self.rule, self.effect) } else { (None, Effect::Unknown) };
        let steps = alloc::vec![Step { attack: self.name, path: path.clone(), span }];
        let label = Label { attack: self.name, rule, path, span, effect, target: self.target, steps };
        Some(Attacked { bytes, label, splices })
    }

    /// Whether a data file is still read in the layout that it was attacked in.
    ///
    /// The two layouts have one identifier and are told apart by which of them fits better, so a change to one can make the
    /// other fit, and then other rules are asked.
    fn keeps_layout(&self, base: &Base, bytes: &[u8]) -> bool {
        let data = matches!(base.kind(), FileKind::Ptd | FileKind::PtdLegacy);
        !data || self.effect != Effect::Breaks || layout_of(bytes).is_none_or(|layout| layout == base.kind())
    }

    /// Whether the checker finds the rule broken.
    fn is_found(&self, bytes: &[u8]) -> bool {
        self.effect == Effect::Breaks && findings(bytes, self.target, self.rule).1
    }
}

/// Declares the attacks of one family, as `ATTACKS`.
///
/// * `breaks "family/name": RULE => |forge| …;` breaks a must-rule, with `target 32` behind the rule on 32-bit hosts alone.
/// * `preserves "family/name" => |forge| …;` leaves an accepted file accepted.
/// * `unknown "family/name" => |forge| …;` does one or the other.
macro_rules! attacks {
    ($(
        $(#[doc = $doc:literal])+
        $word:ident $name:literal $(: $rule:path)? $(, target $bits:tt)? => $make:expr;
    )*) => {
        /// The attacks of this family.
        pub(super) static ATTACKS: &[$crate::attack::declare::Attack] = &[$($crate::attack::declare::Attack {
            name: $name,
            sentence: concat!($($doc),+).trim_ascii(),
            rule: $crate::attack::declare::attacks!(@rule $($rule)?),
            effect: $crate::attack::declare::attacks!(@effect $word $($rule)?),
            target: $crate::attack::declare::attacks!(@target $($bits)?),
            hash: $crate::attack::editions::hash_of($name.as_bytes()),
            edition: $crate::attack::editions::edition_of($name),
            make: $make,
        }),*];
    };
    (@rule) => { None };
    (@rule $rule:path) => { Some(&$rule) };
    (@effect breaks $rule:path) => { $crate::attack::declare::Effect::Breaks };
    (@effect preserves) => { $crate::attack::declare::Effect::Preserves };
    (@effect unknown) => { $crate::attack::declare::Effect::Unknown };
    (@target) => { $crate::check::Target::Bits64 };
    (@target 32) => { $crate::check::Target::Bits32 };
}
pub(super) use attacks;
