//! What the checker says of an attacked file, and whether the label says the same.

use alloc::format;
use alloc::string::String;

use super::declare::{Attacked, Effect};
use super::findings::findings;
use crate::rules::Strength;

impl Attacked {
    /// What the label says and the checker does not, as one sentence; `None` when they agree.
    ///
    /// A disagreement is a bug of this library, in the attack or in the checker.
    ///
    /// ```
    /// use torchproof::attack::{self, Base};
    ///
    /// let base = Base::of(std::fs::read("corpus/real/linear.pte").unwrap());
    /// let mut attacked = attack::find("references/operator").unwrap().apply(&base, 1).unwrap();
    /// assert_eq!(attacked.disagreement(), None);
    ///
    /// attacked.bytes = base.bytes().to_vec();
    /// assert!(attacked.disagreement().is_some());
    /// ```
    #[must_use]
    pub fn disagreement(&self) -> Option<String> {
        let (label, len) = (&self.label, self.bytes.len() as u64);
        if label.span.end() > len {
            return Some(format!("{} is not in a file of {len} bytes", label.span));
        }
        let (report, found) = findings(&self.bytes, label.target, label.rule);
        match (label.effect, label.rule) {
            (Effect::Breaks, Some(rule)) if rule.strength == Strength::Must => {
                (!found).then(|| format!("{} is not found", rule.id))
            }
            (Effect::Breaks, _) => Some("no must-rule is said to be broken".into()),
            (Effect::Preserves | Effect::Unknown, Some(rule)) => Some(format!("{} is named and not broken", rule.id)),
            (Effect::Preserves, None) => (!report.accepts()).then(|| format!("it is rejected: {report:?}")),
            (Effect::Unknown, None) => None,
        }
    }
}
