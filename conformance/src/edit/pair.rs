//! A program and its data file, of which both are there or none.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use torchproof::check::Finding;

use super::{Document, EditError, Existing, Guard, NewFile, Together, same_place};

/// Where a program of a pair has its other external tensors.
#[derive(Clone, Copy, Debug, Default)]
pub struct Others<'o> {
    /// The data files that it is loaded with beside that of the pair.
    pub given: &'o [PathBuf],
    /// The paths of tensors that are in files which are not at hand, and so are not looked for: those that
    /// [`Document::external_tensors`] had before others were moved.
    pub elsewhere: Option<&'o BTreeSet<String>>,
}

impl Others<'_> {
    /// Fails when one of these files is to be in the place of another.
    ///
    /// # Errors
    ///
    /// [`EditError::SamePlace`] of the first one.
    pub fn expect_apart(&self, program_path: &Path, data_path: &Path) -> Result<(), EditError> {
        let taken = |path: &&Path| same_place(path, program_path) || same_place(path, data_path);
        let lost = Some(data_path).filter(|path| same_place(path, program_path));
        match lost.or_else(|| self.given.iter().map(PathBuf::as_path).find(taken)) {
            Some(path) => Err(EditError::SamePlace { path: path.to_owned() }),
            None => Ok(()),
        }
    }

    /// Whether it is found that a tensor is not there which is elsewhere.
    fn explain(&self, found: &Finding) -> bool {
        const NAME: &str = ".extra_tensor_info.fully_qualified_name";
        let tensor = (found.rule.id == "x-external-found").then(|| found.path.strip_suffix(NAME)).flatten();
        tensor.zip(self.elsewhere).is_some_and(|(tensor, elsewhere)| elsewhere.contains(tensor))
    }

    /// Fails when the file that is to be replaced is one of those that are not at hand.
    fn expect_not_needed(&self, program: &Document, data_path: &Path) -> Result<(), EditError> {
        let Some(elsewhere) = self.elsewhere.filter(|elsewhere| !elsewhere.is_empty()) else { return Ok(()) };
        // What is no data file has no tensors.
        let Ok(old) = Document::open(data_path) else { return Ok(()) };
        match program.first_tensor_in(elsewhere, &old) {
            Some(key) => Err(EditError::StillNeeded { path: data_path.to_owned(), key }),
            None => Ok(()),
        }
    }
}

/// Writes a program and its data file, checks them together, and puts both where they are to be.
///
/// A data file that is replaced is kept beside the new one until the program is there too, and comes back if that fails. One
/// that has tensors which the program still needs is not replaced.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::path::Path;
/// use torchproof_cli::edit::{Document, Existing, Others, save_pair};
/// # let folder = tempfile::tempdir()?;
/// # let [small, weights] = ["small.pte", "weights.ptd"].map(|name| folder.path().join(name));
///
/// let mut program = Document::open(Path::new("../corpus/real/linear.pte"))?;
/// let (mut data, _) = program.split()?;
/// save_pair((&mut program, &small), (&mut data, &weights), Others::default(), Existing::Keep, None)?;
/// Document::open_accepted(&small, &[weights])?;
/// # Ok(()) }
/// ```
///
/// # Errors
///
/// As [`Document::save_unless_changed`], and when the files break a must-rule together: a tensor is in none of them, or a key in
/// two; or the data file to be replaced is still needed.
pub fn save_pair(
    (program, program_path): (&mut Document, &Path),
    (data, data_path): (&mut Document, &Path),
    others: Others<'_>,
    existing: Existing,
    guard: Option<&Guard>,
) -> Result<(), EditError> {
    others.expect_apart(program_path, data_path)?;
    if existing == Existing::Replace {
        others.expect_not_needed(program, data_path)?;
    }
    let mut new_program = program.write_beside(program_path, existing)?;
    let mut new_data = data.write_beside(data_path, existing)?;
    let all: Vec<_> = [new_data.path().to_owned()].into_iter().chain(others.given.iter().cloned()).collect();
    super::expect_set_accepted(new_program.path(), &all, &|found| others.explain(found))?;
    let synced = new_data.sync().map_err(|error| (Which::Data, error));
    let synced = synced.and_then(|()| new_program.sync().map_err(|error| (Which::Program, error)));
    // Whatever takes long is done.
    let unchanged = || guard.map_or(Ok(()), Guard::expect_unchanged).map_err(|error| (Which::Program, error));
    synced.and_then(|()| unchanged()).and_then(|()| put_in_place(new_program, new_data)).map_err(|(which, error)| {
        let path = if which == Which::Program { program_path } else { data_path };
        EditError::Output { path: path.to_owned(), error }
    })
}

/// A file of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    Program,
    Data,
}

/// Puts both in place, the data file first: a program without its data is of no use, and data without the program do no harm.
fn put_in_place(program: NewFile, data: NewFile) -> Result<(), (Which, io::Error)> {
    let mut placed = Together::default();
    let target = data.target().to_owned();
    placed.put(&target, || data.put_in_place()).map_err(|error| (Which::Data, error))?;
    match program.put_in_place() {
        Ok(()) => placed.keep(),
        Err(error) => {
            placed.take_back().map_err(|(_, kept)| (Which::Data, kept))?;
            return Err((Which::Program, error));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may end on a broken fixture")]

    use std::fs;
    use std::io::Write;

    use super::*;

    fn new(path: &Path, existing: Existing, bytes: &[u8]) -> NewFile {
        let mut new = NewFile::create(path, existing).unwrap();
        new.file().write_all(bytes).unwrap();
        new
    }

    /// Where the program is to be, a folder comes to be while it is written.
    #[test]
    fn without_the_program_the_old_data_file_is_there_again() {
        let folder = tempfile::tempdir().unwrap();
        let (program, data) = (folder.path().join("model.pte"), folder.path().join("model.ptd"));
        for (there, existing) in [(true, Existing::Replace), (false, Existing::Replace), (false, Existing::Keep)] {
            if there {
                fs::write(&data, b"old").unwrap();
            }
            let pair = (new(&program, existing, b"program"), new(&data, existing, b"data"));
            fs::create_dir(&program).unwrap();
            assert_eq!(put_in_place(pair.0, pair.1).unwrap_err().0, Which::Program);
            assert_eq!(fs::read(&data).ok(), there.then(|| b"old".to_vec()));
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1 + usize::from(there));
            fs::remove_dir(&program).unwrap();
            let _ = fs::remove_file(&data);
        }
    }

    #[test]
    fn with_the_program_nothing_of_the_old_data_file_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let (program, data) = (folder.path().join("model.pte"), folder.path().join("model.ptd"));
        fs::write(&data, b"old").unwrap();
        let both = Existing::Replace;
        put_in_place(new(&program, both, b"program"), new(&data, both, b"data")).unwrap();
        assert_eq!((fs::read(&program).unwrap(), fs::read(&data).unwrap()), (b"program".to_vec(), b"data".to_vec()));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
