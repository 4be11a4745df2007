//! Checks and resolves the files that a specification names.

use std::fs;
use std::io;

use torchproof::Span;
use torchproof_harness::disk::io_error::read_fault;
use torchproof_harness::disk::named::OwnFolder;
use torchproof_harness::text::escape::plain_name;

use super::{PackOptions, SpecError};
use crate::document::Data;

/// If the path leads outside the data folder, fails without opening the file. The error is the same whether or not the
/// file exists, because an untrusted author of the specification could see the errors.
pub(super) fn find(file: &str, offset: u64, len: Option<u64>, options: &PackOptions) -> Result<Data, SpecError> {
    let fail = |why: &str| SpecError::at("file", format!("{}: {why}", plain_name(file)));
    let lost = |error: io::Error| fail(&read_fault(&error));
    let folder = OwnFolder::new(&options.folder).map_err(lost)?;
    let wanted = folder.join(file);
    let resolved = folder.resolve(&wanted).or_else(|| options.allow_outside.then(|| fs::canonicalize(&wanted)));
    let outside = || fail("is outside the data folder; pass --allow-outside to read it");
    let path = resolved.ok_or_else(outside)?.map_err(lost)?;
    let found = fs::metadata(&path).map_err(lost)?;
    if !found.is_file() {
        return Err(fail("is not a regular file; expected a file"));
    }
    let rest = found.len().checked_sub(offset);
    let len = len.or(rest).unwrap_or(0);
    if rest.is_none_or(|rest| len > rest) {
        let end = u128::from(offset) + u128::from(len);
        return Err(fail(&format!("found {} bytes, expected at least {end}", found.len())));
    }
    Ok(Data::File { path, span: Span::new(offset, len) })
}
