//! The key that is asked for.

use torchproof::metadata::{WELL_KNOWN, check_key};
use torchproof_conformance::meta::whole_key;
use torchproof_conformance::report::plain_name;

/// Keys less like a well-known one than this are not taken for it.
const LEAST_LIKENESS: f64 = 0.8;

/// A key as it was given, and whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    given: String,
    pub(super) key: String,
}

impl Target {
    /// A key to look for, of whatever form.
    pub(super) fn of(given: &str) -> Self {
        Self { given: given.to_owned(), key: whole_key(given) }
    }

    /// Whether the key has the form that a key to be written has.
    pub(super) fn check(&self) -> Result<(), String> {
        check_key(self.key.as_bytes()).map_err(|error| format!("the key {self} {error}"))
    }

    /// The well-known key that this one may be a slip of.
    pub(super) fn meant(&self) -> Option<String> {
        let known = WELL_KNOWN.iter().map(|(name, _)| whole_key(name));
        let known = known.map(|known| (strsim::normalized_damerau_levenshtein(&self.key, &known), known));
        let nearest = known.max_by(|one, other| one.0.total_cmp(&other.0));
        nearest.filter(|(likeness, _)| (LEAST_LIKENESS..1.0).contains(likeness)).map(|(_, known)| known)
    }

    /// That the key is not in a file with these keys.
    pub(super) fn absent<'k>(&self, mut keys: impl Iterator<Item = &'k [u8]>) -> String {
        if self.given != self.key && keys.any(|key| key == self.given.as_bytes()) {
            let given = plain_name(&self.given);
            return format!("no entry {self}; {given} itself is named data, and none of the metadata");
        }
        format!("no entry {self}")
    }
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&plain_name(&self.key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_taken_for_what_is_known() {
        let meant = |given| Target::of(given).meant();
        assert_eq!(meant("tokenizer.eos_id").as_deref(), Some("metadata.tokenizer.eos_ids"));
        assert_eq!(meant("genral.name").as_deref(), Some("metadata.general.name"));
        assert_eq!(meant("general.name"), None);
        assert_eq!(meant("example.quite_another"), None);
    }
}
