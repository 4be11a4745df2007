//! **Attacks**: adversarial files, made of any file, each with a label that says what is wrong with it.
//!
//! An attack finds the fields that it changes through the [byte map](crate::annotate), so it works on real files and on
//! generated ones alike. What comes of it has a [`Label`]: which rule the file breaks, in which field, at which bytes; or that
//! it breaks none; or that nobody can tell. The checker agrees with every label.
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
//! Each family is a file of declarations. [`compose`] applies several attacks one after the other, and [`draw`] picks them.

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

/// Attacks of one kind.
#[derive(Debug)]
#[non_exhaustive]
pub struct Family {
    /// The first word of its attacks' names.
    pub name: &'static str,
    /// What they have in common, as one sentence.
    pub sentence: &'static str,
    /// The attacks.
    pub attacks: &'static [Attack],
}

macro_rules! families {
    ($($name:ident: $sentence:literal,)*) => {
        /// The families.
        #[must_use]
        pub fn families() -> &'static [Family] {
            static FAMILIES: &[Family] =
                &[$(Family { name: stringify!($name), sentence: $sentence, attacks: $name::ATTACKS }),*];
            FAMILIES
        }
    };
}

families! {
    magic: "The four magics and the versions behind them.",
    truncation: "A file that ends early.",
    offsets: "Offsets to the root, to vtables, fields, vectors, strings and segments that lead elsewhere.",
    absence: "Fields that must be there and are not.",
    counts: "Lengths and counts that are forged, huge or negative.",
    references: "Indexes of everything that is found by index: -1, the length, the largest.",
    confusion: "Types, enums and layouts taken for others.",
    arithmetic: "Sums and products that wrap at 32 or 64 bits, or that come to more than there is.",
    overlap: "Segments that share bytes, and such as are next to each other.",
    aliasing: "Two fields that share one object, and what becomes large by it.",
    duplicates: "Names and places that are given twice.",
    hidden: "Bytes that belong to nothing.",
    semantics: "Values that refer to others in a way that has no sense.",
}

/// Every attack, by family.
pub fn all() -> impl Iterator<Item = &'static Attack> {
    families().iter().flat_map(|family| family.attacks)
}

/// The attack of this name, if there is one.
#[must_use]
pub fn find(name: &str) -> Option<&'static Attack> {
    all().find(|attack| attack.name == name)
}
