//! **Comparison of files with the manifest**: the corpus at the start of a run, and the copies after each read.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use crate::corpus::{Case, CaseFile, Corpus, CorpusError};
use crate::disk::io_error::PathError;
use crate::disk::named::OwnFolder;

pub(super) fn verify<'c>(corpus: &Corpus, cases: impl Iterator<Item = &'c Case>) -> Result<(), CorpusError> {
    // Cases built into this program cannot differ from its manifest.
    let Some(dir) = corpus.dir() else { return Ok(()) };
    let own = OwnFolder::new(dir).map_err(PathError::folder(dir))?;
    for case in cases {
        for file in &case.files {
            let path = dir.join(&file.path);
            match own.open(&file.path).and_then(|open| is_file(open, 0, file)) {
                Ok(true) => {}
                Ok(false) => return Err(CorpusError::Changed { path, id: case.id.clone() }),
                Err(error) => return Err(PathError::read(&path)(error).into()),
            }
        }
    }
    Ok(())
}

/// Returns whether the open file matches its entry in the manifest, with `padding` bytes on both sides. A file with a
/// different length is not read.
pub(super) fn is_file(mut open: File, padding: u64, file: &CaseFile) -> io::Result<bool> {
    if open.metadata()?.len() != file.size + 2 * padding {
        return Ok(false);
    }
    open.seek(SeekFrom::Start(padding))?;
    let mut bytes = BufReader::new(open.take(file.size));
    let mut digest = Sha256::new();
    loop {
        let part = bytes.fill_buf()?;
        if part.is_empty() {
            return Ok(HEXLOWER.encode(&digest.finalize()) == file.sha256);
        }
        digest.update(part);
        let read = part.len();
        bytes.consume(read);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use torchproof::Role;

    #[test]
    fn accepts_only_the_manifest_s_file_between_its_paddings() {
        let sha256 = HEXLOWER.encode(&Sha256::digest("abc"));
        let file = CaseFile { role: Role::Program, path: String::new(), sha256, size: 3 };
        let place = tempfile::NamedTempFile::new().unwrap();
        for (bytes, padding, same) in [
            ("abc", 0, true),
            ("abd", 0, false),
            ("ab", 0, false),
            ("abcd", 0, false),
            ("-abc-", 1, true),
            ("abc--", 1, false),
        ] {
            std::fs::write(&place, bytes).unwrap();
            assert_eq!(is_file(place.reopen().unwrap(), padding, &file).unwrap(), same, "{bytes}");
        }
    }
}
