//! Converts a cluster into a case of the registry.

use std::fmt::Write as _;

use torchproof::Role;
use torchproof::corpus::{self, Verdict};
use torchproof::rules::Strength;

use super::checked::findings;
use super::{HuntError, Store};

/// The minimum number of equal bytes between two changes; closer changes are merged.
const NEAR: usize = 4;

/// The number of bytes per line of source text.
const ROW: usize = 16;

/// Returns the source text of a case for a file below `src/corpus`, which produces a cluster's file.
///
/// The text lists the differences from the most similar accept case, which becomes the control. A program with a data
/// file becomes two cases. The data file's case comes first, because the program's case refers to it by id. A person
/// must write the description, because torchproof does not know what readers get wrong.
pub fn emit_case(store: &Store, id: &str) -> Result<String, HuntError> {
    let cluster = store.cluster(id).ok_or_else(|| HuntError::NoCluster { id: id.to_owned() })?;
    let bytes = store.smallest(cluster)?;
    let roles = cluster.roles().into_iter().map(|(role, _)| role);
    let files: Vec<_> = roles.zip(bytes.iter().map(Vec::as_slice)).collect();
    let source = declare(&files, &cluster.id).ok_or_else(|| HuntError::NoCluster { id: id.to_owned() })?;
    let mut text = source.text;
    let label = &cluster.label;
    let of_two = label.with.as_ref().map(|with| format!(", of {} loaded with {with}", label.base)).unwrap_or_default();
    let _ = writeln!(
        text,
        "    // Found by `torchproof hunt{} --seed {}`, file {}: {}, {}{of_two}.",
        if files.len() > 1 { " --pairs" } else { "" },
        label.seed,
        cluster.index,
        cluster.key.kind.name(),
        label.attack
    );
    Ok(text)
}

/// The declaration of a case, or of a program's and its data file's cases.
pub(super) struct CaseSource {
    /// The id of the first file's case.
    pub(super) id: String,
    pub(super) text: String,
    /// The accept case with the same files, if there is one.
    pub(super) same_as: Option<&'static str>,
}

/// Declares the case of a file, or the cases of a program and its data file. `name` is the last part of each id.
///
/// Returns `None` if the list is empty, or if the corpus has no accept case for the role of one of the files.
pub(super) fn declare(files: &[(Role, &[u8])], name: &str) -> Option<CaseSource> {
    let label = Label::of(&files.iter().map(|(_, bytes)| *bytes).collect::<Vec<_>>());
    let mut text = String::new();
    let (mut companion, mut is_usable) = (None, true);
    // The data file's case comes first, because the program's case refers to it by id.
    if let [_, (role, bytes)] = files {
        let nearest = NearestCase::of(bytes, *role)?;
        if nearest.changes.is_empty() {
            companion = Some(nearest.base.to_owned());
        } else {
            let own = Label::of(&[*bytes]);
            nearest.declare(&mut text, name, &own, None);
            companion = Some(nearest.id(name));
            is_usable = own.verdict == "accept" || (own.verdict, own.rule) == (label.verdict, label.rule);
        }
    }
    let (role, bytes) = files.first()?;
    let nearest = NearestCase::of(bytes, *role)?;
    nearest.declare(&mut text, name, &label, companion.as_deref());
    if !is_usable {
        let _ = writeln!(
            text,
            "    // The data file of a case must be accepted, or have the verdict and the rule of the case. Use another data \
             file here."
        );
    }
    let with: Vec<&str> = companion.as_deref().into_iter().collect();
    let is_same = || corpus::find(nearest.base).is_some_and(|case| files.len() == 1 || case.companions() == with);
    let same_as = (nearest.changes.is_empty() && is_same()).then_some(nearest.base);
    Some(CaseSource { id: nearest.id(name), text, same_as })
}

struct Label {
    verdict: &'static str,
    /// The word between the title and the rule.
    relation: &'static str,
    rule: &'static str,
    /// The other must-rules that the files break.
    others: Vec<&'static str>,
}

impl Label {
    fn of(files: &[&[u8]]) -> Self {
        let findings = findings(files);
        let mut must: Vec<&str> = Vec::new();
        for finding in findings.iter().filter(|finding| finding.rule.strength == Strength::Must) {
            if !must.contains(&finding.rule.id) {
                must.push(finding.rule.id);
            }
        }
        let (verdict, relation, rule) = match (must.first(), findings.first()) {
            (Some(rule), _) => ("reject", "breaks", *rule),
            (None, Some(finding)) => ("either", "about", finding.rule.id),
            (None, None) => ("accept", "shows", "a-rule"),
        };
        Self { verdict, relation, rule, others: must.into_iter().skip(1).collect() }
    }
}

/// A file, expressed as its differences from an accept case.
struct NearestCase {
    base: &'static str,
    changes: Vec<Change>,
}

impl NearestCase {
    /// Finds the accept case with this role whose file is most similar to `bytes`.
    fn of(bytes: &[u8], role: Role) -> Option<Self> {
        let accepted = corpus::all().filter(|case| case.verdict == Verdict::Accept && case.role() == role);
        let built = accepted.map(|case| (case.id, case.build().bytes));
        let changed = built.map(|(id, base)| Self { base: id, changes: changes(&base, bytes) });
        changed.min_by_key(|nearest| {
            (nearest.changes.iter().map(|own| own.len + own.now.len()).sum::<usize>(), nearest.base)
        })
    }

    fn id(&self, cluster: &str) -> String {
        format!("{}/found/{cluster}", self.base.split('/').next().unwrap_or("pte"))
    }

    fn declare(&self, text: &mut String, cluster: &str, label: &Label, companion: Option<&str>) {
        let Label { verdict, relation, rule, others } = label;
        let (id, base) = (self.id(cluster), self.base);
        let with = companion.map(|companion| format!(", with [\"{companion}\"]")).unwrap_or_default();
        let _ = writeln!(text, "    /// Describe in one or two sentences what readers get wrong here, and the effect.");
        let _ = writeln!(
            text,
            "    {verdict} \"{id}\": \"the defect in a few words\" {relation} rules::{},",
            constant(rule)
        );
        let _ = writeln!(text, "        from \"{base}\"{with} => |file| {{");
        for Change { at, len, now } in &self.changes {
            let bytes = source(now);
            let _ = match *len == now.len() {
                true => writeln!(text, "            file.put({at:#x}, &[{bytes}]);"),
                false => writeln!(text, "            file.splice({at:#x}, {len}, &[{bytes}]);"),
            };
        }
        let _ = writeln!(text, "        }};");
        if !others.is_empty() {
            let others = others.join(", ");
            let _ = writeln!(
                text,
                "    // Repair the other defects first, because a case breaks only one must-rule. The file also breaks {others}."
            );
        }
    }
}

/// Returns the elements of a byte array as source text, with line breaks where rustfmt inserts them.
fn source(bytes: &[u8]) -> String {
    let line = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:#04x}")).collect::<Vec<_>>().join(", ");
    match bytes.len() {
        0..ROW => line(bytes),
        _ => bytes.chunks(ROW).map(|row| format!("\n{:16}{},", "", line(row))).collect::<String>() + "\n            ",
    }
}

/// Returns the name of the Rust constant for a rule.
fn constant(id: &str) -> String {
    id.replace('-', "_").to_uppercase()
}

/// A replacement of bytes at an offset in the file as the earlier changes leave it.
#[derive(Debug, PartialEq, Eq)]
struct Change {
    at: usize,
    len: usize,
    now: Vec<u8>,
}

/// Returns the changes from `base` to `file`. If the lengths are equal, each differing range is a change. Otherwise, a
/// single change replaces all bytes between the common start and the common end.
fn changes(base: &[u8], file: &[u8]) -> Vec<Change> {
    if base.len() == file.len() {
        let mut changes: Vec<Change> = Vec::new();
        for at in (0..base.len()).filter(|at| base[*at] != file[*at]) {
            match changes.last_mut() {
                Some(last) if at - (last.at + last.len) < NEAR => {
                    last.len = at + 1 - last.at;
                    last.now = file[last.at..=at].to_vec();
                }
                _ => changes.push(Change { at, len: 1, now: vec![file[at]] }),
            }
        }
        return changes;
    }
    let front = base.iter().zip(file).take_while(|(one, other)| one == other).count();
    let most = base.len().min(file.len()) - front;
    let back = base.iter().rev().zip(file.iter().rev()).take(most).take_while(|(one, other)| one == other).count();
    vec![Change { at: front, len: base.len() - front - back, now: file[front..file.len() - back].to_vec() }]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(base: &[u8], changes: &[Change]) -> Vec<u8> {
        let mut bytes = base.to_vec();
        for Change { at, len, now } in changes {
            bytes.splice(at..&(at + len), now.iter().copied());
        }
        bytes
    }

    #[test]
    fn changes_reproduce_the_file() {
        for (base, file, count) in [
            (&b"one two three"[..], &b"one two three"[..], 0),
            (b"one two three", b"oNe two thrEE", 2),
            (b"one two three", b"one 2 three", 1),
            (b"aaaa", b"aaaaaa", 1),
            (b"aaaaaa", b"aaaa", 1),
            (b"", b"x", 1),
        ] {
            let changes = changes(base, file);
            assert_eq!((made(base, &changes).as_slice(), changes.len()), (file, count));
        }
    }
}
