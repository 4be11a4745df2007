//! The state of the generator while it makes a file: configuration, random numbers and remaining limits.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::RangeInclusive;

use super::Config;
use super::setting::Member;
use crate::ScalarType;
use crate::flatbuffer::schema::TableType;
use crate::flatbuffer::tree::TableTree;
use crate::metadata::{ValueType, WELL_KNOWN};
use crate::ptd::builder::dense;
use crate::pte::builder::TensorBuilder;
use crate::random::Random;

/// Together with `MOST_BYTES`, this keeps the FlatBuffer below 2^31 bytes.
const MOST_TABLES: u32 = 10_000_000;
const MOST_BYTES: u32 = 1 << 30;

#[derive(Debug)]
pub(super) struct Maker<'c> {
    pub(super) config: &'c Config,
    pub(super) random: Random,
    tables: u32,
    bytes: usize,
    names: u32,
    /// Well-known metadata keys that no file contains yet.
    pub(super) keys: Vec<WellKnown>,
}

pub(super) type WellKnown = &'static (&'static str, ValueType);

#[derive(Clone, Debug)]
pub(super) struct DenseLayout {
    pub(super) scalar_type: ScalarType,
    pub(super) sizes: Vec<i32>,
    pub(super) dim_order: Vec<u8>,
    /// The length in bytes.
    pub(super) len: usize,
}

impl<'c> Maker<'c> {
    pub(super) fn new(config: &'c Config, seed: u64) -> Self {
        let random = Random::new(seed);
        let mut maker = Self { config, random, tables: 0, bytes: 0, names: 0, keys: WELL_KNOWN.iter().collect() };
        maker.tables = maker.number(&config.tables).min(MOST_TABLES);
        let bytes = maker.number(&config.data_bytes).min(MOST_BYTES);
        maker.bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        maker
    }

    /// Reserves tables, and returns whether the limit allows this.
    pub(super) fn take(&mut self, tables: u32) -> bool {
        match self.tables.checked_sub(tables) {
            Some(left) => {
                self.tables = left;
                true
            }
            None => false,
        }
    }

    /// A range with only one number uses no random number. A new setting with such a default therefore does not change
    /// the files of existing seeds.
    pub(super) fn number(&mut self, range: &RangeInclusive<u32>) -> u32 {
        let (least, most) = (*range.start(), *range.end());
        if least >= most {
            return least;
        }
        let drawn = self.random.within(least.into()..=most.into());
        u32::try_from(drawn).unwrap_or(most)
    }

    /// Draws from all members if `some` is empty. A list with only one member uses no random number.
    pub(super) fn choice<T: Member>(&mut self, some: &[T]) -> T {
        let some = if some.is_empty() { T::ALL } else { some };
        let index = if some.len() > 1 { self.random.index(some.len()) } else { 0 };
        some[index]
    }

    /// Draws a number of items, and reserves `tables` tables for each item.
    pub(super) fn count(&mut self, range: &RangeInclusive<u32>, tables: u32) -> u32 {
        let count = self.number(range).min(self.tables / tables.max(1));
        self.tables -= count * tables;
        count
    }

    /// Draws a number of elements, and reserves `width` bytes for each element.
    pub(super) fn len(&mut self, range: &RangeInclusive<u32>, width: usize) -> usize {
        let count = usize::try_from(self.number(range)).unwrap_or(usize::MAX);
        let count = count.min(self.bytes / width.max(1));
        self.bytes -= count * width;
        count
    }

    /// Returns `true` with this probability. 0 and 100 use no random number.
    pub(super) const fn often(&mut self, percent: u8) -> bool {
        match percent {
            0 => false,
            100.. => true,
            percent => self.random.below(100) < percent as u64,
        }
    }

    /// Sets a random selection of absent fields explicitly to zero.
    pub(super) fn tree(&mut self, root: TableTree) -> TableTree {
        let mut root = root.without_defaults();
        root.spell_defaults(&mut || self.often(self.config.explicit_zeros));
        root
    }

    /// Draws a power of two from `least` to 64 KiB.
    pub(super) fn alignment(&mut self, range: &RangeInclusive<u32>, least: u32) -> u32 {
        self.number(range).clamp(least, 1 << 16).next_power_of_two()
    }

    pub(super) fn blob(&mut self) -> Vec<u8> {
        let len = self.len(&self.config.blob_lengths, 1);
        self.data(len)
    }

    /// The caller has already reserved the bytes.
    pub(super) fn data(&mut self, len: usize) -> Vec<u8> {
        let mut bytes = vec![0; len];
        self.random.fill(&mut bytes);
        bytes
    }

    /// Every character except NUL can occur.
    pub(super) fn text(&mut self) -> String {
        let len = self.len(&self.config.text_lengths, 4);
        (0..len).map(|_| self.character()).collect()
    }

    fn character(&mut self) -> char {
        let ascii = |random: &mut Random| u32::try_from(random.within(0x20..=0x7E)).ok();
        let code = if self.often(self.config.foreign) {
            u32::try_from(self.random.within(1..=0x10_FFFF)).ok()
        } else {
            ascii(&mut self.random)
        };
        // Replace a surrogate, because it is not a character.
        code.and_then(char::from_u32).unwrap_or('\u{FFFD}')
    }

    /// The name begins with `what` and is unique in the file.
    pub(super) fn name(&mut self, what: &str) -> String {
        self.names += 1;
        let text = if self.random.one_in(4) { self.text() } else { String::new() };
        // The dot keeps names unique even if `text` begins with a digit.
        let point = if text.is_empty() { "" } else { "." };
        format!("{what}{}{point}{text}", self.names)
    }

    pub(super) fn shuffle<T>(&mut self, all: &mut [T]) {
        for last in (1..all.len()).rev() {
            all.swap(last, self.random.index(last + 1));
        }
    }

    pub(super) fn shape(&mut self) -> DenseLayout {
        let scalar_type = self.choice(&self.config.scalar_types);
        let rank = self.number(&self.config.ranks).min(16);
        let most = self.number(&self.config.elements).clamp(1, 1 << 31);
        // As in the computation of strides, a size of 0 counts as 1 in the product of the sizes.
        let mut product = 1_u32;
        let sizes: Vec<i32> = (0..rank)
            .map(|_| {
                let size = self.number(&self.config.sizes).min(most / product);
                product *= size.max(1);
                i32::try_from(size).unwrap_or(i32::MAX)
            })
            .collect();
        let mut dim_order: Vec<u8> = (0..=u8::MAX).take(sizes.len()).collect();
        if self.often(self.config.permuted) {
            self.shuffle(&mut dim_order);
        }
        DenseLayout::new(scalar_type, sizes, dim_order)
    }

    /// Also reserves the tensor's bytes. If too few bytes are left, one of the sizes becomes 0.
    pub(super) fn stored_shape(&mut self) -> DenseLayout {
        let mut dense = self.shape();
        if dense.len > self.bytes {
            dense = match dense.sizes.first_mut() {
                Some(first) => {
                    *first = 0;
                    DenseLayout::new(dense.scalar_type, dense.sizes, dense.dim_order)
                }
                // A tensor without dimensions has one element, so add a dimension of size 0.
                None => DenseLayout::new(dense.scalar_type, vec![0], vec![0]),
            };
        }
        self.bytes -= dense.len;
        dense
    }
}

impl DenseLayout {
    fn new(scalar_type: ScalarType, sizes: Vec<i32>, dim_order: Vec<u8>) -> Self {
        let width = scalar_type.element_size().unwrap_or(1);
        let elements: u64 = sizes.iter().map(|size| u64::from(size.unsigned_abs())).product();
        let len = usize::try_from(elements * width).unwrap_or(usize::MAX);
        Self { scalar_type, sizes, dim_order, len }
    }

    pub(super) fn table(&self, ty: &'static TableType) -> TableTree {
        dense(ty, self.scalar_type, &self.sizes, &self.dim_order[..])
    }

    pub(super) fn tensor(&self) -> TensorBuilder {
        TensorBuilder::dense(self.scalar_type, &self.sizes, &self.dim_order[..])
    }
}
