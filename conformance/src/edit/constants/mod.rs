//! Moving constants from a program into a data file, and back.
//!
//! **What was taken apart comes back as it was**: a program that is split and merged is the same file, byte for byte, if it is
//! one as the official writer or [`torchproof::pte::pack`] make it with its constants in a segment, and
//!
//! * each of its constants has a tensor, and all tensors of a constant have the same number of bytes: what no tensor has is left
//!   out, and what is seen at two lengths becomes two;
//! * its constants lie one behind the other, each at the first multiple of an alignment that is the same for all;
//! * no two tensors of a method have the same fully qualified name, and no tensor has an `extra_tensor_info` without any field;
//! * its segments and base are aligned to at least 128, or it has other segments that tell their alignment. What tells it is
//!   said at [`Document::open`](super::Document::open); a data file on its own tells 128 where its places allow it.
//!
//! The data file keeps for the program what that cannot keep itself once it is without data: the alignment of its segments, as
//! its own, and that of its constants, as its header is padded to a multiple of that, as in files of the official C++ writer.

mod carry;
mod error;
mod left;
mod merge;
mod names;
mod split;
mod tensors;

use std::collections::BTreeSet;
use std::fmt;

use torchproof::FileKind;

use super::Document;
use carry::keys;
use tensors::{is_external, key_of, tensors};

pub use error::MoveError;
pub use left::Left;

/// What was moved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// Tensors that find their bytes in the other place now.
    pub tensors: u64,
    /// Constants that they have between them.
    pub constants: u64,
    /// Bytes of those.
    pub bytes: u64,
    /// Entries without a tensor that came along.
    pub blobs: u64,
    /// What is in neither place then.
    pub left: Vec<Left>,
}

impl fmt::Display for Moved {
    /// Writes `3 tensors with 2 constants of 40 bytes and 1 blob`, as far as there are any of these, or `nothing`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Moved { tensors, constants, bytes, blobs, .. } = *self;
        if tensors > 0 {
            write!(f, "{tensors} tensor{} with {constants} constant{}", plural(tensors), plural(constants))?;
            write!(f, " of {bytes} byte{}", plural(bytes))?;
        }
        match (tensors, blobs) {
            (0, 0) => f.write_str("nothing"),
            (_, 0) => Ok(()),
            (0, _) => write!(f, "{blobs} blob{}", plural(blobs)),
            (_, _) => write!(f, " and {blobs} blob{}", plural(blobs)),
        }
    }
}

/// The ending of a word for so many.
const fn plural(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}

impl Document {
    /// Where in the tables the tensors of a program are whose bytes are in data files.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use std::path::Path;
    /// use torchproof_cli::edit::Document;
    ///
    /// let program = Document::open(Path::new("../corpus/real/linear_external.pte"))?;
    /// assert_eq!(program.external_tensors().len(), 2);
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn external_tensors(&self) -> BTreeSet<String> {
        let external = |path: &String| self.root.at(path).is_some_and(is_external);
        tensors(&self.root).into_iter().filter(external).collect()
    }

    /// The name of the first of these tensors that the data file has.
    pub(super) fn first_tensor_in(&self, paths: &BTreeSet<String>, data: &Document) -> Option<String> {
        let there = keys(data);
        let mut names = paths.iter().filter_map(|path| key_of(self.root.at(path)?));
        names.find(|name| there.contains(name)).map(|name| String::from_utf8_lossy(name).into_owned())
    }

    fn expect_program(&self) -> Result<(), MoveError> {
        if self.kind == FileKind::Pte { Ok(()) } else { Err(MoveError::NotAProgram) }
    }
}

/// The alignment of constants that the official writer has unless it is asked for another.
const USUAL_ALIGNMENT: u64 = 16;
