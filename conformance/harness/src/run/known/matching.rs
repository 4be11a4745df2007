//! Matches cases with a list's entries.

use super::KnownFailures;
use crate::corpus::{Case, Status};

impl KnownFailures {
    pub(super) fn covering(&self, case: &str) -> Vec<usize> {
        self.index.covering(case)
    }

    /// Returns, for each entry, the cases that it matches. Retired cases are left out.
    pub(super) fn cases_of_entries<'c>(&self, cases: &'c [Case]) -> Vec<Vec<&'c Case>> {
        let mut matching = vec![Vec::new(); self.entries.len()];
        for case in cases.iter().filter(|case| case.status != Status::Retired) {
            for at in self.covering(&case.id) {
                matching[at].push(case);
            }
        }
        matching
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn known(cases: impl Iterator<Item = String>) -> KnownFailures {
        let entry = |case| format!("[[known]]\ncase = \"{case}\"\nexpect = \"crash\"\nreason = \"x\"\n");
        KnownFailures::parse(Path::new("known.toml"), cases.map(entry).collect(), false).unwrap()
    }

    #[test]
    fn finds_entries_among_many_that_share_a_prefix() {
        const MANY: usize = 4_000;
        let known = known((0..MANY).map(|at| format!("pte/area/case-*{at:05}{}", ["", "-*"][at % 2])));
        for at in (1..MANY).step_by(2) {
            assert_eq!(known.covering(&format!("pte/area/case-{at:05}-x")), [at]);
        }
        assert_eq!(known.covering("pte/area/case-00008-x"), [0; 0]);
        assert_eq!(known.covering("pte/area/case-x00008"), [8]);
    }

    #[test]
    fn entries_of_every_form_are_found_in_order() {
        let known = known(
            ["**/b", "pte/?/b", "pte/{a,c}/b", "pte/[a]/b", "pte/a/b", "pte/a/b*", "pte/a/c"]
                .map(str::to_owned)
                .into_iter(),
        );
        assert_eq!(known.covering("pte/a/b"), [0, 1, 2, 3, 4, 5]);
    }
}
