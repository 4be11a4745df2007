//! Checks of a program together with its data files.

use alloc::collections::BTreeMap;
use alloc::collections::btree_map::Entry;
use core::fmt;

use super::StopReason;
use super::elements;
use super::finding::Reporter;
use super::layout::Described;
use super::pte::{NamedTensor, external_tensors, named_keys};
use super::source::Bytes;
use crate::Limits;
use crate::excerpt::Excerpt;
use crate::flatbuffer::Str;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::walk::{Flow, Path};
use crate::ptd::legacy_schema::brief::{LegacyFlatTensor, TensorMetadata};
use crate::ptd::schema::brief::FlatTensor;
use crate::ptd::{Layout, Ptd};
use crate::pte::Pte;
use crate::pte::schema::brief::Program;
use crate::rules::{companions as rules, named_data};

/// Checks a program and its data files against each other.
///
/// The checker has already accepted each file separately. Therefore, all tables are readable within the limits. Two
/// entries of one file with equal keys also have equal blobs. `bytes` are the bytes of the program.
pub(super) fn check(
    program: &Pte<'_>,
    data: &[Ptd<'_>],
    bytes: Bytes<'_>,
    limits: &Limits,
    reporter: &mut impl Reporter,
) -> Result<(), StopReason> {
    let mut keys = Keys::default();
    let root = Program::from_table(program.program().table());
    for (_, entry) in elements(root.named_data()) {
        if let Ok(Some(key)) = entry.key() {
            keys.0.insert(key.as_bytes(), Owner { file: None, last: None, described: None });
        }
    }
    for (file, data) in data.iter().enumerate() {
        keys.add(file, data, reporter)?;
    }
    external_tensors(root, &mut |tensor, path| keys.expect_tensor(tensor, path, reporter))?;
    let region = program.data_region();
    let most = limits.apparent_size_of(usize::try_from(region.file_len).unwrap_or(usize::MAX));
    let region = Some(region).filter(|region| region.base != 0);
    let unread = named_keys(root, region, bytes, most, &mut |key, at, path| {
        if keys.0.contains_key(key) {
            return Ok(());
        }
        let message =
            format_args!("neither a data file nor the program's own named data has the key \"{}\"", Excerpt(key));
        reporter.report(&rules::X_XNN_KEY_FOUND, path, at, message)
    })?;
    unread.map_or(Ok(()), |span| Err(StopReason::Unread(span)))
}

/// The keys of the program and of its data files. Each key has an owner.
///
/// If several data files contain a key, the owner of the key is the first of these data files.
#[derive(Default)]
struct Keys<'a>(BTreeMap<&'a [u8], Owner<'a>>);

/// The owner of a key: the file that contains the key, and the tensor layout that the file states for the key.
struct Owner<'a> {
    /// The index of the data file that owns the key; `None` if the program owns the key.
    file: Option<usize>,
    /// The index of the last data file that contains the key. In a legacy file, a tensor and a blob can have the same
    /// name. Such a name is not a duplicate, so the checker reports a key only if `last` is another file.
    last: Option<usize>,
    /// The description of the tensor with this key, or `None` if the key belongs to an opaque blob.
    described: Option<Described<'a>>,
}

impl<'a> Owner<'a> {
    fn of(file: usize, described: Option<Described<'a>>) -> Self {
        Owner { file: Some(file), last: Some(file), described }
    }
}

impl<'a> Keys<'a> {
    fn add(&mut self, file: usize, data: &Ptd<'a>, reporter: &mut impl Reporter) -> Flow {
        match data.layout() {
            Layout::Current(root) => {
                let root = FlatTensor::from_table(root.table());
                let list = &Path::ROOT.field("named_data");
                for (index, entry) in elements(root.named_data()) {
                    let described = entry.tensor_layout().ok().flatten().and_then(Described::of_layout);
                    let owner = Owner::of(file, described);
                    self.insert(entry.key().ok().flatten(), owner, &list.index(index).field("key"), reporter)?;
                }
            }
            Layout::Legacy(root) => {
                let root = LegacyFlatTensor::from_table(root.table());
                let list = &Path::ROOT.field("tensors");
                for (index, tensor) in elements(root.tensors()) {
                    let owner = Owner::of(file, described_by_metadata(tensor));
                    let path = &list.index(index);
                    let name = tensor.fully_qualified_name().ok().flatten();
                    self.insert(name, owner, &path.field("fully_qualified_name"), reporter)?;
                }
                let list = &Path::ROOT.field("named_data");
                for (index, entry) in elements(root.named_data()) {
                    let owner = Owner::of(file, None);
                    self.insert(entry.key().ok().flatten(), owner, &list.index(index).field("key"), reporter)?;
                }
            }
        }
        Ok(())
    }

    /// Inserts a key of a data file, and reports the key if another file has the same key. `path` is the path of the
    /// field that contains the key.
    fn insert(
        &mut self,
        key: Option<Str<'a>>,
        owner: Owner<'a>,
        path: &Path<'_>,
        reporter: &mut impl Reporter,
    ) -> Flow {
        let (Some(key), Some(file)) = (key, owner.file) else { return Ok(()) };
        match self.0.entry(key.as_bytes()) {
            Entry::Vacant(place) => {
                place.insert(owner);
                Ok(())
            }
            Entry::Occupied(earlier) if earlier.get().last == Some(file) => Ok(()),
            Entry::Occupied(mut earlier) => {
                let message = format_args!("key \"{key}\" is also in {}", earlier.get());
                let rule = named_data::ND_CROSS_FILE_UNIQUE.key();
                reporter.of_companion(file, |reporter| reporter.report(rule, path, key.span(), message))?;
                if earlier.get().file.is_none() {
                    earlier.insert(owner);
                }
                earlier.get_mut().last = Some(file);
                Ok(())
            }
        }
    }

    /// Checks that a data file contains the external tensor with the layout that the program states.
    fn expect_tensor(&self, tensor: &NamedTensor<'_>, path: &Path<'_>, reporter: &mut impl Reporter) -> Flow {
        let name = tensor.name;
        let owner = match self.0.get(name.as_bytes()) {
            Some(owner) if owner.file.is_some() => owner,
            found => {
                let own = "; the program's own named data has it, but without a tensor layout";
                let hint = if found.is_some() { own } else { "" };
                let message = format_args!("no data file has the key \"{name}\"{hint}");
                return reporter.report(&rules::X_EXTERNAL_FOUND, path, name.span(), message);
            }
        };
        let Some(described) = owner.described else {
            let message = format_args!("{owner} has \"{name}\" without a tensor layout");
            return reporter.report(&rules::X_EXTERNAL_LAYOUT, path, name.span(), message);
        };
        match tensor.described() {
            Some(wanted) if wanted != described => {
                let message = format_args!("{owner} has \"{name}\" as {described}, but the program expects {wanted}");
                reporter.report(&rules::X_EXTERNAL_LAYOUT, path, name.span(), message)
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Owner<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.file {
            None => f.write_str("the program"),
            Some(file) => write!(f, "data file {}", file + 1),
        }
    }
}

fn described_by_metadata(tensor: TensorMetadata<'_>) -> Option<Described<'_>> {
    let (sizes, order) = (tensor.sizes().ok()??, tensor.dim_order().ok()??);
    Some(Described { scalar_type: tensor.scalar_type().ok()?, sizes, order })
}
