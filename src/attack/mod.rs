//! **Attacks**: adversarial mutations of any file, each with a label that states what is wrong.
//!
//! An attack finds its fields through the [byte map](crate::annotate), so it works on real and generated files. The
//! [`Label`] of the result states which rule the file breaks, in which field and bytes, or that it breaks none, or
//! that the effect is unknown. The checker agrees with every label.
//!
//! ```
//! use torchproof::attack::{self, Base, Effect};
//!
//! let base = Base::of(std::fs::read("corpus/real/linear.pte").unwrap());
//! let attack = attack::find("references/operator").unwrap();
//! let attacked = attack.apply(&base, 1).unwrap();
//! assert_eq!(attacked.label.rule.unwrap().id, "ins-op-index");
//! assert_eq!(attacked.label.effect, Effect::Breaks);
//! assert_eq!(attacked.label.path, "execution_plan[0].chains[0].instructions[0].instr_args.op_index");
//! ```
//!
//! Each family is one file of declarations. [`compose`] applies several attacks in order, and [`draw`] picks them at
//! random.

mod absence;
mod agreement;
mod aliasing;
mod arithmetic;
mod base;
mod compose;
mod confusion;
mod counts;
mod declare;
mod duplicates;
mod editions;
mod findings;
mod forge;
mod hidden;
mod magic;
mod offsets;
mod overlap;
mod references;
mod semantics;
#[cfg(test)]
#[cfg(feature = "json")]
mod tests;
mod truncation;

pub use base::Base;
pub use compose::{Selection, compose, draw};
use declare::attacks;
pub use declare::{Attack, Attacked, Effect, Label, Step};

/// A family of similar attacks.
#[derive(Debug)]
#[non_exhaustive]
pub struct Family {
    /// The first word of the names of its attacks.
    pub name: &'static str,
    /// A description of the family, in one sentence.
    pub sentence: &'static str,
    /// The attacks of the family.
    pub attacks: &'static [Attack],
}

macro_rules! families {
    ($($name:ident: $sentence:literal,)*) => {
        /// Returns the families.
        #[must_use]
        pub fn families() -> &'static [Family] {
            static FAMILIES: &[Family] =
                &[$(Family { name: stringify!($name), sentence: $sentence, attacks: $name::ATTACKS }),*];
            FAMILIES
        }
    };
}

families! {
    magic: "Identifiers, header magics and schema versions.",
    truncation: "Truncated files.",
    offsets: "Wrong offsets to the root, vtables, fields, vectors, strings and segments.",
    absence: "Missing fields that readers need.",
    counts: "Forged, huge or negative lengths and counts.",
    references: "Invalid indices: -1, the length, the maximum.",
    confusion: "Wrong types, enums and layouts.",
    arithmetic: "Sums and products that wrap at 32 or 64 bits or exceed a bound.",
    overlap: "Overlapping and adjacent segments.",
    aliasing: "Shared objects, cycles, and files that expand through sharing.",
    duplicates: "Duplicate names, inputs and storage.",
    hidden: "Hidden bytes outside every part.",
    semantics: "Values that refer to unsuitable values.",
}

/// Returns every attack, by family.
pub fn all() -> impl Iterator<Item = &'static Attack> {
    families().iter().flat_map(|family| family.attacks)
}

/// Returns the attack with this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Attack> {
    all().find(|attack| attack.name == name)
}
