//! The key that is asked for.

use std::cmp::Reverse;

use torchproof::metadata::{PREFIX, WELL_KNOWN, check_key};

use crate::file::meta::whole_key;
use crate::text::escape::plain_name;

/// A slip is so many letters at most, and one in so many of the key: `pad_token_id` is none of `bos_token_id`.
const MOST_SLIPS: usize = 2;
const LETTERS_A_SLIP: usize = 5;

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
        self.nearest(WELL_KNOWN.iter().map(|(name, _)| whole_key(name)))
    }

    /// That the key is not in a file with these keys.
    pub(super) fn absent<'k>(&self, keys: impl Iterator<Item = &'k [u8]>) -> String {
        let keys: Vec<_> = keys.filter_map(|key| std::str::from_utf8(key).ok()).collect();
        if self.given != self.key && keys.contains(&self.given.as_str()) {
            let given = plain_name(&self.given);
            return format!("no entry {self}; {given} itself is named data, and none of the metadata");
        }
        let metadata = keys.into_iter().filter(|key| key.as_bytes().starts_with(PREFIX)).map(str::to_owned);
        match self.nearest(metadata) {
            Some(near) => format!("no entry {self}: did you mean {}?", plain_name(&near)),
            None => format!("no entry {self}"),
        }
    }

    /// Which of these keys this one may be a slip of; it is none of a key that is itself.
    fn nearest(&self, keys: impl Iterator<Item = String>) -> Option<String> {
        let most = MOST_SLIPS.min(self.key.len().saturating_sub(PREFIX.len()) / LETTERS_A_SLIP);
        let alike = |key: &str| key.bytes().zip(self.key.bytes()).take_while(|(one, other)| one == other).count();
        let slips = keys.map(|key| (strsim::damerau_levenshtein(&self.key, &key), Reverse(alike(&key)), key));
        // Of two that are as near, the one that begins as the key does for longer.
        let (slips, _, nearest) = slips.min()?;
        (1..=most).contains(&slips).then_some(nearest)
    }
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&plain_name(&self.key))
    }
}
