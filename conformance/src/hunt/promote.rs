//! What was found, as a case of the registry.

use std::fmt::Write as _;

use torchproof::corpus::{self, Role, Verdict};

use super::checked::{CheckerResult, checked_together, first_must};
use super::{HuntError, Store};

/// Changes that are closer to each other than this are one.
const NEAR: usize = 4;

/// Bytes in a line.
const ROW: usize = 16;

/// A cluster's file as the source text of a case, to be put into a file below `src/corpus`.
///
/// The file is told by what it differs in from the accepted case that it is most like, which then is its control: the same bytes come
/// of it. Of a program with its data file, each is a case: the data file comes first, and the program's names it. The words are left
/// to a person: what readers get wrong there is not in the file.
///
/// # Errors
///
/// There is no such cluster, or its file cannot be read.
pub fn promote(store: &Store, id: &str) -> Result<String, HuntError> {
    let cluster = store.cluster(id).ok_or_else(|| HuntError::NoCluster { id: id.to_owned() })?;
    let files = store.smallest(cluster)?;
    let all: Vec<&[u8]> = files.iter().map(Vec::as_slice).collect();
    let mut text = String::new();
    let mut companion = None;
    // The data file first, since the program's case names it.
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
            "    // A program's case is loaded with accepted data files only: put this data file to readers by itself, or find one that is \
             accepted."
        );
    }
    Ok(text)
}

/// A file, as what it differs in from an accepted case.
struct Near {
    base: &'static str,
    changes: Vec<Change>,
}

impl Near {
    /// The case that a file of this role is most like.
    fn of(bytes: &[u8], role: Role) -> Option<Self> {
        let accepted = corpus::all().filter(|case| case.verdict == Verdict::Accept && case.role() == role);
        let built = accepted.map(|case| (case.id, case.build().bytes));
        let changed = built.map(|(id, base)| Self { base: id, changes: changes(&base, bytes) });
        changed.min_by_key(|near| (near.changes.iter().map(|own| own.len + own.now.len()).sum::<usize>(), near.base))
    }

    /// The id of the case that it becomes.
    fn id(&self, cluster: &str) -> String {
        format!("{}/found/{cluster}", self.base.split('/').next().unwrap_or("pte"))
    }

    /// Writes the case's declaration.
    fn declare(&self, text: &mut String, cluster: &str, found: CheckerResult, companion: Option<&str>) {
        let (word, relation, rule) = match found.must {
            Some(rule) => ("reject", "breaks", rule.id),
            None if found.warned => ("either", "about", "a-rule"),
            None => ("accept", "shows", "a-rule"),
        };
        let (id, base) = (self.id(cluster), self.base);
        let with = companion.map(|companion| format!(", with [\"{companion}\"]")).unwrap_or_default();
        let _ = writeln!(text, "    /// Say in a sentence or two what readers get wrong here, and what that does.");
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

/// The elements of an array of bytes, in lines as rustfmt breaks them.
fn source(bytes: &[u8]) -> String {
    let line = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:#04x}")).collect::<Vec<_>>().join(", ");
    match bytes.len() {
        0..ROW => line(bytes),
        _ => bytes.chunks(ROW).map(|row| format!("\n{:16}{},", "", line(row))).collect::<String>() + "\n            ",
    }
}

/// The name of a rule's constant.
fn constant(id: &str) -> String {
    id.replace('-', "_").to_uppercase()
}

/// Bytes that are replaced, in the file as the changes before have left it.
#[derive(Debug, PartialEq, Eq)]
struct Change {
    at: usize,
    len: usize,
    now: Vec<u8>,
}

/// What makes `file` of `base`: one change for each place where files of one length differ, otherwise one for all between what they
/// have in common at their ends.
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
    fn changes_make_the_file_again() {
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
