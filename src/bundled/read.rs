//! Zero-copy access to a bundled program.

use super::IDENTIFIER;
use super::schema::BundledProgram;
use crate::error::broken;
use crate::flatbuffer;
use crate::flatbuffer::schema::TableView;
use crate::pte::Pte;
use crate::{Error, ErrorCode, FileBytes, Span, Stage};

/// An open bundled program.
///
/// Opening checks only the identifier and the root offset; tables are checked as they are read. To check the whole
/// file, use [`check`](mod@crate::check).
#[derive(Clone, Copy, Debug)]
pub struct Bundled<'a> {
    root: BundledProgram<'a>,
}

impl<'a> Bundled<'a> {
    /// Opens a file that is entirely in memory.
    ///
    /// # Errors
    ///
    /// Returns an error if the identifier or the root offset violates a rule.
    pub fn open(bytes: &'a [u8]) -> Result<Self, Error> {
        Self::open_file_bytes(FileBytes::whole(bytes))
    }

    /// Opens a file. The whole file must be in memory, because a bundled program is one FlatBuffer.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Bundled::open`], or [`ErrorCode::NotInMemory`] if `file_bytes` lacks bytes of the file.
    pub fn open_file_bytes(file_bytes: FileBytes<'a>) -> Result<Self, Error> {
        file_bytes.check_identifier(IDENTIFIER, broken::BP_IDENTIFIER)?;
        let region = file_bytes.flatbuffer(file_bytes.len())?;
        Ok(Self { root: BundledProgram::from_table(flatbuffer::Table::root(region)?) })
    }

    /// The root table.
    #[must_use]
    pub fn root(&self) -> BundledProgram<'a> {
        self.root
    }

    /// Returns the program's bytes, which are a complete `.pte` file.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorCode::Missing`] if the field `program` is absent, or a fault if the field cannot be read.
    pub fn program_bytes(&self) -> Result<&'a [u8], Error> {
        let place = Span::of(self.root.table().position(), 4);
        let missing = || Error::new(ErrorCode::Missing, Stage::Structure, place, "BundledProgram.program");
        Ok(self.root.program()?.ok_or_else(missing)?.as_bytes())
    }

    /// Opens the program.
    ///
    /// Offsets in the program and in its errors are relative to the program's first byte.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Bundled::program_bytes`] or [`Pte::open`].
    pub fn program(&self) -> Result<Pte<'a>, Error> {
        Pte::open(self.program_bytes()?)
    }
}
