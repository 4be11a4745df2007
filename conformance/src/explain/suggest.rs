//! Ids that somebody may have meant.

use torchproof::{corpus, rules};

/// As many are named at most.
const MOST: usize = 3;

/// Ids less like the one given than this are not named.
const LEAST: f64 = 0.6;

/// What is added to the likeness where one is a part of the other.
const HELD: f64 = 1.0;

/// The ids most like `id`: those that hold it or are held by it, or else those that differ little.
pub(super) fn near(id: &str) -> Vec<&'static str> {
    let id = id.to_lowercase();
    let ids = rules::all().map(|rule| rule.id).chain(corpus::all().map(|case| case.id));
    let mut ids: Vec<(f64, &str)> = ids.map(|other| (likeness(&id, other), other)).collect();
    // Beside ids that hold what was given, those that only resemble it are noise.
    let least = if ids.iter().any(|(likeness, _)| *likeness >= HELD) { HELD } else { LEAST };
    ids.retain(|(likeness, _)| *likeness >= least);
    ids.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(other.1)));
    ids.truncate(MOST);
    ids.into_iter().map(|(_, id)| id).collect()
}

/// From 0, nothing in common, to 2, where one is a part of the other.
fn likeness(id: &str, other: &str) -> f64 {
    // Of a case's id the last part is what people remember.
    let last = other.rsplit('/').next().unwrap_or(other);
    let whole = strsim::normalized_damerau_levenshtein(id, other);
    let held = id.len() >= 3 && other.to_lowercase().contains(id) || id.contains(last);
    whole.max(strsim::normalized_damerau_levenshtein(id, last)) + if held { HELD } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_and_parts_are_understood() {
        for (given, meant) in [
            ("eh-lenght-min", "eh-length-min"),
            ("EH-LENGTH-MIN", "eh-length-min"),
            ("length-23", "pte/header/length-23"),
            ("pte/headers/length-23", "pte/header/length-23"),
            ("pte/header/length-23.pte", "pte/header/length-23"),
        ] {
            assert_eq!(near(given).first(), Some(&meant), "{given}");
        }
        assert!(near("zzzzzzzzzzzzzzzzzz").is_empty());
    }
}
