//! **The corpus history**: each past release's cases, and the changes to each case.

use crate::corpus::Case;

/// The corpus release that this code builds, as a semantic version; see `corpus/CHANGELOG.md`.
pub const VERSION: &str = "0.1.0";

/// The past releases with their cases, oldest first. All other cases are new in [`VERSION`]. Cases may be retired but
/// are never removed, because ids are permanent.
///
/// Each line describes a case: id, verdict, rule, stage, and the first 16 digits of the SHA-256 of its file. After a
/// release, add the output of this command here before you increase [`VERSION`]:
///
/// ```sh
/// jq -r '.cases[] | [.id, .verdict, .rule // "-", .stage // "-", .files[0].sha256[:16]] | join(" ")' manifest.json
/// ```
static RELEASES: &[(&str, &str)] = &[];

/// The changelog of the corpus; `corpus/CHANGELOG.md` is a copy.
pub(super) static CHANGELOG: &str = include_str!("CHANGELOG.md");

/// Returns the release that introduced the case.
pub(super) fn since(id: &str) -> &'static str {
    let has = |cases: &str| Released::find(cases, id).is_some();
    RELEASES.iter().find(|(_, cases)| has(cases)).map_or(VERSION, |(version, _)| version)
}

/// Returns the changelog's reason for each change to the case since its first release, oldest first.
pub(super) fn history(id: &str) -> Vec<String> {
    let versions = RELEASES.iter().map(|(version, _)| *version).chain([VERSION]);
    let later = versions.skip_while(|version| *version != since(id)).skip(1);
    later.filter_map(|version| Some(format!("{version}: {}", reason(CHANGELOG, version, id)?))).collect()
}

/// Fails if a case is new or has changed since the first release, but the changelog does not name it.
pub(super) fn expect_named(case: &Case) -> Result<(), String> {
    if RELEASES.is_empty() {
        return Ok(());
    }
    let last = |(version, cases): &(&'static str, &'static str)| Some((*version, Released::find(cases, &case.id)?));
    expect_change_named(RELEASES.iter().rev().find_map(last), Released::of(case), CHANGELOG)
}

/// Fails if a case is new or has changed since the earlier release in `last`, but the changelog does not name it.
fn expect_change_named(last: Option<(&str, Released<'_>)>, now: Released<'_>, changelog: &str) -> Result<(), String> {
    let change = match last.map(|(from, before)| (from, before.difference(now))) {
        None => format!("new in {VERSION}"),
        Some((_, None)) => return Ok(()),
        Some((from, Some((what, was, is)))) => format!("{what} changed from {was} in {from} to {is} in {VERSION}"),
    };
    let place = format!("under {VERSION} of conformance/harness/src/corpus/build/CHANGELOG.md");
    let named = reason(changelog, VERSION, now.id).map(drop);
    named.ok_or_else(|| format!("{change}; add the line \"* `{}`: reason\" {place}", now.id))
}

/// Returns the changelog's reason for the change to the case in `version`, without a period.
fn reason(changelog: &str, version: &str, id: &str) -> Option<String> {
    let (_, text) = changelog.split_once(&format!("\n## {version}\n"))?;
    let section = text.split("\n## ").next().unwrap_or(text);
    section.split("\n* ").skip(1).find_map(|entry| {
        let (ids, reason) = entry.split_once(": ")?;
        let words: Vec<&str> = reason.split_whitespace().collect();
        ids.contains(&format!("`{id}`")).then(|| words.join(" ").trim_end_matches('.').to_owned())
    })
}

/// A case in the list of a past release.
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

    /// Returns what the next release will list for the case.
    fn of(case: &'a Case) -> Self {
        Self {
            id: &case.id,
            verdict: case.verdict.name(),
            rule: case.rule.as_deref().unwrap_or("-"),
            stage: case.stage.map_or("-", torchproof::Stage::name),
            digest: case.files.first().and_then(|file| file.sha256.get(..16)).unwrap_or("-"),
        }
    }

    /// Returns the most important difference from `later`: its name, the old value and the new value.
    fn difference(self, later: Self) -> Option<(&'static str, &'a str, &'a str)> {
        let pairs = [
            ("verdict", self.verdict, later.verdict),
            ("stage", self.stage, later.stage),
            ("rule", self.rule, later.rule),
            ("file", self.digest, later.digest),
        ];
        pairs.into_iter().find(|(_, was, is)| was != is)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: Released<'_> = Released { id: "a/b/c", verdict: "accept", rule: "r", stage: "-", digest: "00" };

    #[test]
    fn released_cases_are_never_removed() {
        for (version, cases) in RELEASES {
            assert_eq!(cases.lines().count(), cases.lines().filter_map(Released::parse).count(), "{version}");
            assert_ne!(*version, VERSION);
        }
        for case in RELEASES.iter().flat_map(|(_, cases)| cases.lines().filter_map(Released::parse)) {
            assert!(torchproof::corpus::find(case.id).is_some(), "{} was released and is gone", case.id);
        }
    }

    #[test]
    fn the_changelog_has_every_version_newest_first() {
        let listed: Vec<&str> = CHANGELOG.lines().filter_map(|line| line.strip_prefix("## ")).collect();
        let mut versions: Vec<&str> = RELEASES.iter().map(|(version, _)| *version).chain([VERSION]).collect();
        versions.reverse();
        assert_eq!(listed, versions);
    }

    #[test]
    fn rejects_a_change_without_a_changelog_entry() {
        let verdict = Released { verdict: "reject", ..BEFORE };
        let bytes = Released { digest: "01", ..BEFORE };
        let version = format!("# C\n\n## {VERSION}\n\n* ");
        let named = format!("{version}`a/b/c`: the format\n  requires it.\n\n## 1.0.0\n");
        let elsewhere = format!("{version}Words.\n\n## 1.0.0\n\n* `a/b/c`: it came.\n");
        let change = |before: Option<Released<'static>>, after, changelog: &str| {
            expect_change_named(before.map(|before| ("1.0.0", before)), after, changelog).is_ok()
        };
        for after in [verdict, bytes] {
            assert!(change(Some(BEFORE), after, &named) && !change(Some(BEFORE), after, &elsewhere));
        }
        assert!(change(Some(BEFORE), BEFORE, &elsewhere));
        assert!(change(None, BEFORE, &named) && !change(None, BEFORE, &elsewhere));
        assert_eq!(reason(&named, VERSION, "a/b/c").as_deref(), Some("the format requires it"));
    }
}
