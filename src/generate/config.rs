//! What generated files are made of.

use alloc::string::{String, ToString};

use super::{Choice, Count, Generation, Percent, SettingError};
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
        /// let config = Config { methods: 3.into(), ints: (100..=200).into(), ..Config::default() };
        /// let file = &generate(GeneratedKind::Pte, &config, 1)?[0];
        /// assert_eq!(torchproof::pte::Pte::open(&file.bytes)?.program().execution_plan()?.unwrap().len(), 3);
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        #[derive(Clone, Debug, PartialEq, Eq)]
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
                &[$(Setting { name: stringify!($name), doc: concat!($($doc, "\n",)+), kind: stringify!($kind) },)*];

            /// Sets one by its name, as [`Config::get`] gives it.
            ///
            /// ```
            /// use torchproof::generate::Config;
            /// let mut config = Config::default();
            /// config.set("ranks", "0..3")?;
            /// assert_eq!(config.get("ranks").unwrap(), "0..3");
            /// assert_eq!(config.set("ranks", "many").unwrap_err().to_string(),
            ///     "ranks: `many` is not a number, or two as `1..8`, the least and the most, below 2^32");
            /// # Ok::<(), torchproof::generate::SettingError>(())
            /// ```
            ///
            /// # Errors
            ///
            /// When there is no setting of this name, or the text is none of its values.
            pub fn set(&mut self, name: &str, value: &str) -> Result<(), SettingError> {
                let parsed = match name {
                    $(stringify!($name) => value.parse().map(|value| self.$name = value),)*
                    _ => return Err(SettingError::unknown(name)),
                };
                parsed.map_err(|error: SettingError| error.of(name))
            }

            /// A setting as text, by its name.
            #[must_use]
            pub fn get(&self, name: &str) -> Option<String> {
                match name {
                    $(stringify!($name) => Some(self.$name.to_string()),)*
                    _ => None,
                }
            }
        }

        #[cfg(feature = "arbitrary")]
        impl<'a> arbitrary::Arbitrary<'a> for Config {
            /// A configuration of its own kind each time: of most things few or none, of some many.
            fn arbitrary(bytes: &mut arbitrary::Unstructured<'a>) -> arbitrary::Result<Self> {
                Ok(Self { $($name: bytes.arbitrary()?,)* }.small())
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
    /// The kind of its values: `Count`, `Percent`, or a `Choice`.
    pub kind: &'static str,
}

config! {
    /// How many tables a file may have, at most; what would go beyond is left out.
    tables: Count = 1_000_000.into();
    /// How many bytes of data, texts and lists a file may have, at most; what would go beyond is left out.
    data_bytes: Count = (1 << 26).into();

    /// How old the schema is that a program keeps to: `inline`, `segments` or `current`.
    generations: Choice<Generation> = Choice::of(&[Generation::Current]);
    /// Alignment of segments in bytes: each number stands for the next power of two, 65536 at most.
    segment_alignments: Count = 128.into();
    /// Alignment of blobs inside the FlatBuffer in bytes, at least 16: as for segments.
    inline_alignments: Count = 16.into();
    /// The length that a program's header says it has, in bytes: 24, or 32 and more, 1024 at most.
    header_lengths: Count = 32.into();
    /// How often a program has a header also when it has no data.
    empty_headers: Percent = Percent::new(0);
    /// How often the segments are in another order than the official writer's: constants, mutable data, delegates, blobs.
    reordered: Percent = Percent::new(10);

    /// Methods of a program; at least one.
    methods: Count = (1..=3).into();
    /// Constants of a program.
    constants: Count = (0..=4).into();
    /// Mutable tensors of a program that have initial values.
    states: Count = (0..=2).into();
    /// Blobs of a file, by key.
    blobs: Count = (0..=3).into();
    /// Entries of a file under well-known keys of the metadata convention.
    metadata: Count = (0..=2).into();
    /// How the values of such entries are encoded: `untagged`, `tagged` or `strict`.
    metadata_encodings: Choice<Encoding> = Choice::of(&[Encoding::Untagged]);
    /// How often a blob by key is in the segment of another.
    shared_blobs: Percent = Percent::new(10);
    /// Length of a delegate's blob and of a blob by key, in bytes.
    blob_lengths: Count = (0..=256).into();
    /// Tensors of a data file. Those of a pair are external tensors of its program.
    data_tensors: Count = (0..=6).into();
    /// How often a tensor of an older data file has the bytes of the one before it.
    shared_tensors: Percent = Percent::new(10);

    /// Tensors of a method, beside those that stand for constants and the like.
    tensors: Count = (2..=8).into();
    /// How often a method has a tensor for a constant, an initial value, or a tensor of the data file.
    uses: Percent = Percent::new(80);
    /// Element types of tensors.
    scalar_types: Choice<ScalarType> = Choice::all();
    /// Dimensions of a tensor, 16 at most.
    ranks: Count = (0..=4).into();
    /// Size of a tensor in one dimension, in elements.
    sizes: Count = (0..=8).into();
    /// Elements of a tensor, at most, a size of 0 counting as 1; sizes that would go beyond are made less.
    elements: Count = (1 << 20).into();
    /// How often a tensor's dimensions stand in memory in another order than their own.
    permuted: Percent = Percent::new(20);
    /// How often a tensor's sizes are upper bounds.
    bounded: Percent = Percent::new(20);
    /// How often a tensor's sizes are not bounded.
    unbounded: Percent = Percent::new(0);
    /// How often a tensor that is not planned is there for its caller to fill.
    unplanned: Percent = Percent::new(15);
    /// How often a planned tensor shares memory with others.
    reused: Percent = Percent::new(20);
    /// How often a tensor has a name though it needs none.
    named: Percent = Percent::new(20);
    /// How often training asked for a tensor's gradient.
    gradients: Percent = Percent::new(5);
    /// Planned buffers of a method; at least one where a tensor is planned.
    buffers: Count = (1..=2).into();
    /// How often a planned buffer has 4 GiB in front that nothing is in.
    far: Percent = Percent::new(0);
    /// How often a planned buffer is said to be on a device.
    devices: Percent = Percent::new(10);

    /// Nulls of a method.
    nulls: Count = (0..=2).into();
    /// Integers of a method.
    ints: Count = (0..=4).into();
    /// Bools of a method.
    bools: Count = (0..=2).into();
    /// Floats of a method.
    doubles: Count = (0..=2).into();
    /// Strings of a method.
    strings: Count = (0..=2).into();
    /// Lists of integers of a method.
    int_lists: Count = (0..=2).into();
    /// Lists of floats of a method.
    double_lists: Count = (0..=1).into();
    /// Lists of bools of a method.
    bool_lists: Count = (0..=1).into();
    /// Lists of tensors of a method.
    tensor_lists: Count = (0..=2).into();
    /// Lists of tensors that may be missing of a method.
    optional_tensor_lists: Count = (0..=1).into();
    /// Items of a list.
    items: Count = (0..=5).into();
    /// Inputs of a method, as far as it has values that can be.
    inputs: Count = (0..=3).into();
    /// Outputs of a method, as far as it has values that can be.
    outputs: Count = (0..=3).into();

    /// Chains of a method; at least one, of which the first is run.
    chains: Count = 1.into();
    /// Calls of kernels in a chain.
    kernel_calls: Count = (0..=6).into();
    /// Calls of delegates in a chain, if the method has delegates.
    delegate_calls: Count = (0..=2).into();
    /// Moves in a chain.
    moves: Count = (0..=2).into();
    /// Jumps in a chain.
    jumps: Count = (0..=2).into();
    /// Frees in a chain.
    frees: Count = (0..=1).into();
    /// Arguments of a call.
    arguments: Count = (0..=6).into();
    /// How often a chain has the call stacks of its instructions.
    stack_traces: Percent = Percent::new(10);
    /// Frames of a call stack.
    frames: Count = (0..=3).into();
    /// Operators of a method, at least one where a kernel is called.
    operators: Count = (1..=4).into();
    /// Delegates of a method whose blob is inside the FlatBuffer.
    inline_delegates: Count = (0..=1).into();
    /// Delegates of a method whose blob is in a segment.
    segment_delegates: Count = (0..=1).into();
    /// Settings that a delegate's backend is handed.
    compile_specs: Count = (0..=2).into();

    /// Length of a text that can be any, in characters.
    text_lengths: Count = (0..=16).into();
    /// How often a character of such a text is none of ASCII's.
    foreign: Percent = Percent::new(10);

    /// How often a number, bool or enum that is zero is written, which official writers leave out. A swarm has none.
    explicit_zeros: Percent = Percent::new(0);
}

impl Config {
    /// The same configuration, bounded such that thousands of files are made of it in a second.
    #[cfg(feature = "arbitrary")]
    fn small(self) -> Self {
        Self { tables: Count::from(2_000), data_bytes: Count::from(1 << 14), ..self }
    }
}
