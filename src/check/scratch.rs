//! Scratch memory for sorting names and segments and for recording uses.

use crate::Limit;
use crate::flatbuffer::walk::Stop;

/// The minimum scratch memory in words, which is enough for files with a few dozen names and segments.
pub(super) const FEW: usize = 128;

/// Lends scratch memory to one caller at a time.
pub(super) trait Scratch {
    /// Returns `words` words with arbitrary contents.
    fn words(&mut self, words: usize) -> Result<&mut [u64], Stop>;
}

impl Scratch for &mut [u64] {
    fn words(&mut self, words: usize) -> Result<&mut [u64], Stop> {
        self.get_mut(..words).ok_or(Stop::Limit(Limit::Scratch))
    }
}

#[cfg(feature = "alloc")]
impl Scratch for alloc::vec::Vec<u64> {
    /// Extends the vector if it is shorter than `words`. The vector stays small, because its length depends only on how
    /// many names and segments the file has.
    fn words(&mut self, words: usize) -> Result<&mut [u64], Stop> {
        if self.len() < words {
            self.try_reserve_exact(words - self.len()).map_err(|_| Stop::Limit(Limit::Scratch))?;
            self.resize(words, 0);
        }
        self.get_mut(..words).ok_or(Stop::Limit(Limit::Scratch))
    }
}
