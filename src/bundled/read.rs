//! Opening a bundled program, and the program in it, without a copy.

use super::IDENTIFIER;
use super::schema::BundledProgram;
use crate::error::broken;
use crate::flatbuffer;
use crate::flatbuffer::schema::TableView;
use crate::pte::Pte;
use crate::{Error, ErrorCode, Image, Span, Stage};

/// An open bundled program.
///
/// Opening looks at the identifier and the root offset, and at nothing else: tables are checked when they are read. To have
/// everything judged at once, use [`check`](mod@crate::check).
#[derive(Clone, Copy, Debug)]
pub struct Bundled<'a> {
    root: BundledProgram<'a>,
}

impl<'a> Bundled<'a> {
    /// Opens a file that is held whole.
    ///
    /// # Errors
    ///
    /// The rule of the envelope that the file breaks first.
    pub fn open(bytes: &'a [u8]) -> Result<Self, Error> {
        Self::open_image(Image::whole(bytes))
    }

    /// Opens a file, all of which has to be held: it is one FlatBuffer.
    ///
    /// # Errors
    ///
    /// As [`Bundled::open`], and [`ErrorCode::NotInMemory`] when not all of it is held.
    pub fn open_image(image: Image<'a>) -> Result<Self, Error> {
        image.check_identifier(IDENTIFIER, broken::BP_IDENTIFIER)?;
        let region = image.flatbuffer(image.len())?;
        Ok(Self { root: BundledProgram::from_table(flatbuffer::Table::root(region)?) })
    }

    /// The root table.
    #[must_use]
    pub fn root(&self) -> BundledProgram<'a> {
        self.root
    }

    /// The program's bytes, as a slice of the file: a whole `.pte`.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::Missing`] without `program`, or the fault that the access met.
    pub fn program_bytes(&self) -> Result<&'a [u8], Error> {
        let place = Span::of(self.root.table().position(), 4);
        let missing = || Error::new(ErrorCode::Missing, Stage::Structure, place, "BundledProgram.program");
        Ok(self.root.program()?.ok_or_else(missing)?.as_bytes())
    }

    /// The program, open; the offsets in it and in what it reports count from its own first byte.
    ///
    /// # Errors
    ///
    /// As [`Bundled::program_bytes`] and [`Pte::open`].
    pub fn program(&self) -> Result<Pte<'a>, Error> {
        Pte::open(self.program_bytes()?)
    }
}
