//! Converts a cluster into a case of the registry.

use std::fmt::Write as _;

use torchproof::corpus::{self, Role, Verdict};

use super::checked::{CheckerResult, checked_together, first_must};
use super::{HuntError, Store};

/// The minimum number of equal bytes between two changes; closer changes are merged.
const NEAR: usize = 4;

/// The number of bytes in a line of source text.
const ROW: usize = 16;

/// Returns the source text of a case that produces a cluster's file.
///
/// The text can be added to a file below `src/corpus`. The text lists the differences from the most similar accept
/// case. This accept case becomes the control of the new case. For a program with a data file, the text contains two
/// cases. The case of the data file comes first, because the case of the program refers to it by id. A person must
/// write the description, because torchproof cannot describe what readers get wrong.
///
/// # Errors
///
/// Fails if the cluster does not exist, or if the cluster's file cannot be read.
pub fn promote(store: &Store, id: &str) -> Result<String, HuntError> {
    let cluster = store.cluster(id).ok_or_else(|| HuntError::NoCluster { id: id.to_owned() })?;
    let files = store.smallest(cluster)?;
    let all: Vec<&[u8]> = files.iter().map(Vec::as_slice).collect();
    let mut text = String::new();
    let mut companion = None;
    // Write the case of the data file first, because the case of the program refers to it by id.
    for ((role, _), bytes) in cluster.roles().into_iter().zip(&all).rev() {
        let near = Near::of(bytes, role).ok_or_else(|| HuntError::NoCluster { id: id.to_owned() })?;
        if role == Role::Data && all.len() > 1 {
            if near.changes.is_empty() {
                companion = Some(near.base.to_owned());
                continue;
            }
            companion = Some(near.id(&cluster.id));
            near.declare(&mut text, &cluster.id, checked_together(&[bytes]), None);
        } else {
            near.declare(&mut text, &cluster.id, checked_together(&all), companion.as_deref());
        }
    }
    let label = &cluster.label;
    let of_two = label.with.as_ref().map(|with| format!(", of {} loaded with {with}", label.base)).unwrap_or_default();
    let _ = writeln!(
        text,
        "    // Found by `torchproof hunt{} --seed {}`, file {}: {}, {}{of_two}.",
        if all.len() > 1 { " --pairs" } else { "" },
        label.seed,
        cluster.index,
        cluster.key.kind.name(),
        label.attack
    );
    if all.len() > 1 && first_must(all[1]).is_some() {
        let _ = writeln!(
            text,
            "    // The case of a program can use only accepted data files. Declare a case for this data file alone, and use \
             an accepted data file here."
        );
    }
    Ok(text)
}

/// Returns the source text of a case that consists of one file. `name` is the last part of the case's id. If the file is
/// the file of an accept case, returns the id of that case as the error.
pub(super) fn declare_file(bytes: &[u8], role: Role, name: &str) -> Result<String, &'static str> {
    let near = Near::of(bytes, role).expect("each role has an accept case");
    if near.changes.is_empty() {
        return Err(near.base);
    }
    let mut text = String::new();
    near.declare(&mut text, name, checked_together(&[bytes]), None);
    Ok(text)
}

/// A file, stored as differences from the file of an accept case.
struct Near {
    base: &'static str,
    changes: Vec<Change>,
}

impl Near {
    /// Finds the accept case with this role whose file is most similar to `bytes`.
    fn of(bytes: &[u8], role: Role) -> Option<Self> {
        let accepted = corpus::all().filter(|case| case.verdict == Verdict::Accept && case.role() == role);
        let built = accepted.map(|case| (case.id, case.build().bytes));
        let changed = built.map(|(id, base)| Self { base: id, changes: changes(&base, bytes) });
        changed.min_by_key(|near| (near.changes.iter().map(|own| own.len + own.now.len()).sum::<usize>(), near.base))
    }

    /// Returns the id of the new case.
    fn id(&self, cluster: &str) -> String {
        format!("{}/found/{cluster}", self.base.split('/').next().unwrap_or("pte"))
    }

    /// Appends the declaration of the new case to `text`.
    fn declare(&self, text: &mut String, cluster: &str, found: CheckerResult, companion: Option<&str>) {
        let (word, relation, rule) = match found.must {
            Some(rule) => ("reject", "breaks", rule.id),
            None if found.warned => ("either", "about", "a-rule"),
            None => ("accept", "shows", "a-rule"),
        };
        let (id, base) = (self.id(cluster), self.base);
        let with = companion.map(|companion| format!(", with [\"{companion}\"]")).unwrap_or_default();
        let _ = writeln!(text, "    /// Describe in one or two sentences what readers get wrong here, and the effect.");
        let _ =
            writeln!(text, "    {word} \"{id}\": \"the defect in a few words\" {relation} rules::{},", constant(rule));
        let _ = writeln!(text, "        from \"{base}\"{with} => |file| {{");
        for Change { at, len, now } in &self.changes {
            let bytes = source(now);
            let _ = match *len == now.len() {
                true => writeln!(text, "            file.put({at:#x}, &[{bytes}]);"),
                false => writeln!(text, "            file.splice({at:#x}, {len}, &[{bytes}]);"),
            };
        }
        let _ = writeln!(text, "        }};");
    }
}

/// Returns the elements of a byte array as source text, with line breaks as rustfmt inserts them.
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

/// A replacement of bytes at an offset. The offset refers to the file as the earlier changes leave it.
#[derive(Debug, PartialEq, Eq)]
struct Change {
    at: usize,
    len: usize,
    now: Vec<u8>,
}

/// Returns the changes from `base` to `file`.
///
/// If the lengths are equal, each differing range is a change. If the lengths differ, the only change replaces all
/// bytes between the common start and the common end.
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
