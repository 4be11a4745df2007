//! The known name that someone may have meant.

use torchproof::prediction::BuildProfile;

/// How similar a known name must be to be suggested in place of an unknown name.
const SIMILAR: f64 = 0.85;

/// The length in bytes of the longest name that gets a suggestion.
const MAX_NAME: usize = 100;

/// The maximum number of names that get a suggestion, because a hostile file can have many.
pub const SUGGESTED: usize = 64;

/// Returns the wheel's operator or backend that is most similar to an unknown name.
#[must_use]
pub fn similar_name(name: &str, wheel: &BuildProfile) -> Option<String> {
    if name.len() > MAX_NAME {
        return None;
    }
    let name = name.to_lowercase();
    let is_near = |other: &&String| 20 * name.len().abs_diff(other.len()) <= 3 * name.len().max(other.len());
    let known = wheel.operators.iter().chain(&wheel.backends).filter(is_near);
    let likeness = |other: &String| strsim::normalized_levenshtein(&name, &other.to_lowercase());
    let most = known.map(|other| (likeness(other), other)).max_by(|one, other| one.0.total_cmp(&other.0));
    most.filter(|(likeness, _)| *likeness >= SIMILAR).map(|(_, name)| name.clone())
}
