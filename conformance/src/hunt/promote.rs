//! What was found, as a case of the registry.

use std::fmt::Write as _;

use torchproof::cases;
use torchproof::corpus::{Role, Verdict};

use super::{HuntError, Store, said};

/// Changes that are closer to each other than this are one.
const NEAR: usize = 4;

/// A cluster's file as the source text of a case, to be put into a file below `src/cases`.
///
/// The file is told by what it differs in from the accepted case that it is most like, which then is its control: the same bytes come
/// of it. The words are left to a person: what readers get wrong there is not in the file.
///
/// # Errors
///
/// There is no such cluster, or its file cannot be read.
pub fn promote(store: &Store, id: &str) -> Result<String, HuntError> {
    let cluster = store.cluster(id).ok_or_else(|| HuntError::NoCluster { id: id.to_owned() })?;
    let bytes = store.smallest(cluster)?;
    let role = match cluster.file.rsplit('.').next() {
        Some("ptd") => Role::Data,
        Some("bpte") => Role::Bundled,
        _ => Role::Program,
    };
    let accepted = cases::all().filter(|case| case.verdict == Verdict::Accept && case.role() == role);
    let built = accepted.filter_map(|case| Some((case.id, case.build().ok()?.bytes)));
    let changed = built.map(|(id, base)| (changes(&base, &bytes), id, base));
    let nearest =
        changed.min_by_key(|(changes, id, _)| (changes.iter().map(|own| own.len + own.now.len()).sum::<usize>(), *id));
    let Some((changes, base, _)) = nearest else { return Err(HuntError::NoCluster { id: id.to_owned() }) };
    let said = said(&bytes);
    let (word, relation, rule) = match said.must {
        Some(rule) => ("reject", "breaks", rule.id),
        None if said.warned => ("either", "about", "a-rule"),
        None => ("accept", "shows", "a-rule"),
    };
    let area = base.split('/').next().unwrap_or("pte");
    let mut text = String::new();
    let key = &cluster.key;
    let _ = writeln!(text, "    /// Say in a sentence or two what readers get wrong here, and what that does.");
    let _ = writeln!(
        text,
        "    {word} \"{area}/found/{}\": \"the defect in a few words\" {relation} rules::{},",
        cluster.id,
        constant(rule)
    );
    let _ = writeln!(text, "        from \"{base}\" => |file| {{");
    for Change { at, len, now } in changes {
        let bytes: Vec<String> = now.iter().map(|byte| format!("{byte:#04x}")).collect();
        let _ = match len == now.len() {
            true => writeln!(text, "            file.put({at:#x}, &[{}]);", bytes.join(", ")),
            false => writeln!(text, "            file.splice({at:#x}, {len}, &[{}]);", bytes.join(", ")),
        };
    }
    let _ = writeln!(text, "        }};");
    let _ = writeln!(
        text,
        "    // Found by `torchproof hunt --seed {}`, file {}: {}, {}.",
        cluster.label.seed,
        cluster.index,
        key.kind.name(),
        cluster.label.attack
    );
    Ok(text)
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
