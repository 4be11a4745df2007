//! The configuration of the generator.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::RangeInclusive;

use super::setting::{Generation, Member, SettingError, SettingKind};
use crate::ScalarType;
use crate::metadata::Encoding;

/// Declares [`Config`] with the documentation, kind and default of each setting.
macro_rules! config {
    ($($(#[doc = $doc:literal])+ $name:ident: $kind:ty = $default:expr;)*) => {
        /// The generator's configuration: counts, sizes, probabilities and choices.
        ///
        /// Every configuration produces valid files, because the generator reduces or omits whatever the format does
        /// not allow. Counts apply per method, list or tensor, so totals are products of counts. [`Config::tables`] and
        /// [`Config::data_bytes`] limit the totals.
        ///
        /// ```
        /// use torchproof::generate::{Config, GeneratedKind, generate};
        /// let mut config = Config::default();
        /// config.methods = 3..=3;
        /// config.ints = 100..=200;
        /// let file = &generate(GeneratedKind::Pte, &config, 1)?[0];
        /// assert_eq!(torchproof::pte::Pte::open(&file.bytes)?.methods().count(), 3);
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct Config {
            $($(#[doc = $doc])+ pub $name: $kind,)*
        }

        impl Default for Config {
            fn default() -> Self {
                Self { $($name: $default,)* }
            }
        }

        impl Config {
            /// All settings, in declaration order.
            pub const SETTINGS: &'static [Setting] =
                &[$(Setting { name: stringify!($name), doc: concat!($($doc, "\n",)+), kind: <$kind as SettingKind>::NAME },)*];

            /// Changes the setting with this name. `value` is text in the format that [`Config::get`] returns.
            ///
            /// ```
            /// use torchproof::generate::Config;
            /// let mut config = Config::default();
            /// config.set("ranks", "0..3")?;
            /// assert_eq!(config.get("ranks").unwrap(), "0..3");
            /// assert!(config.set("ranks", "many").is_err());
            /// # Ok::<(), torchproof::generate::SettingError>(())
            /// ```
            ///
            /// # Errors
            ///
            /// Returns an error if the name is unknown or the text is not a valid value.
            pub fn set(&mut self, name: &str, value: &str) -> Result<(), SettingError> {
                let parsed = match name {
                    $(stringify!($name) => SettingKind::parse(value).map(|value| self.$name = value),)*
                    _ => return Err(SettingError(format!("`{name}`: the generator has no such setting"))),
                };
                parsed.map_err(|error: String| SettingError(format!("{name}: {error}")))
            }

            /// Returns the value of the setting with this name as text.
            #[must_use]
            pub fn get(&self, name: &str) -> Option<String> {
                match name {
                    $(stringify!($name) => Some(SettingKind::print(&self.$name)),)*
                    _ => None,
                }
            }
        }

        #[cfg(feature = "arbitrary")]
        impl<'a> arbitrary::Arbitrary<'a> for Config {
            /// Most of the counts are low, but some are high.
            fn arbitrary(bytes: &mut arbitrary::Unstructured<'a>) -> arbitrary::Result<Self> {
                Ok(Self { $($name: SettingKind::draw(bytes)?,)* }.small())
            }
        }
    };
}

/// One setting of [`Config`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The name of the setting, which is also the name of its field in [`Config`].
    pub name: &'static str,
    /// The description of the setting. Its first line is a summary.
    pub doc: &'static str,
    /// The kind of value: `Count`, `Percent` or `Choice`.
    pub kind: &'static str,
}

config! {
    /// Maximum number of tables per file; the generator leaves out the rest.
    tables: RangeInclusive<u32> = 1_000_000..=1_000_000;
    /// Maximum size of data, strings and lists per file, in bytes; the generator leaves out the rest.
    data_bytes: RangeInclusive<u32> = 1 << 26..=1 << 26;

    /// Schema generations of programs: `inline`, `segments` or `current`.
    generations: Vec<Generation> = vec![Generation::Current];
    /// Segment alignment in bytes, rounded up to a power of two, at most 65536.
    segment_alignments: RangeInclusive<u32> = 128..=128;
    /// Alignment in bytes for blobs inside the FlatBuffer, at least 16, rounded up to a power of two.
    inline_alignments: RangeInclusive<u32> = 16..=16;
    /// Length of a program's header in bytes: 24, or 32 to 1024.
    header_lengths: RangeInclusive<u32> = 32..=32;
    /// Probability that a program without data has a header.
    empty_headers: u8 = 0;
    /// Probability that segments are not in the official order: constants, mutable data, delegates, blobs.
    reordered: u8 = 10;

    /// Number of methods per program, at least one.
    methods: RangeInclusive<u32> = 1..=3;
    /// Number of constants per program.
    constants: RangeInclusive<u32> = 0..=4;
    /// Number of mutable tensors with initial values per program.
    states: RangeInclusive<u32> = 0..=2;
    /// Number of named blobs per file.
    blobs: RangeInclusive<u32> = 0..=3;
    /// Number of entries with a well-known metadata key, per file.
    metadata: RangeInclusive<u32> = 0..=2;
    /// Encodings of metadata values: `untagged`, `tagged` or `strict`.
    metadata_encodings: Vec<Encoding> = vec![Encoding::Untagged];
    /// Probability that a named blob shares a segment with another named blob.
    shared_blobs: u8 = 10;
    /// Length of a delegate blob or named blob, in bytes.
    blob_lengths: RangeInclusive<u32> = 0..=256;
    /// Number of tensors per data file; in a pair, these tensors are the program's external tensors.
    data_tensors: RangeInclusive<u32> = 0..=6;
    /// Probability that a tensor in a legacy data file shares its bytes with the previous tensor.
    shared_tensors: u8 = 10;

    /// Number of tensors per method, in addition to constants, initial values and external tensors.
    tensors: RangeInclusive<u32> = 2..=8;
    /// Probability that a method uses a given constant, initial value or external tensor.
    uses: u8 = 80;
    /// Scalar types of tensors.
    scalar_types: Vec<ScalarType> = <ScalarType as Member>::ALL.to_vec();
    /// Number of dimensions per tensor, at most 16.
    ranks: RangeInclusive<u32> = 0..=4;
    /// Size of a dimension, in elements.
    sizes: RangeInclusive<u32> = 0..=8;
    /// Maximum number of elements per tensor, counting a size of 0 as 1; larger tensors are made smaller.
    elements: RangeInclusive<u32> = 1 << 20..=1 << 20;
    /// Probability that a tensor has a permuted `dim_order`.
    permuted: u8 = 20;
    /// Probability that a tensor's sizes are upper bounds.
    bounded: u8 = 20;
    /// Probability that a tensor's sizes are unbounded.
    unbounded: u8 = 0;
    /// Probability that a tensor has no planned memory, so the caller provides the memory.
    unplanned: u8 = 15;
    /// Probability that a planned tensor shares memory with other tensors.
    reused: u8 = 20;
    /// Probability that a tensor has an optional name.
    named: u8 = 20;
    /// Probability that a tensor requires a gradient.
    gradients: u8 = 5;
    /// Number of planned buffers per method, at least one if a tensor is planned.
    buffers: RangeInclusive<u32> = 1..=2;
    /// Probability that a planned buffer starts with 4 GiB of unused space.
    far: u8 = 0;
    /// Probability that a planned buffer has an assigned device: the CPU or a CUDA device.
    devices: u8 = 10;

    /// Number of Null values per method.
    nulls: RangeInclusive<u32> = 0..=2;
    /// Number of Int values per method.
    ints: RangeInclusive<u32> = 0..=4;
    /// Number of Bool values per method.
    bools: RangeInclusive<u32> = 0..=2;
    /// Number of Double values per method.
    doubles: RangeInclusive<u32> = 0..=2;
    /// Number of String values per method.
    strings: RangeInclusive<u32> = 0..=2;
    /// Number of IntList values per method.
    int_lists: RangeInclusive<u32> = 0..=2;
    /// Number of DoubleList values per method.
    double_lists: RangeInclusive<u32> = 0..=1;
    /// Number of BoolList values per method.
    bool_lists: RangeInclusive<u32> = 0..=1;
    /// Number of TensorList values per method.
    tensor_lists: RangeInclusive<u32> = 0..=2;
    /// Number of OptionalTensorList values per method.
    optional_tensor_lists: RangeInclusive<u32> = 0..=1;
    /// Number of items per list.
    items: RangeInclusive<u32> = 0..=5;
    /// Number of inputs per method, limited by the number of suitable values.
    inputs: RangeInclusive<u32> = 0..=3;
    /// Number of outputs per method, limited by the number of suitable values.
    outputs: RangeInclusive<u32> = 0..=3;

    /// Number of chains per method, at least one; readers run only the first chain.
    chains: RangeInclusive<u32> = 1..=1;
    /// Number of kernel calls per chain.
    kernel_calls: RangeInclusive<u32> = 0..=6;
    /// Number of delegate calls per chain, if the method has delegates.
    delegate_calls: RangeInclusive<u32> = 0..=2;
    /// Number of move instructions per chain.
    moves: RangeInclusive<u32> = 0..=2;
    /// Number of jump instructions per chain.
    jumps: RangeInclusive<u32> = 0..=2;
    /// Number of free instructions per chain.
    frees: RangeInclusive<u32> = 0..=1;
    /// Number of arguments per call.
    arguments: RangeInclusive<u32> = 0..=6;
    /// Probability that a chain has call stacks.
    stack_traces: u8 = 10;
    /// Number of frames per call stack.
    frames: RangeInclusive<u32> = 0..=3;
    /// Number of operators per method, at least one if a kernel is called.
    operators: RangeInclusive<u32> = 1..=4;
    /// Number of delegates with an inline blob, per method.
    inline_delegates: RangeInclusive<u32> = 0..=1;
    /// Number of delegates with a blob in a segment, per method.
    segment_delegates: RangeInclusive<u32> = 0..=1;
    /// Number of compile specs per delegate.
    compile_specs: RangeInclusive<u32> = 0..=2;

    /// Length of an arbitrary string, in characters.
    text_lengths: RangeInclusive<u32> = 0..=16;
    /// Probability that a character in an arbitrary string is not ASCII.
    foreign: u8 = 10;

    /// Probability that a number, bool or enum is stored even if it is 0; official writers omit zeros. `Config::swarm`
    /// uses 0.
    explicit_zeros: u8 = 0;
}

impl Config {
    /// Limits tables and data so that thousands of files can be made per second.
    #[cfg(feature = "arbitrary")]
    fn small(self) -> Self {
        Self { tables: 2_000..=2_000, data_bytes: 1 << 14..=1 << 14, ..self }
    }
}
