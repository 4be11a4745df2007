//! Compares the checker's findings with an attacked file's label.

use alloc::format;
use alloc::string::String;

use super::declare::{AttackedFile, Effect};
use super::findings::findings;
use crate::rules::Strength;

impl AttackedFile {
    /// Returns how the label and the checker disagree, if they do.
    ///
    /// A disagreement is a bug in the attack or the checker.
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
            return Some(format!("span {} exceeds the file, which has {len} bytes", label.span));
        }
        let (report, found) = findings(&self.bytes, label.target, label.rule.as_slice());
        match (label.effect, label.rule) {
            (Effect::Breaks, Some(rule)) if rule.strength == Strength::Must => {
                (!found).then(|| format!("the checker does not report {}", rule.id))
            }
            (Effect::Breaks, _) => Some("the label breaks no must-rule".into()),
            (Effect::Preserves | Effect::Unknown, Some(rule)) => {
                Some(format!("the label names {}, but does not say that the file breaks it", rule.id))
            }
            (Effect::Preserves, None) => {
                (!report.accepts()).then(|| format!("the checker rejects the file: {report:?}"))
            }
            (Effect::Unknown, None) => None,
        }
    }
}
