//! Stored parts: constants, state and named data, paired by name, by digest, or by order.

use std::collections::HashMap;
use std::hash::Hash;

use torchproof::check::ReadAt;

use super::change::Change;
use super::distance::Distance;
use crate::ModelFile;
use crate::inspect::{InspectOutput, PartTable};

/// The prefix of metadata keys.
const METADATA: &str = "metadata.";

/// The maximum number of bytes of a metadata value that are shown.
const SHORT: u64 = 64;

struct Side<'s> {
    file: &'s ModelFile<'s>,
    output: &'s InspectOutput,
    /// The rows of stored parts that are not paired yet.
    rows: Vec<usize>,
}

impl<'s> Side<'s> {
    fn new((file, output): (&'s ModelFile<'_>, &'s InspectOutput)) -> Self {
        let parts = &output.bytes.parts;
        let is_stored =
            |row: &usize| matches!(parts.role.get(*row), Some("constant" | "state" | "named-data" | "member"));
        Self { file, output, rows: (0..parts.len()).filter(is_stored).collect() }
    }

    fn parts(&self) -> &PartTable {
        &self.output.bytes.parts
    }

    fn digest(&self, row: usize) -> &str {
        self.parts().digest.get(row).map_or("", String::as_str)
    }

    fn type_text(&self, row: usize) -> Option<String> {
        let tensor = usize::try_from(self.parts().tensor[row]).ok()?;
        Some(self.output.tensor_types.get(tensor)?.text())
    }

    fn sizes(&self, row: usize) -> Option<&[i32]> {
        let tensor = usize::try_from(self.parts().tensor[row]).ok()?;
        Some(&self.output.tensor_types.get(tensor)?.sizes)
    }

    /// The type, and the role or the value.
    fn text(&self, row: usize) -> String {
        if self.parts().name[row].starts_with(METADATA) && self.parts().bytes[row] <= SHORT {
            let span = self.parts().span(row);
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
        self.type_text(row).unwrap_or_else(|| format!("{} B", self.parts().bytes[row]))
    }

    fn what(&self, row: usize) -> &'static str {
        match self.parts().role.get(row) {
            _ if self.parts().name[row].starts_with(METADATA) => "metadata",
            Some("constant") => "constant",
            Some("state") => "state",
            _ => "named-data",
        }
    }

    fn alone(&self, row: usize) -> (&'static str, String, String, u64) {
        (self.what(row), self.parts().label(row), self.text(row), self.parts().bytes[row])
    }
}

/// Returns the number of parts whose bytes could not be read.
pub(super) fn compare(
    a: (&ModelFile<'_>, &InspectOutput),
    b: (&ModelFile<'_>, &InspectOutput),
    changes: &mut Vec<Change>,
) -> u64 {
    let (mut a, mut b) = (Side::new(a), Side::new(b));
    let mut pairs = Vec::new();
    let named = |side: &Side<'_>, row: usize| Some(side.parts().name[row].clone()).filter(|name| !name.is_empty());
    pair(&mut a, &mut b, named, &mut pairs);
    let same = |side: &Side<'_>, row: usize| {
        Some((side.type_text(row), side.digest(row).to_owned())).filter(|(_, digest)| !digest.is_empty())
    };
    pair(&mut a, &mut b, same, &mut pairs);
    // Parts without a name whose bytes differ are paired in the order of the file: by type, by shape, or by the number
    // of dimensions.
    pair(&mut a, &mut b, |side, row| unnamed(side, row, side.type_text(row)), &mut pairs);
    pair(&mut a, &mut b, |side, row| unnamed(side, row, side.sizes(row).map(<[_]>::to_vec)), &mut pairs);
    pair(&mut a, &mut b, |side, row| unnamed(side, row, side.sizes(row).map(<[_]>::len)), &mut pairs);
    let mut unread = 0;
    for (one, other) in pairs {
        let (before, after) = (a.digest(one), b.digest(other));
        unread += u64::from(before.is_empty() || after.is_empty());
        let (ty, new_ty) = (a.text(one), b.text(other));
        let (role, new_role) = (a.parts().role.get(one), b.parts().role.get(other));
        if before == after && ty == new_ty && role == new_role {
            continue;
        }
        let text = |text: String, role: Option<&str>, digest: &str| {
            let role = if role == a.parts().role.get(one) && role == b.parts().role.get(other) {
                ""
            } else {
                role.unwrap_or("")
            };
            let digest = if ty == new_ty && before != after { digest.get(..8).unwrap_or("") } else { "" };
            let more: Vec<&str> = [role, digest].into_iter().filter(|part| !part.is_empty()).collect();
            if more.is_empty() { text } else { format!("{text} ({})", more.join(", ")) }
        };
        let (shown, new) = (text(ty.clone(), role, before), text(new_ty.clone(), new_role, after));
        let distance = (ty == new_ty && a.parts().tensor[one] >= 0).then(|| Distance::of(&a, one, &b, other)).flatten();
        let (bytes, new_bytes) = (a.parts().bytes[one], b.parts().bytes[other]);
        let change = Change::new(b.what(other), b.parts().label(other), Some(shown), Some(new));
        changes.push(Change { distance, ..change.sized(Some(bytes), Some(new_bytes)) });
    }
    for row in &b.rows {
        let (what, name, text, bytes) = b.alone(*row);
        changes.push(Change::new(what, name, None, Some(text)).sized(None, Some(bytes)));
    }
    for row in &a.rows {
        let (what, name, text, bytes) = a.alone(*row);
        changes.push(Change::new(what, name, Some(text), None).sized(Some(bytes), None));
    }
    unread
}

fn unnamed<T>(side: &Side<'_>, row: usize, key: Option<T>) -> Option<(Option<String>, T)> {
    let is_unnamed = side.parts().name[row].is_empty();
    Some((side.parts().role.get(row).map(str::to_owned), key?)).filter(|_| is_unnamed)
}

/// Pairs the rows with equal keys, in order, and removes them from both sides.
fn pair<'s, K: Eq + Hash>(
    a: &mut Side<'s>,
    b: &mut Side<'s>,
    key: impl Fn(&Side<'s>, usize) -> Option<K>,
    pairs: &mut Vec<(usize, usize)>,
) {
    let mut waiting: HashMap<K, std::collections::VecDeque<usize>> = HashMap::new();
    for row in &a.rows {
        if let Some(key) = key(a, *row) {
            waiting.entry(key).or_default().push_back(*row);
        }
    }
    let mut left = Vec::new();
    let mut taken = std::collections::HashSet::new();
    for row in &b.rows {
        let found = key(b, *row).and_then(|key| waiting.get_mut(&key)?.pop_front());
        match found {
            Some(before) => {
                taken.insert(before);
                pairs.push((before, *row));
            }
            None => left.push(*row),
        }
    }
    a.rows.retain(|row| !taken.contains(row));
    b.rows = left;
}

impl Distance {
    fn of(a: &Side<'_>, one: usize, b: &Side<'_>, other: usize) -> Option<Self> {
        let ty = usize::try_from(a.parts().tensor[one]).ok().and_then(|ty| a.output.tensor_types.get(ty))?;
        let (span, new) = (a.parts().span(one), b.parts().span(other));
        (span.len == new.len).then(|| Self::between(&ty.dtype, (a.file, span), (b.file, new))).flatten()
    }
}
