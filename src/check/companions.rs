//! Checks a program together with its data files.

use core::fmt;

use super::StopReason;
use super::finding::Reporter;
use super::layout::LayoutDescription;
use super::pte::{NamedTensor, external_tensors, named_keys};
use super::scratch::Scratch;
use super::source::{Bytes, ReadAt};
use crate::excerpt::Excerpt;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::walk::{Flow, Path};
use crate::flatbuffer::{Broken, Str, Table, Vector};
use crate::names::{self, SeenNames, index_of};
use crate::ptd::legacy_schema::brief::{LegacyFlatTensor, LegacyNamedData, TensorMetadata};
use crate::ptd::schema::brief::{FlatTensor, NamedData};
use crate::ptd::{FlatTensorHeader, Layout};
use crate::pte::schema::brief::{NamedData as OwnData, Program};
use crate::rules::{companions as rules, named_data};
use crate::segment::SegmentRegion;
use crate::{Limit, Limits};

#[derive(Clone, Copy)]
pub(super) struct DataFiles<'d> {
    pub(super) count: usize,
    pub(super) get: &'d dyn Fn(usize) -> Option<&'d dyn ReadAt>,
}

/// Checks a program and its data files against each other. The checker has already accepted each file by itself, so all
/// tables are readable within the limits, and equal keys in one file have equal blobs. `bytes` belong to the program.
pub(super) fn check<'p, 'd>(
    (program, region): (Program<'p>, SegmentRegion),
    data: DataFiles<'d>,
    bytes: Bytes<'_>,
    limits: &Limits,
    scratch: &mut dyn Scratch,
    reporter: &mut impl Reporter,
) -> Result<(), StopReason> {
    let own = program.named_data().ok().flatten();
    let own_count = own.map_or(0, Vector::len);
    let lens = (0..data.count).filter_map(|index| Some(DataFile::open((data.get)(index)?)?.len()));
    let total = own_count + lens.sum::<usize>();
    let words = scratch.words(2 * data.count + total)?;
    let missing = StopReason::Limit(Limit::Scratch);
    let (files, words) = words.split_at_mut_checked(2 * data.count).ok_or(missing)?;
    let (files, _) = files.as_chunks_mut();
    let mut start = own_count;
    for (index, file) in files.iter_mut().enumerate() {
        let found = (data.get)(index).and_then(DataFile::open);
        *file = [start as u64, found.map_or(0, |found| found.end << 1 | u64::from(found.legacy))];
        start += found.map_or(0, DataFile::len);
    }
    let entries = Entries { own, data, files };
    let name = |index| entries.key(index);
    let keys = Keys { words: SeenNames::of_list(words, &name).sorted(&name), own_count, entries: &entries };
    keys.expect_unique(reporter)?;
    external_tensors(program, &mut |tensor, path| keys.expect_tensor(tensor, path, reporter))?;
    let most = limits.apparent_size_of(usize::try_from(region.file_len).unwrap_or(usize::MAX));
    let region = Some(region).filter(|region| region.base != 0);
    let unread = named_keys(program, region, bytes, most, &mut |key, at, path| {
        if names::find(keys.words, &name, key).is_some() {
            return Ok(());
        }
        let message =
            format_args!("neither a data file nor the program's own named data has the key \"{}\"", Excerpt(key));
        reporter.report(&rules::X_XNN_KEY_FOUND, path, at, message)
    })?;
    unread.map_or(Ok(()), |span| Err(StopReason::Unread(span)))
}

/// An accepted data file.
#[derive(Clone, Copy)]
struct DataFile<'a> {
    root: Table<'a>,
    /// Where the FlatBuffer ends in the file.
    end: u64,
    legacy: bool,
}

enum Entry<'a> {
    Current(NamedData<'a>),
    Tensor(TensorMetadata<'a>),
    Blob(LegacyNamedData<'a>),
}

impl<'a> DataFile<'a> {
    fn open(file: &'a dyn ReadAt) -> Option<Self> {
        let end = FlatTensorHeader::find(file.head()).ok()?.flatbuffer_end()?;
        let legacy = matches!(Layout::of(Self::of(file, end, false)?.root, Limits::DEFAULT), Layout::Legacy(_));
        Self::of(file, end, legacy)
    }

    fn of(file: &'a dyn ReadAt, end: u64, legacy: bool) -> Option<Self> {
        let region = file.head().get(..usize::try_from(end).ok()?)?;
        Some(Self { root: Table::open_root::<Broken>(region).ok()?, end, legacy })
    }

    /// The number of tensors of a file in the legacy layout.
    fn tensors(self) -> usize {
        let tensors = LegacyFlatTensor::from_table(self.root).tensors().ok().flatten();
        tensors.filter(|_| self.legacy).map_or(0, Vector::len)
    }

    fn len(self) -> usize {
        if self.legacy {
            let blobs = LegacyFlatTensor::from_table(self.root).named_data().ok().flatten();
            return self.tensors() + blobs.map_or(0, Vector::len);
        }
        FlatTensor::from_table(self.root).named_data().ok().flatten().map_or(0, Vector::len)
    }

    fn entry(self, index: usize) -> Option<Entry<'a>> {
        if !self.legacy {
            return FlatTensor::from_table(self.root).named_data().ok()??.get(index)?.ok().map(Entry::Current);
        }
        let root = LegacyFlatTensor::from_table(self.root);
        match index.checked_sub(self.tensors()) {
            None => root.tensors().ok()??.get(index)?.ok().map(Entry::Tensor),
            Some(index) => root.named_data().ok()??.get(index)?.ok().map(Entry::Blob),
        }
    }
}

impl<'a> Entry<'a> {
    fn key(&self) -> Option<Str<'a>> {
        match self {
            Entry::Current(entry) => entry.key().ok()?,
            Entry::Tensor(tensor) => tensor.fully_qualified_name().ok()?,
            Entry::Blob(entry) => entry.key().ok()?,
        }
    }

    /// The description of the tensor with this key; `None` if the key belongs to an opaque blob.
    fn described(&self) -> Option<LayoutDescription<'a>> {
        match self {
            Entry::Current(entry) => entry.tensor_layout().ok()?.and_then(LayoutDescription::of_layout),
            Entry::Tensor(tensor) => LayoutDescription::of(tensor.scalar_type(), tensor.sizes(), tensor.dim_order()),
            Entry::Blob(_) => None,
        }
    }
}

/// The entries of the program's own named data, followed by those of its data files.
struct Entries<'p, 'd, 's> {
    own: Option<Vector<'p, OwnData<'p>>>,
    data: DataFiles<'d>,
    /// For each data file, the number of entries before it, and a word with its layout and its FlatBuffer's end.
    files: &'s [[u64; 2]],
}

impl<'d> Entries<'_, 'd, '_> {
    /// The data file at index `file`, and the number of entries before it.
    fn file(&self, file: usize) -> Option<(usize, DataFile<'d>)> {
        let [start, word] = *self.files.get(file)?;
        let file = DataFile::of((self.data.get)(file)?, word >> 1, word & 1 != 0)?;
        Some((usize::try_from(start).ok()?, file))
    }

    fn file_of(&self, index: usize) -> Option<usize> {
        self.files.partition_point(|[start, _]| *start <= index as u64).checked_sub(1)
    }

    fn entry(&self, index: usize) -> Option<Entry<'d>> {
        let (start, file) = self.file(self.file_of(index)?)?;
        file.entry(index - start)
    }

    fn key(&self, index: usize) -> Option<Str<'_>> {
        match self.file_of(index) {
            Some(_) => self.entry(index)?.key(),
            None => self.own?.get(index)?.ok()?.key().ok()?,
        }
    }
}

/// All keys, as [`SeenNames`] sorts them.
struct Keys<'e, 'p, 'd, 's> {
    words: &'s [u64],
    own_count: usize,
    entries: &'e Entries<'p, 'd, 's>,
}

/// The owner of a key: the index of the first data file that contains it, or `None` for the program.
struct Owner(Option<usize>);

impl Keys<'_, '_, '_, '_> {
    /// The index of the first entry with this key at or after `from`.
    fn first(&self, key: Str<'_>, from: usize) -> Option<usize> {
        let name = |index| self.entries.key(index);
        let at = names::position(self.words, &name, key.as_bytes(), from);
        let found = self.words.get(at).map(|word| index_of(*word))?;
        (name(found)?.as_bytes() == key.as_bytes()).then_some(found)
    }

    /// Reports each key of a data file that another file also contains. A tensor and a blob in one legacy file may
    /// share a name.
    fn expect_unique(&self, reporter: &mut impl Reporter) -> Flow {
        for file in 0..self.entries.files.len() {
            let Some((start, data)) = self.entries.file(file) else { continue };
            for index in 0..data.len() {
                let Some(entry) = data.entry(index) else { continue };
                let Some(key) = entry.key() else { continue };
                // Skip a key that no earlier file contains, or that an earlier entry of this file already has.
                if self.first(key, 0).is_none_or(|first| first >= start)
                    || self.first(key, start) != Some(start + index)
                {
                    continue;
                }
                let first = self.first(key, self.own_count).filter(|first| *first < start);
                let owner = Owner(first.and_then(|first| self.entries.file_of(first)));
                let (list, field, index) = match entry {
                    Entry::Tensor(_) => ("tensors", "fully_qualified_name", index),
                    _ => ("named_data", "key", index - data.tensors()),
                };
                let path = &Path::ROOT.field(list);
                let rule = &named_data::ND_CROSS_FILE_UNIQUE;
                reporter.of_companion(file, |reporter| {
                    let message = format_args!("key \"{key}\" is also in {owner}");
                    reporter.report(rule, &path.index(index).field(field), key.span(), message)
                })?;
            }
        }
        Ok(())
    }

    fn expect_tensor(&self, tensor: &NamedTensor<'_>, path: &Path<'_>, reporter: &mut impl Reporter) -> Flow {
        let name = tensor.name;
        let Some(first) = self.first(name, self.own_count) else {
            let own = "; the program's own named data has it, but without a tensor layout";
            let hint = if self.first(name, 0).is_some() { own } else { "" };
            let message = format_args!("no data file has the key \"{name}\"{hint}");
            return reporter.report(&rules::X_EXTERNAL_FOUND, path, name.span(), message);
        };
        let owner = Owner(self.entries.file_of(first));
        let Some(described) = self.entries.entry(first).and_then(|entry| entry.described()) else {
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

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => f.write_str("the program"),
            Some(file) => write!(f, "data file {}", file + 1),
        }
    }
}
