//! **Attacks**: adversarial mutations of any file, each with a label that says what is wrong.
//!
//! An attack chooses its target in the [byte map](crate::annotate), so attacks work on real and on generated files. The
//! result's [`Label`] names the broken rule and the field that breaks it, or says that no must-rule is broken or that
//! the effect is unknown. Tests compare every label with the checker.
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
//! Each family has its own source file. [`compose`] applies several attacks in order, and [`draw`] chooses them at
//! random. [`mutate`](crate::mutate) makes edits without a label.

mod absence;
mod agreement;
mod aliasing;
mod arithmetic;
mod base;
mod blobs;
mod compose;
mod confusion;
mod counts;
mod declare;
mod duplicates;
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
pub use declare::{Attack, AttackedFile, Effect, Label, Step};

/// A family of similar attacks.
#[derive(Debug)]
#[non_exhaustive]
pub struct Family {
    /// The family's name, which comes before the slash in the names of its attacks.
    pub name: &'static str,
    /// What the family's attacks do, in one sentence.
    pub description: &'static str,
    /// The family's attacks.
    pub attacks: &'static [Attack],
}

macro_rules! families {
    ($($name:ident: $description:literal,)*) => {
        /// Returns the families.
        #[must_use]
        pub fn families() -> &'static [Family] {
            static FAMILIES: &[Family] =
                &[$(Family { name: stringify!($name), description: $description, attacks: $name::ATTACKS }),*];
            FAMILIES
        }
    };
}

families! {
    magic: "Identifiers, header magics and schema versions.",
    truncation: "Truncated files.",
    offsets: "Wrong offsets of root tables, vtables, fields, vectors, strings and segments.",
    absence: "Missing fields that readers need.",
    counts: "Wrong, huge or negative lengths and counts.",
    references: "Invalid indices: -1, the length of the list, or the smallest or largest 32-bit integer.",
    confusion: "Wrong types, enums and layouts.",
    arithmetic: "Sums and products that overflow 32 or 64 bits or exceed a limit.",
    overlap: "Overlapping and adjacent segments.",
    aliasing: "Shared objects, cycles, and files that expand through sharing.",
    duplicates: "Names, inputs, devices and constants that occur twice.",
    hidden: "Hidden bytes in padding, in segments and around the file.",
    blobs: "Delegate blobs with wrong headers.",
    semantics: "References to unsuitable values, and unsupported field values.",
}

/// Returns every attack, grouped by family.
pub fn all() -> impl Iterator<Item = &'static Attack> {
    families().iter().flat_map(|family| family.attacks)
}

/// Returns the attack with this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Attack> {
    all().find(|attack| attack.name == name)
}
