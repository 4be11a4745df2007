//! A program file with an index of its keys.

use super::read::Pte;
use super::schema::NamedData;
use crate::Error;
use crate::flatbuffer::Vector;
use crate::key_index::KeyIndex;

/// A program file with an index of its keys, created by [`Pte::indexed`].
///
/// The index is stored in the caller's memory. Lookups return the same results as [`Pte`], but in logarithmic time.
///
/// ```
/// use torchproof::pte::Pte;
/// # use torchproof::pte::{ProgramData, builder::{PlanBuilder, program}, pack};
/// # use torchproof::write::NamedDataStore;
/// # let mut store = NamedDataStore::new();
/// # store.add("k", b"blob", 1, None)?;
/// # store.add("other", b"more", 1, None)?;
/// # let program = program([PlanBuilder::new("forward")]);
/// # let mut data = ProgramData::default();
/// # data.named_data = Some(store);
/// # let bytes = pack(&program, data, &Default::default())?.to_bytes()?;
/// let file = Pte::open(&bytes)?;
/// let mut memory = [0; 16];
/// let indexed = file.indexed(&mut memory[..file.keys()?])?;
/// assert_eq!(indexed.named_data(b"other")?, Some(&b"more"[..]));
/// assert_eq!(indexed.named_data(b"none")?, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct IndexedPte<'a, 'm> {
    file: Pte<'a>,
    named_data: KeyIndex<'a, 'm, NamedData<'a>>,
}

impl<'a> Pte<'a> {
    /// Returns the number of words that [`Pte::indexed`] needs: one word for each entry of `named_data`.
    ///
    /// # Errors
    ///
    /// Returns the fault of the failed access.
    pub fn keys(&self) -> Result<usize, Error> {
        Ok(self.program().named_data()?.map_or(0, Vector::len))
    }

    /// Builds an index of the file's keys in `memory`.
    ///
    /// `memory` must have at least [`Pte::keys`] words.
    ///
    /// Usually, each key is read once. If many of the `n` keys have equal hashes, keys are read at most `n log n` times
    /// in total.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorCode::Limit`](crate::ErrorCode::Limit) if `memory` is too small. `indexed` reads all entries; if
    /// an entry has a fault, returns the first fault.
    pub fn indexed<'m>(&self, memory: &'m mut [u64]) -> Result<IndexedPte<'a, 'm>, Error> {
        let (named_data, _) = KeyIndex::new(self.program().named_data()?, memory)?;
        Ok(IndexedPte { file: *self, named_data })
    }
}

impl<'a> IndexedPte<'a, '_> {
    /// Returns the indexed file.
    #[must_use]
    pub fn file(&self) -> Pte<'a> {
        self.file
    }

    /// Returns the same result as [`Pte::named_data`].
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Pte::segment_bytes`].
    pub fn named_data(&self, key: &[u8]) -> Result<Option<&'a [u8]>, Error> {
        self.file.entry_bytes(self.named_data.find(key)?)
    }
}
