//! **What came when**: the cases of each past release of the corpus, and what changed in a case since it came.

use torchproof::corpus::Case;

use super::VERSION;
use crate::catalogue::verdict_name;

/// The past releases with their cases, oldest first; what none of them has is new in [`VERSION`].
///
/// A case is a line: its id, verdict, rule, stage, and the first 16 digits of its own file's SHA-256. A release that is made
/// adds the file of its cases here, before [`VERSION`] goes on:
///
/// ```sh
/// jq -r '.cases[] | [.id, .verdict, .rule // "-", .stage // "-", .files[0].sha256[:16]] | join(" ")' manifest.json
/// ```
///
/// An id stays: a case is retired, never taken away.
static RELEASES: &[(&str, &str)] = &[
    ("0.1.0", include_str!("releases/0.1.0.txt")),
    ("0.2.0", include_str!("releases/0.2.0.txt")),
    ("0.3.0", include_str!("releases/0.3.0.txt")),
];

/// Cases that changed after their release, and how.
static HISTORY: &[(&str, &[&str])] = &[
    ("pte/segments/base-sum-wraps", &["0.2.0: the segment keeps its size, so that the constant in it stays inside"]),
    ("pte/segments/constant-index-past-end", &["0.2.0: its rule is const-seg-index, and with it the stage is meta"]),
    ("pte/segments/delegate-index-past-end", &["0.2.0: its rule is del-segment-index"]),
    ("pte/segments/mutable-index-max", &["0.2.0: its rule is mut-seg-index"]),
    ("pte/structure/bool-2", &["0.2.0: its rule is val-boollist"]),
    (
        "pte/valid/without-optional-fields",
        &["0.2.0: container_meta_type is there; what leaves it out is pte/method/container-meta-absent"],
    ),
];

/// The changelog of the corpus; [`build`](super::build) writes it to `corpus/CHANGELOG.md`.
pub(super) static CHANGELOG: &str = include_str!("CHANGELOG.md");

/// The release that first had the case.
pub(super) fn since(id: &str) -> &'static str {
    let has = |cases: &str| Released::find(cases, id).is_some();
    RELEASES.iter().find(|(_, cases)| has(cases)).map_or(VERSION, |(version, _)| version)
}

/// What changed in the case since.
pub(super) fn history(id: &str) -> Vec<String> {
    let own = HISTORY.iter().find(|(changed, _)| *changed == id);
    own.map_or(&[][..], |(_, changes)| changes).iter().map(|&change| change.to_owned()).collect()
}

/// Fails for a case that is not what it was in the last release that had it, and nobody says why.
///
/// A change of verdict, rule, stage or bytes has to be in the case's history, under the release that made it, and one of the
/// verdict in the changelog as well.
pub(super) fn expect_explained(case: &Case) -> Result<(), String> {
    let line = released_as(case);
    let releases = RELEASES.iter().filter_map(|(version, cases)| Some((*version, Released::find(cases, &case.id)?)));
    let states: Vec<(&str, Released<'_>)> = releases.chain(Released::parse(&line).map(|now| (VERSION, now))).collect();
    for pair in states.windows(2) {
        let ((from, before), (version, after)) = (&pair[0], &pair[1]);
        expect_change_explained((from, before), (version, after), &case.history, CHANGELOG)?;
    }
    Ok(())
}

fn expect_change_explained(
    (from, before): (&str, &Released<'_>),
    (version, after): (&str, &Released<'_>),
    history: &[String],
    changelog: &str,
) -> Result<(), String> {
    let Some((what, was, is)) = before.difference(after) else { return Ok(()) };
    let change = format!("its {what} was {was} in {from} and is {is} in {version}");
    let explained = history.iter().any(|note| note.starts_with(&format!("{version}: ")));
    if !explained {
        return Err(format!("{change}: its history has to say why, in conformance/src/corpus_build/releases.rs"));
    }
    let told = section(changelog, version).is_some_and(|text| text.contains(&format!("`{}`", after.id)));
    if before.verdict != after.verdict && !told {
        return Err(format!(
            "{change}: expected the id under {version} in conformance/src/corpus_build/CHANGELOG.md, found none; add it"
        ));
    }
    Ok(())
}

/// What the changelog says of a release.
fn section<'a>(changelog: &'a str, version: &str) -> Option<&'a str> {
    let (_, text) = changelog.split_once(&format!("\n## {version}\n"))?;
    Some(text.split("\n## ").next().unwrap_or(text))
}

/// A case as a release had it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Released<'a> {
    id: &'a str,
    verdict: &'a str,
    rule: &'a str,
    stage: &'a str,
    digest: &'a str,
}

impl<'a> Released<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let mut words = line.split(' ');
        let mut next = || words.next();
        Some(Self { id: next()?, verdict: next()?, rule: next()?, stage: next()?, digest: next()? })
    }

    fn find(cases: &'a str, id: &str) -> Option<Self> {
        let own = |line: &&str| line.strip_prefix(id).is_some_and(|rest| rest.starts_with(' '));
        cases.lines().find(own).and_then(Released::parse)
    }

    /// The first thing that is not the same in `later`, of the gravest kind first.
    fn difference(&self, later: &Self) -> Option<(&'static str, &'a str, String)> {
        let pairs = [
            ("verdict", self.verdict, later.verdict),
            ("stage", self.stage, later.stage),
            ("rule", self.rule, later.rule),
            ("file", self.digest, later.digest),
        ];
        pairs.into_iter().find(|(_, was, is)| was != is).map(|(what, was, is)| (what, was, is.to_owned()))
    }
}

/// The case as the file of its release has it.
fn released_as(case: &Case) -> String {
    let digest = case.files.first().and_then(|file| file.sha256.get(..16)).unwrap_or("-");
    let rule = case.rule.as_deref().unwrap_or("-");
    let stage = case.stage.map_or("-", torchproof::Stage::name);
    format!("{} {} {rule} {stage} {digest}", case.id, verdict_name(case.verdict))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: Released<'_> = Released { id: "a/b/c", verdict: "accept", rule: "r", stage: "-", digest: "00" };

    #[test]
    fn what_was_released_stays() {
        for case in RELEASES.iter().flat_map(|(_, cases)| cases.lines().filter_map(Released::parse)) {
            assert!(torchproof::cases::find(case.id).is_some(), "{} was released and is gone", case.id);
        }
        for (id, changes) in HISTORY {
            assert_ne!(since(id), VERSION, "{id} is new and has a history");
            assert!(!changes.is_empty(), "{id}");
        }
        for (version, cases) in RELEASES {
            assert_eq!(cases.lines().count(), cases.lines().filter_map(Released::parse).count(), "{version}");
        }
    }

    #[test]
    fn a_release_is_a_past_one() {
        assert!(RELEASES.iter().all(|(version, _)| *version != VERSION));
    }

    #[test]
    fn the_changelog_begins_with_the_version_that_is_built_and_has_all_others() {
        let told: Vec<&str> = CHANGELOG.lines().filter_map(|line| line.strip_prefix("## ")).collect();
        let mut versions: Vec<&str> = RELEASES.iter().map(|(version, _)| *version).collect();
        versions.push(VERSION);
        versions.reverse();
        assert_eq!(told, versions);
    }

    #[test]
    fn a_change_that_nobody_explains_is_an_error() {
        let verdict = Released { verdict: "reject", ..BEFORE };
        let bytes = Released { digest: "01", ..BEFORE };
        let note = ["2.0.0: the format says so".to_owned()];
        let told = "# C\n\n## 2.0.0\n\n* `a/b/c` is refused: the format says so.\n\n## 1.0.0\n";
        let elsewhere = "# C\n\n## 2.0.0\n\n* Words.\n\n## 1.0.0\n\n* `a/b/c` came.\n";
        let check = |after: &Released<'_>, history: &[String], changelog| {
            expect_change_explained(("1.0.0", &BEFORE), ("2.0.0", after), history, changelog)
        };
        assert_eq!(check(&BEFORE, &[], ""), Ok(()));
        assert_eq!(check(&bytes, &note, ""), Ok(()));
        assert_eq!(check(&verdict, &note, told), Ok(()));
        let old = ["1.0.0: it came".to_owned()];
        for (after, history, changelog, place) in [
            (&bytes, &[][..], told, "releases.rs"),
            (&bytes, &old[..], told, "releases.rs"),
            (&verdict, &[][..], told, "releases.rs"),
            (&verdict, &note[..], elsewhere, "CHANGELOG.md"),
        ] {
            let message = check(after, history, changelog).expect_err("nobody explains it");
            assert!(message.contains(place), "{message}");
        }
    }

    /// Of a case that is there: its verdict is turned round.
    #[test]
    fn a_verdict_that_is_turned_round_fails_the_build() {
        let manifest = super::super::manifest().expect("the corpus is built");
        let mut case = manifest.cases.into_iter().find(|case| case.since == "0.1.0").expect("there is one");
        assert_eq!(expect_explained(&case), Ok(()));
        case.verdict = torchproof::corpus::Verdict::Either;
        assert!(expect_explained(&case).is_err());
    }
}
