//! A program and the data files that are loaded with it: what has to hold of them together.

use core::cmp::Ordering;
use core::fmt;

use super::finding::{Reporter, Scratch};
use super::layout::Described;
use super::pte::{ExternalTensor, external_tensors};
use crate::flatbuffer::walk::{Flow, Path, Stop};
use crate::flatbuffer::{Str, Vector};
use crate::names::hash;
use crate::ptd::older_schema::OlderFlatTensor;
use crate::ptd::{Layout, Ptd};
use crate::pte::Pte;
use crate::rules::{companions as rules, named_data};
use crate::{Limit, Limits, Span};

/// Checks a program and its data files against each other; of a file that breaks rules by itself, what cannot be read is left out.
///
/// Time is `n log n` in the keys of all files and the program's values, of which `limits` bounds the bytes of those that are
/// shared; `scratch` has two words a key.
pub(super) fn check(
    program: &Pte<'_>,
    data: &[Ptd<'_>],
    limits: Limits,
    scratch: &mut dyn Scratch,
    reporter: &mut Reporter<'_>,
) -> Flow {
    Set { program, data, limits }.check(scratch, reporter)
}

struct Set<'s, 'a> {
    program: &'s Pte<'a>,
    data: &'s [Ptd<'a>],
    limits: Limits,
}

impl<'a> Set<'_, 'a> {
    fn check(&self, scratch: &mut dyn Scratch, reporter: &mut Reporter<'_>) -> Flow {
        let files = 1 + self.data.len();
        let count: usize = (0..files).map(|file| self.count(file)).sum();
        let words = scratch.words(2 * count).ok_or(Stop::Limit(Limit::Scratch))?;
        let (mut index, _) = words[..2 * count].as_chunks_mut::<2>();
        let mut held = 0;
        let len: usize = self.data.iter().map(|data| data.region().len()).sum();
        let mut left = self.limits.apparent_size_of(self.program.region().len() + len);
        for file in 0..files {
            for entry in 0..self.count(file) {
                if let Some(name) = self.name(file, entry) {
                    left = left.checked_sub(name.span().len).ok_or(Stop::Limit(Limit::ApparentSize))?;
                    index[held] = [hash(name.as_bytes()), (file as u64) << 32 | entry as u64];
                    held += 1;
                }
            }
        }
        index = &mut index[..held];
        index.sort_unstable_by(|one, other| self.order(*one, *other));
        self.expect_distinct(index, reporter)?;
        self.expect_found(index, reporter)
    }

    /// By hash, by name where hashes are equal, then by place: the program's own first.
    fn order(&self, one: [u64; 2], other: [u64; 2]) -> Ordering {
        let names = || self.bytes_at(one[1]).cmp(self.bytes_at(other[1]));
        one[0].cmp(&other[0]).then_with(names).then(one[1].cmp(&other[1]))
    }

    fn bytes_at(&self, place: u64) -> &'a [u8] {
        let (file, entry) = split(place);
        self.name(file, entry).map_or(&[], Str::as_bytes)
    }

    /// How many names a file has: the program is file 0, and an older data file's tensors come before its blobs.
    fn count(&self, file: usize) -> usize {
        match file.checked_sub(1) {
            None => self.program.program().named_data().ok().flatten().map_or(0, Vector::len),
            Some(file) => match self.data[file].layout() {
                Layout::Current(root) => root.named_data().ok().flatten().map_or(0, Vector::len),
                Layout::Older(root) => tensors_of(root) + root.named_data().ok().flatten().map_or(0, Vector::len),
            },
        }
    }

    fn name(&self, file: usize, entry: usize) -> Option<Str<'a>> {
        let Some(file) = file.checked_sub(1) else {
            return self.program.program().named_data().ok()??.get(entry)?.ok()?.key().ok()?;
        };
        match self.data[file].layout() {
            Layout::Current(root) => root.named_data().ok()??.get(entry)?.ok()?.key().ok()?,
            Layout::Older(root) => match entry.checked_sub(tensors_of(root)) {
                None => root.tensors().ok()??.get(entry)?.ok()?.fully_qualified_name().ok()?,
                Some(blob) => root.named_data().ok()??.get(blob)?.ok()?.key().ok()?,
            },
        }
    }

    /// What a data file says of a name as a tensor.
    fn described(&self, file: usize, entry: usize) -> Option<Described<'a>> {
        let file = file.checked_sub(1)?;
        match self.data[file].layout() {
            Layout::Current(root) => {
                let layout = root.named_data().ok()??.get(entry)?.ok()?.tensor_layout().ok()??;
                let (sizes, order) = (layout.sizes().ok()??, layout.dim_order().ok()??);
                Some(Described { scalar_type: layout.scalar_type().ok()?, sizes, order })
            }
            Layout::Older(root) => {
                let tensor = root.tensors().ok()??.get(entry)?.ok()?;
                let (sizes, order) = (tensor.sizes().ok()??, tensor.dim_order().ok()??);
                Some(Described { scalar_type: tensor.scalar_type().ok()?, sizes, order })
            }
        }
    }

    /// Finds the names that more than one file has.
    fn expect_distinct(&self, index: &[[u64; 2]], reporter: &mut Reporter<'_>) -> Flow {
        for pair in index.windows(2) {
            let [(one, _), (other, second)] = [split(pair[0][1]), split(pair[1][1])];
            if pair[0][0] != pair[1][0] || one == other || self.bytes_at(pair[0][1]) != self.bytes_at(pair[1][1]) {
                continue;
            }
            let Some(name) = self.name(other, second) else { continue };
            let message = format_args!("key \"{name}\" is one of {} too", Place(one));
            self.report_key(other, second, name.span(), message, reporter)?;
        }
        Ok(())
    }

    /// Looks up every external tensor's name.
    fn expect_found(&self, index: &mut [[u64; 2]], reporter: &mut Reporter<'_>) -> Flow {
        let plans = self.program.program().execution_plan().ok().flatten();
        let Some(plans) = plans else { return Ok(()) };
        let most = self.limits.apparent_size_of(self.program.region().len());
        external_tensors(plans, most, &mut |external, _| {
            if let (_, Some(at)) = self.look_up(external.name, index) {
                let (file, entry) = split(index[at][1]);
                if external.described().is_some_and(|wanted| self.described(file, entry) == Some(wanted)) {
                    index[at][1] |= AGREED;
                }
            }
            Ok(())
        })?;
        external_tensors(plans, most, &mut |external, path| self.expect_external(external, index, path, reporter))
    }

    /// Whether the program has a blob of this name, and which entry of the index is the first data file's.
    fn look_up(&self, name: Str<'_>, index: &[[u64; 2]]) -> (bool, Option<usize>) {
        let (own, bytes) = (hash(name.as_bytes()), name.as_bytes());
        // The program's entries of a name stand before those of data files.
        let from = |file: u64| {
            index.partition_point(|entry| {
                let order = entry[0].cmp(&own).then_with(|| self.bytes_at(entry[1]).cmp(bytes));
                order.then(((entry[1] & !AGREED) >> 32).cmp(&file)) == Ordering::Less
            })
        };
        let same =
            |at: &usize| index.get(*at).is_some_and(|[hash, place]| *hash == own && self.bytes_at(*place) == bytes);
        let (in_program, in_data) = (from(0), from(1));
        (in_program < in_data, Some(in_data).filter(same))
    }

    fn expect_external(
        &self,
        external: &ExternalTensor<'_>,
        index: &[[u64; 2]],
        path: &Path<'_>,
        reporter: &mut Reporter<'_>,
    ) -> Flow {
        let name = external.name;
        let (in_program, found) = self.look_up(name, index);
        let Some(at) = found else {
            let hint = if in_program { "; the program's own named data has it, which says no layout" } else { "" };
            let message = format_args!("no data file has the key \"{name}\"{hint}");
            return reporter.report(&rules::X_EXTERNAL_FOUND, path, name.span(), message);
        };
        let (file, entry) = split(index[at][1]);
        let Some(described) = self.described(file, entry) else {
            let message = format_args!("{} has \"{name}\" without a tensor layout", Place(file));
            return reporter.report(&rules::X_EXTERNAL_LAYOUT, path, name.span(), message);
        };
        let Some(wanted) = external.described() else { return Ok(()) };
        // Where another tensor of the name agrees, that the two differ was reported of the program.
        if wanted == described || index[at][1] & AGREED != 0 {
            return Ok(());
        }
        let message = format_args!("the program takes \"{name}\" for {wanted} and {} has {described}", Place(file));
        reporter.report(&rules::X_EXTERNAL_LAYOUT, path, name.span(), message)
    }

    fn report_key(
        &self,
        file: usize,
        entry: usize,
        at: Span,
        message: fmt::Arguments<'_>,
        reporter: &mut Reporter<'_>,
    ) -> Flow {
        let rule = &named_data::ND_CROSS_FILE_UNIQUE;
        let Some(data) = file.checked_sub(1) else { return Ok(()) };
        let (list, entry, field) = match self.data[data].layout() {
            Layout::Current(_) => ("named_data", entry, "key"),
            Layout::Older(root) => match entry.checked_sub(tensors_of(root)) {
                None => ("tensors", entry, "fully_qualified_name"),
                Some(blob) => ("named_data", blob, "key"),
            },
        };
        let path = &Path::ROOT.field(list);
        let path = &path.index(entry);
        reporter.of_companion(data, |reporter| reporter.report(rule, &path.field(field), at, message))
    }
}

/// The bit of a place that says that an external tensor has the entry's layout.
const AGREED: u64 = 1 << 63;

/// File and entry of a place.
fn split(place: u64) -> (usize, usize) {
    let half = |half: u64| usize::try_from(half & 0xffff_ffff).unwrap_or(usize::MAX);
    (half((place & !AGREED) >> 32), half(place))
}

/// A file of the set, for a sentence.
struct Place(usize);

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("the program"),
            file => write!(f, "data file {file}"),
        }
    }
}

/// How many tensors a data file of the older layout lists: its names count from them on to its blobs.
fn tensors_of(root: OlderFlatTensor<'_>) -> usize {
    root.tensors().ok().flatten().map_or(0, Vector::len)
}
