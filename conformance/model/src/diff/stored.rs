//! Stored parts (constants, state and named data), paired by name, by digest, or by order.

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::Hash;

use torchproof::check::ReadAt;

use super::change::Change;
use super::distance::Distance;
use crate::ModelFile;
use crate::inspect::{Digests, InspectOutput, PartTable, TensorType, inspect};

/// The prefix of metadata keys.
const METADATA: &str = "metadata.";

/// The maximum number of bytes of a metadata value that are shown.
const SHORT: u64 = 64;

/// A file, its content and its data files. To compare constants, the content must have digests.
#[derive(Clone, Copy, Debug)]
pub struct Compared<'c> {
    pub file: &'c ModelFile<'c>,
    pub output: &'c InspectOutput,
    pub data: &'c [ModelFile<'c>],
}

/// A stored part of a file, or an entry of a data file that the program looks up.
#[derive(Clone, Copy)]
struct Stored<'s> {
    file: &'s ModelFile<'s>,
    output: &'s InspectOutput,
    is_data: bool,
    row: usize,
}

impl<'s> Stored<'s> {
    /// Returns the parts of a file and of its data files.
    fn all(of: Compared<'s>, data: &'s [InspectOutput]) -> Vec<Self> {
        let needed = of.output.needs.iter().flat_map(|needs| &needs.programs).flat_map(|program| &program.data);
        let needed: HashSet<&str> = needed.map(|need| &*need.key).collect();
        let files = [(of.file, of.output, false)].into_iter();
        let files = files.chain(of.data.iter().zip(data).map(|(file, output)| (file, output, true)));
        let parts = files.flat_map(|(file, output, is_data)| {
            (0..output.bytes.parts.rows()).map(move |row| Self { file, output, is_data, row })
        });
        parts.filter(|part| part.is_stored() && (!part.is_data || needed.contains(part.name()))).collect()
    }

    fn is_stored(&self) -> bool {
        matches!(self.parts().role.get(self.row), Some("constant" | "state" | "named-data" | "member"))
    }

    fn parts(&self) -> &'s PartTable {
        &self.output.bytes.parts
    }

    fn name(&self) -> &'s str {
        &self.parts().name[self.row]
    }

    fn role(&self) -> Option<&'s str> {
        if self.is_data { Some("data-file") } else { self.parts().role.get(self.row) }
    }

    fn bytes(&self) -> u64 {
        self.parts().bytes[self.row]
    }

    fn digest(&self) -> &'s str {
        self.parts().digest.get(self.row).map_or("", String::as_str)
    }

    fn ty(&self) -> Option<&'s TensorType> {
        self.output.tensor_type(self.parts().tensor[self.row])
    }

    /// Returns the type or the value.
    fn text(&self) -> String {
        if self.name().starts_with(METADATA) && self.bytes() <= SHORT {
            let span = self.parts().span(self.row);
            let mut bytes = vec![0; usize::try_from(span.len).unwrap_or(0)];
            if self.file.read_at(span.offset, &mut bytes).is_ok() {
                return match std::str::from_utf8(&bytes) {
                    Ok(text) if !text.is_empty() && text.chars().all(|char| !char.is_control()) => {
                        format!("\"{text}\"")
                    }
                    _ => crate::inspect::hex(&bytes),
                };
            }
        }
        self.ty().map_or_else(|| format!("{} B", self.bytes()), TensorType::text)
    }

    fn what(&self) -> &'static str {
        match self.parts().role.get(self.row) {
            _ if self.name().starts_with(METADATA) => "metadata",
            Some("constant") => "constant",
            Some("state") => "state",
            _ => "named-data",
        }
    }

    /// Parts without a name are paired with parts of the same role.
    fn unnamed<T>(&self, key: impl FnOnce(&'s TensorType) -> T) -> Option<(Option<&'s str>, T)> {
        self.ty().filter(|_| self.name().is_empty()).map(|ty| (self.role(), key(ty)))
    }
}

/// Returns the number of parts whose bytes could not be read.
pub(super) fn compare(a: Compared<'_>, b: Compared<'_>, changes: &mut Vec<Change>) -> u64 {
    let [a_data, b_data] = [a, b].map(|side| {
        let digests = if side.output.bytes.parts.digest.is_empty() { Digests::Few } else { Digests::All };
        side.data.iter().map(|data| inspect(data, &[], &[], digests)).collect::<Vec<_>>()
    });
    let (mut a, mut b) = (Stored::all(a, &a_data), Stored::all(b, &b_data));
    let mut pairs = Vec::new();
    pair(&mut a, &mut b, |part| Some(part.name()).filter(|name| !name.is_empty()), &mut pairs);
    let same = |part: &Stored<'_>| Some((part.ty().map(TensorType::text), part.digest().to_owned()));
    pair(&mut a, &mut b, |part| same(part).filter(|(_, digest)| !digest.is_empty()), &mut pairs);
    // A delegate's constant has no type, so only its bytes show that it is a tensor from a data file.
    pair(&mut a, &mut b, |part| Some(part.digest()).filter(|digest| !digest.is_empty()), &mut pairs);
    // Unnamed parts with different bytes are paired in file order: first by type, then by shape, then by number of
    // dimensions.
    pair(&mut a, &mut b, |part| part.unnamed(TensorType::text), &mut pairs);
    pair(&mut a, &mut b, |part| part.unnamed(|ty| ty.sizes.clone()), &mut pairs);
    pair(&mut a, &mut b, |part| part.unnamed(|ty| ty.sizes.len()), &mut pairs);
    let mut unread = 0;
    for (old, new) in pairs {
        let (before, after) = (old.digest(), new.digest());
        unread += u64::from(before.is_empty() || after.is_empty());
        let (ty, new_ty) = (old.text(), new.text());
        if before == after && ty == new_ty && old.role() == new.role() {
            continue;
        }
        let text = |part: &Stored<'_>| {
            let role = part.role().filter(|_| old.role() != new.role());
            let digest = part.digest().get(..8).filter(|_| ty == new_ty && before != after);
            let more: Vec<&str> = role.into_iter().chain(digest).collect();
            if more.is_empty() { part.text() } else { format!("{} ({})", part.text(), more.join(", ")) }
        };
        let distance = (ty == new_ty && before != after).then(|| Distance::of(&old, &new)).flatten();
        let what = if new.is_data { old.what() } else { new.what() };
        let change = Change::new(what, new.parts().label(new.row), Some(text(&old)), Some(text(&new)));
        changes.push(Change { distance, ..change.sized(Some(old.bytes()), Some(new.bytes())) });
    }
    // Leave out entries of data files: the comparison of needs lists keys that only one program looks up.
    for part in b.iter().filter(|part| !part.is_data) {
        let change = Change::new(part.what(), part.parts().label(part.row), None, Some(part.text()));
        changes.push(change.sized(None, Some(part.bytes())));
    }
    for part in a.iter().filter(|part| !part.is_data) {
        let change = Change::new(part.what(), part.parts().label(part.row), Some(part.text()), None);
        changes.push(change.sized(Some(part.bytes()), None));
    }
    unread
}

/// Pairs the parts with equal keys, in order, and removes them from both sides.
fn pair<'s, K: Eq + Hash>(
    a: &mut Vec<Stored<'s>>,
    b: &mut Vec<Stored<'s>>,
    key: impl Fn(&Stored<'s>) -> Option<K>,
    pairs: &mut Vec<(Stored<'s>, Stored<'s>)>,
) {
    let mut waiting: HashMap<K, VecDeque<usize>> = HashMap::new();
    for (at, key) in a.iter().enumerate().filter_map(|(at, part)| Some((at, key(part)?))) {
        waiting.entry(key).or_default().push_back(at);
    }
    let mut taken = HashSet::new();
    b.retain(|part| {
        let found = key(part).and_then(|key| waiting.get_mut(&key)?.pop_front());
        taken.extend(found);
        pairs.extend(found.map(|at| (a[at], *part)));
        found.is_none()
    });
    let mut numbers = 0..;
    a.retain(|_| numbers.next().is_none_or(|at: usize| !taken.contains(&at)));
}

impl Distance {
    fn of(a: &Stored<'_>, b: &Stored<'_>) -> Option<Self> {
        let (span, new) = (a.parts().span(a.row), b.parts().span(b.row));
        (span.len == new.len).then(|| Self::between(&a.ty()?.dtype, (a.file, span), (b.file, new))).flatten()
    }
}
