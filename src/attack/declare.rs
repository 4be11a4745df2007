//! The types `Attack` and `Label`, and the macro that declares the attacks of a family.

use alloc::string::String;
use alloc::vec::Vec;

use super::base::{Base, layout_of};
use super::findings::findings;
use super::forge::{Forge, ForgedFile};
use crate::check::Target;
use crate::named::named;
use crate::patch::Splice;
use crate::rules::Rule;
use crate::{FileKind, Span};

named! {
    /// What an attack does to a file that the checker accepts.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Effect {
        /// The attacked file breaks the attack's rule, which the checker reports, possibly along with other rules.
        Breaks = "breaks",
        /// The attacked file breaks no must-rule, so the checker accepts it, possibly with warnings.
        Preserves = "preserves",
        /// The effect is unknown. A reader may accept or reject the file, but must return a verdict.
        Unknown = "unknown",
    }
}

/// A mutation that turns a file into an adversarial one.
#[derive(Debug)]
#[non_exhaustive]
pub struct Attack {
    /// The name, `family/name`, which never changes.
    pub name: &'static str,
    /// What the attack does, in one sentence.
    pub description: &'static str,
    /// The rule that the attack breaks; `None` unless the effect is [`Effect::Breaks`].
    pub rule: Option<&'static Rule>,
    /// The effect of the attack on a file that the checker accepts.
    pub effect: Effect,
    /// The hosts on which the attacked file breaks the rule: all, or only 32-bit ones.
    pub target: Target,
    pub(super) hash: u64,
    /// The first edition that contains this attack.
    pub(super) edition: u32,
    pub(super) make: fn(&mut Forge<'_>) -> Option<()>,
}

/// An attacked file's label: what is wrong with it, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Label {
    /// The attack's name.
    pub attack: &'static str,
    /// The rule that the attacked file breaks; `None` unless the effect is [`Effect::Breaks`].
    pub rule: Option<&'static Rule>,
    /// The attacked field's path, in the notation of findings; empty for the whole file.
    pub path: String,
    /// The span of the first change in the attacked file.
    pub span: Span,
    /// The attack's effect.
    pub effect: Effect,
    /// The hosts on which the file has this effect: all, or only 32-bit ones.
    pub target: Target,
    /// All attacks on the file, in order, if it is a [composition](super::compose).
    pub steps: Vec<Step>,
}

/// One of several attacks on a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// The attack's name.
    pub attack: &'static str,
    /// The attacked field's path, in the notation of findings; empty for the whole file.
    pub path: String,
    /// The attack's first change, as a span in the final file; a later attack may have changed these bytes again.
    pub span: Span,
}

impl Label {
    /// Returns the attack's family.
    #[must_use]
    pub fn family(&self) -> &'static str {
        self.attack.split('/').next().unwrap_or_default()
    }
}

/// An attacked file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AttackedFile {
    /// The attacked file's bytes.
    pub bytes: Vec<u8>,
    /// The label: what is wrong, and where.
    pub label: Label,
    /// The changes, in the order in which they were made.
    pub(super) splices: Vec<Splice>,
}

impl Attack {
    /// Returns the attack's family.
    #[must_use]
    pub fn family(&self) -> &'static str {
        self.name.split('/').next().unwrap_or_default()
    }

    /// Applies the attack to a base. The same base and seed always produce the same bytes and label.
    ///
    /// Returns `None` if the attack does not apply to the file. Runs in time linear in the file's length.
    ///
    /// The label has the effect in [`Attack::effect`] if the base meets four conditions:
    ///
    /// * The checker accepts the file.
    /// * The file's byte map is complete.
    /// * No table or vtable overlaps the header.
    /// * No key occurs twice.
    ///
    /// For any other base, the label names the rule only if the checker reports it, and never has the effect
    /// [`Effect::Preserves`].
    ///
    /// If an attack that breaks a rule also makes readers choose a data file's other layout, its effect is
    /// [`Effect::Unknown`].
    #[must_use]
    pub fn apply(&self, base: &Base, seed: u64) -> Option<AttackedFile> {
        let mut forge = Forge::new(base, seed);
        (self.make)(&mut forge)?;
        let ForgedFile { bytes, path, span, splices } = forge.finish()?;
        let known = if base.is_foreseeable() { self.keeps_layout(base, &bytes) } else { self.is_found(&bytes) };
        let (rule, effect) = if known { (self.rule, self.effect) } else { (None, Effect::Unknown) };
        let steps = alloc::vec![Step { attack: self.name, path: path.clone(), span }];
        let label = Label { attack: self.name, rule, path, span, effect, target: self.target, steps };
        Some(AttackedFile { bytes, label, splices })
    }

    /// Both layouts have the same identifier, so readers choose the layout that fits better. If a change makes the
    /// other layout fit better, the other layout's rules apply.
    fn keeps_layout(&self, base: &Base, bytes: &[u8]) -> bool {
        let data = matches!(base.kind(), FileKind::Ptd | FileKind::PtdLegacy);
        !data || self.effect != Effect::Breaks || layout_of(bytes).is_none_or(|layout| layout == base.kind())
    }

    fn is_found(&self, bytes: &[u8]) -> bool {
        self.effect == Effect::Breaks && findings(bytes, self.target, self.rule.as_slice()).1
    }
}

/// Returns the FNV-1a hash, which decides what file a seed produces, so it must never change.
pub(super) const fn hash_of(mut name: &[u8]) -> u64 {
    let mut hash: u64 = 0xCBF2_9CE4_8422_2325;
    while let [byte, rest @ ..] = name {
        hash = (hash ^ *byte as u64).wrapping_mul(0x100_0000_01B3);
        name = rest;
    }
    hash
}

/// Declares the static `ATTACKS` with the attacks of one family.
///
/// * `breaks "family/name": RULE => |forge| …;` declares an attack that breaks a must-rule. `target 32` after the rule
///   means that the file breaks the rule only on 32-bit hosts.
/// * `preserves "family/name" => |forge| …;` declares an attack that breaks no must-rule.
/// * `unknown "family/name" => |forge| …;` declares an attack with an unknown effect.
///
/// `since 2` before the arrow puts the attack in edition 2, so that the seeds of edition 1 keep producing the same files.
macro_rules! attacks {
    ($(
        $(#[doc = $doc:literal])+
        $word:ident $name:literal $(: $rule:path)? $(, target $bits:tt)? $(, since $edition:tt)? => $make:expr;
    )*) => {
        pub(super) static ATTACKS: &[$crate::attack::declare::Attack] = &[$($crate::attack::declare::Attack {
            name: $name,
            description: concat!($($doc),+).trim_ascii(),
            rule: $crate::attack::declare::attacks!(@rule $($rule)?),
            effect: $crate::attack::declare::attacks!(@effect $word $($rule)?),
            target: $crate::attack::declare::attacks!(@target $($bits)?),
            hash: $crate::attack::declare::hash_of($name.as_bytes()),
            edition: $crate::attack::declare::attacks!(@edition $($edition)?),
            make: $make,
        }),*];
    };
    (@rule) => { None };
    (@rule $rule:path) => { Some(&$rule) };
    (@effect breaks $rule:path) => { $crate::attack::declare::Effect::Breaks };
    (@effect preserves) => { $crate::attack::declare::Effect::Preserves };
    (@effect unknown) => { $crate::attack::declare::Effect::Unknown };
    (@edition) => { 1 };
    (@edition $edition:tt) => { $edition };
    (@target) => { $crate::check::Target::Bits64 };
    (@target 32) => { $crate::check::Target::Bits32 };
}
pub(super) use attacks;
