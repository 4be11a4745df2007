//! What generated files are made of.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::RangeInclusive;

use super::setting::{Generation, Member, SettingError, SettingKind};
use crate::ScalarType;
use crate::metadata::Encoding;

/// Declares [`Config`]: each setting with its documentation, its kind and its default, here and nowhere else.
macro_rules! config {
    ($($(#[doc = $doc:literal])+ $name:ident: $kind:ty = $default:expr;)*) => {
        /// What generated files are made of: how many of everything, how large, how often and which.
        ///
        /// Any configuration gives valid files: what a setting asks for and the format does not allow is left out or made
        /// less. The settings that say how many of what is in what are of one method, one list, one tensor and so on, so that
        /// they multiply; [`Config::tables`] and [`Config::data_bytes`] bound them all.
        ///
        /// ```
        /// use torchproof::generate::{Config, GeneratedKind, generate};
        /// let mut config = Config::default();
        /// config.methods = 3..=3;
        /// config.ints = 100..=200;
        /// let file = &generate(GeneratedKind::Pte, &config, 1)?[0];
        /// assert_eq!(torchproof::pte::Pte::open(&file.bytes)?.program().execution_plan()?.unwrap().len(), 3);
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
            /// Every setting, in the order of the declaration.
            pub const SETTINGS: &'static [Setting] =
                &[$(Setting { name: stringify!($name), doc: concat!($($doc, "\n",)+), kind: <$kind as SettingKind>::NAME },)*];

            /// Sets one by its name, as [`Config::get`] gives it.
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
            /// When there is no setting of this name, or the text is none of its values.
            pub fn set(&mut self, name: &str, value: &str) -> Result<(), SettingError> {
                let parsed = match name {
                    $(stringify!($name) => SettingKind::parse(value).map(|value| self.$name = value),)*
                    _ => return Err(SettingError(format!("`{name}` is not a setting of the generator"))),
                };
                parsed.map_err(|error: String| SettingError(format!("{name}: {error}")))
            }

            /// A setting as text, by its name.
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
            /// A configuration of its own kind each time: of most things few or none, of some many.
            fn arbitrary(bytes: &mut arbitrary::Unstructured<'a>) -> arbitrary::Result<Self> {
                Ok(Self { $($name: SettingKind::draw(bytes)?,)* }.small())
            }
        }
    };
}

/// One setting of [`Config`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its name, which is the field's.
    pub name: &'static str,
    /// What it says; the first line is enough for a list.
    pub doc: &'static str,
    /// The kind of its values: `Count`, `Percent` or `Choice`.
    pub kind: &'static str,
}

config! {
    /// How many tables a file may have, at most; what would go beyond is left out.
    tables: RangeInclusive<u32> = 1_000_000..=1_000_000;
    /// How many bytes of data, texts and lists a file may have, at most; what would go beyond is left out.
    data_bytes: RangeInclusive<u32> = 1 << 26..=1 << 26;

    /// How old the schema is that a program keeps to: `inline`, `segments` or `current`.
    generations: Vec<Generation> = vec![Generation::Current];
    /// Alignment of segments in bytes: each number stands for the next power of two, 65536 at most.
    segment_alignments: RangeInclusive<u32> = 128..=128;
    /// Alignment of blobs inside the FlatBuffer in bytes, at least 16: as for segments.
    inline_alignments: RangeInclusive<u32> = 16..=16;
    /// The length that a program's header says it has, in bytes: 24, or 32 and more, 1024 at most.
    header_lengths: RangeInclusive<u32> = 32..=32;
    /// How often a program has a header also when it has no data.
    empty_headers: u8 = 0;
    /// How often the segments are in another order than the official writer's: constants, mutable data, delegates, blobs.
    reordered: u8 = 10;

    /// Methods of a program; at least one.
    methods: RangeInclusive<u32> = 1..=3;
    /// Constants of a program.
    constants: RangeInclusive<u32> = 0..=4;
    /// Mutable tensors of a program that have initial values.
    states: RangeInclusive<u32> = 0..=2;
    /// Blobs of a file, by key.
    blobs: RangeInclusive<u32> = 0..=3;
    /// Entries of a file under well-known keys of the metadata convention.
    metadata: RangeInclusive<u32> = 0..=2;
    /// How the values of such entries are encoded: `untagged`, `tagged` or `strict`.
    metadata_encodings: Vec<Encoding> = vec![Encoding::Untagged];
    /// How often a blob by key is in the segment of another.
    shared_blobs: u8 = 10;
    /// Length of a delegate's blob and of a blob by key, in bytes.
    blob_lengths: RangeInclusive<u32> = 0..=256;
    /// Tensors of a data file. Those of a pair are external tensors of its program.
    data_tensors: RangeInclusive<u32> = 0..=6;
    /// How often a tensor of an older data file has the bytes of the one before it.
    shared_tensors: u8 = 10;

    /// Tensors of a method, beside those that stand for constants and the like.
    tensors: RangeInclusive<u32> = 2..=8;
    /// How often a method has a tensor for a constant, an initial value, or a tensor of the data file.
    uses: u8 = 80;
    /// Element types of tensors.
    scalar_types: Vec<ScalarType> = <ScalarType as Member>::ALL.to_vec();
    /// Dimensions of a tensor, 16 at most.
    ranks: RangeInclusive<u32> = 0..=4;
    /// Size of a tensor in one dimension, in elements.
    sizes: RangeInclusive<u32> = 0..=8;
    /// Elements of a tensor, at most, a size of 0 counting as 1; sizes that would go beyond are made less.
    elements: RangeInclusive<u32> = 1 << 20..=1 << 20;
    /// How often a tensor's dimensions stand in memory in another order than their own.
    permuted: u8 = 20;
    /// How often a tensor's sizes are upper bounds.
    bounded: u8 = 20;
    /// How often a tensor's sizes are not bounded.
    unbounded: u8 = 0;
    /// How often a tensor that is not planned is there for its caller to fill.
    unplanned: u8 = 15;
    /// How often a planned tensor shares memory with others.
    reused: u8 = 20;
    /// How often a tensor has a name though it needs none.
    named: u8 = 20;
    /// How often training asked for a tensor's gradient.
    gradients: u8 = 5;
    /// Planned buffers of a method; at least one where a tensor is planned.
    buffers: RangeInclusive<u32> = 1..=2;
    /// How often a planned buffer has 4 GiB in front that nothing is in.
    far: u8 = 0;
    /// How often a planned buffer is said to be on a device.
    devices: u8 = 10;

    /// Nulls of a method.
    nulls: RangeInclusive<u32> = 0..=2;
    /// Integers of a method.
    ints: RangeInclusive<u32> = 0..=4;
    /// Bools of a method.
    bools: RangeInclusive<u32> = 0..=2;
    /// Floats of a method.
    doubles: RangeInclusive<u32> = 0..=2;
    /// Strings of a method.
    strings: RangeInclusive<u32> = 0..=2;
    /// Lists of integers of a method.
    int_lists: RangeInclusive<u32> = 0..=2;
    /// Lists of floats of a method.
    double_lists: RangeInclusive<u32> = 0..=1;
    /// Lists of bools of a method.
    bool_lists: RangeInclusive<u32> = 0..=1;
    /// Lists of tensors of a method.
    tensor_lists: RangeInclusive<u32> = 0..=2;
    /// Lists of tensors that may be missing of a method.
    optional_tensor_lists: RangeInclusive<u32> = 0..=1;
    /// Items of a list.
    items: RangeInclusive<u32> = 0..=5;
    /// Inputs of a method, as far as it has values that can be.
    inputs: RangeInclusive<u32> = 0..=3;
    /// Outputs of a method, as far as it has values that can be.
    outputs: RangeInclusive<u32> = 0..=3;

    /// Chains of a method; at least one, of which the first is run.
    chains: RangeInclusive<u32> = 1..=1;
    /// Calls of kernels in a chain.
    kernel_calls: RangeInclusive<u32> = 0..=6;
    /// Calls of delegates in a chain, if the method has delegates.
    delegate_calls: RangeInclusive<u32> = 0..=2;
    /// Moves in a chain.
    moves: RangeInclusive<u32> = 0..=2;
    /// Jumps in a chain.
    jumps: RangeInclusive<u32> = 0..=2;
    /// Frees in a chain.
    frees: RangeInclusive<u32> = 0..=1;
    /// Arguments of a call.
    arguments: RangeInclusive<u32> = 0..=6;
    /// How often a chain has the call stacks of its instructions.
    stack_traces: u8 = 10;
    /// Frames of a call stack.
    frames: RangeInclusive<u32> = 0..=3;
    /// Operators of a method, at least one where a kernel is called.
    operators: RangeInclusive<u32> = 1..=4;
    /// Delegates of a method whose blob is inside the FlatBuffer.
    inline_delegates: RangeInclusive<u32> = 0..=1;
    /// Delegates of a method whose blob is in a segment.
    segment_delegates: RangeInclusive<u32> = 0..=1;
    /// Settings that a delegate's backend is handed.
    compile_specs: RangeInclusive<u32> = 0..=2;

    /// Length of a text that can be any, in characters.
    text_lengths: RangeInclusive<u32> = 0..=16;
    /// How often a character of such a text is none of ASCII's.
    foreign: u8 = 10;

    /// How often a number, bool or enum that is zero is written, which official writers leave out. A swarm has none.
    explicit_zeros: u8 = 0;
}

impl Config {
    /// The same configuration, bounded such that thousands of files are made of it in a second.
    #[cfg(feature = "arbitrary")]
    fn small(self) -> Self {
        Self { tables: 2_000..=2_000, data_bytes: 1 << 14..=1 << 14, ..self }
    }
}
