//! The key on the command line, and suggestions for misspelled keys.

use std::cmp::Reverse;

use torchproof::metadata::{PREFIX, WELL_KNOWN, check_key};
use torchproof_harness::text::escape::plain_name;

use crate::document::meta::whole_key;

/// A larger maximum would suggest `bos_token_id` for `pad_token_id`.
const MAX_TYPOS: usize = 2;

/// A key with two typos, for example, needs at least ten letters.
const LETTERS_PER_TYPO: usize = 5;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    given: String,
    pub(super) key: String,
}

impl Target {
    pub(super) fn of(given: &str) -> Self {
        Self { given: given.to_owned(), key: whole_key(given) }
    }

    pub(super) fn check(&self) -> Result<(), String> {
        check_key(self.key.as_bytes()).map_err(|error| format!("the key {self} {error}"))
    }

    pub(super) fn meant(&self) -> Option<String> {
        self.nearest(WELL_KNOWN.iter().map(|(name, _)| whole_key(name)))
    }

    pub(super) fn absent<'k>(&self, keys: impl Iterator<Item = &'k [u8]>) -> String {
        let mut is_other = false;
        let keys = keys.filter_map(|key| std::str::from_utf8(key).ok()).inspect(|key| is_other |= *key == self.given);
        // The edit distance is at least the difference in length.
        let alike = |key: &&str| key.len().abs_diff(self.key.len()) <= MAX_TYPOS;
        let metadata = keys.filter(|key| key.as_bytes().starts_with(PREFIX)).filter(alike).map(str::to_owned);
        let nearest = self.nearest(metadata);
        if self.given != self.key && is_other {
            let given = plain_name(&self.given);
            return format!("no entry {self}; {given} is named data, not metadata");
        }
        match nearest {
            Some(near) => format!("no entry {self}; did you mean {}?", plain_name(&near)),
            None => format!("no entry {self}; `torchproof meta list` lists the keys"),
        }
    }

    /// `None` if no key is similar, or if `keys` contains exactly the user's key.
    fn nearest(&self, keys: impl Iterator<Item = String>) -> Option<String> {
        let most = MAX_TYPOS.min(self.key.len().saturating_sub(PREFIX.len()) / LETTERS_PER_TYPO);
        let alike = |key: &str| key.bytes().zip(self.key.bytes()).take_while(|(one, other)| one == other).count();
        let distances = keys.map(|key| (strsim::damerau_levenshtein(&self.key, &key), Reverse(alike(&key)), key));
        // If several keys have the same distance, choose the one with the longest common prefix.
        let (typos, _, nearest) = distances.min()?;
        (1..=most).contains(&typos).then_some(nearest)
    }
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&plain_name(&self.key))
    }
}
