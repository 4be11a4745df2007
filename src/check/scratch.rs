//! Scratch memory, in which a check sorts names and segments and marks what is referred to.

use crate::Limit;
use crate::flatbuffer::walk::Stop;

/// Words that a check has if the caller provides fewer: files with a few dozen names and segments need no more.
pub(super) const FEW: usize = 128;

/// Scratch memory, lent for one use at a time.
pub(super) trait Scratch {
    /// So many words of any content.
    fn words(&mut self, words: usize) -> Result<&mut [u64], Stop>;
}

impl Scratch for &mut [u64] {
    fn words(&mut self, words: usize) -> Result<&mut [u64], Stop> {
        self.get_mut(..words).ok_or(Stop::Limit(Limit::Scratch))
    }
}

#[cfg(feature = "alloc")]
impl Scratch for alloc::vec::Vec<u64> {
    /// Grows as needed: never beyond what the file's own tables of names and segments call for.
    fn words(&mut self, words: usize) -> Result<&mut [u64], Stop> {
        if self.len() < words {
            self.try_reserve_exact(words - self.len()).map_err(|_| Stop::Limit(Limit::Scratch))?;
            self.resize(words, 0);
        }
        self.get_mut(..words).ok_or(Stop::Limit(Limit::Scratch))
    }
}
