//! Checks the headers of XNNPACK blobs, the roots of their graphs and the ids of external values. Also finds the keys
//! under which the graphs look up named data.
//!
//! The graphs' constants and everything else in them are not checked.

#[cfg(feature = "alloc")]
use alloc::{collections::BTreeSet, vec::Vec};
use core::cell::Cell;

#[cfg(feature = "alloc")]
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::walk::{Flow, Path, Stop};
use crate::pte::schema::KernelTypes;
use crate::pte::schema::brief::{BackendDelegate, Program};
use crate::pte::schema::brief_values::InstructionArgumentsValue as Call;
use crate::rules::delegates as rules;
use crate::segment::SegmentRegion;
#[cfg(feature = "alloc")]
use crate::{FileBytes, Limits, pte::Pte};
use crate::{Limit, Span};

use super::super::elements;
use super::super::finding::Reporter;
use super::super::segments::ALIGNMENT;
use super::super::source::Bytes;
#[cfg(feature = "alloc")]
use super::super::source::ReadAt;
use super::delegates::blob_place;
use super::plan::MethodPlan;

/// The `id` of delegates whose blob begins with an XNNPACK header.
pub(in crate::check) const BACKEND: &[u8] = b"XnnpackBackend";

/// The length of an XNNPACK header in bytes, which is also the minimum length of a blob.
pub(in crate::check) const LENGTH: u16 = 30;

/// The minimum size in bytes of a blob's FlatBuffer: the root offset and the identifier.
const LEAST: u32 = 8;

/// The vtable slots of the lists that the table of a graph must have.
const LISTS: [(u16, &str); 2] = [(1, "xnodes"), (VALUES, "xvalues")];

const VALUES: u16 = 2;

const CONSTANT_DATA: u16 = 8;

/// The vtable slots and flags of a value.
const EXTERNAL_ID: u16 = 4;
const FLAGS: u16 = 5;
const EXTERNAL_INPUT: u64 = 1;
const EXTERNAL_OUTPUT: u64 = 2;

const NAMED_KEY: u16 = 2;

const IDENTIFIERS: [&[u8; 4]; 2] = [b"XN00", b"XN01"];

/// The maximum length of a key in bytes. The checker skips longer keys.
const LONGEST_KEY: u64 = 1024;

/// The buffer size for a key that is not in memory. It is small on devices to save stack. Longer keys are skipped.
const BUFFER: usize = if cfg!(target_os = "none") { 64 } else { 1024 };

/// What each constant adds to the count of visited bytes: a lot, because a constant takes several reads of the file.
const CONSTANT_BYTES: u64 = 1024;

/// What each value adds to the count of visited bytes.
const VALUE_BYTES: u64 = 64;

pub(super) fn is_backend(delegate: BackendDelegate<'_>) -> bool {
    delegate.id().ok().flatten().is_some_and(|id| id.as_bytes() == BACKEND)
}

#[cold]
pub(super) fn check(blob: Span, bytes: Bytes<'_>, path: &Path<'_>, reporter: &mut impl Reporter) -> Flow {
    let field = |offset, len| Span::new(blob.offset + offset, len);
    if blob.len < u64::from(LENGTH) {
        let message = format_args!("blob has {} bytes, expected at least {LENGTH}", blob.len);
        return reporter.report(&rules::DEL_XNN_SIZE, path, blob, message);
    }
    let mut header = [0; LENGTH as usize];
    if !bytes.read(blob.offset, &mut header) {
        return Ok(());
    }
    let [_, _, _, _, magic @ .., a0, a1, a2, a3, b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3, d4, d5, d6, d7] =
        header;
    let [magic @ .., length0, length1] = magic;
    match &magic {
        b"XH00" => {}
        // Older exporters write the FlatBuffer without an XNNPACK header as the blob.
        b"XN00" | b"XN01" => return root(blob, bytes, path, reporter),
        other => {
            let message = format_args!("magic is \"{}\", expected \"XH00\"", other.escape_ascii());
            return reporter.report(&rules::DEL_XNN_MAGIC, path, field(4, 4), message);
        }
    }
    let length = u16::from_le_bytes([length0, length1]);
    let (start, size) = (u32::from_le_bytes([a0, a1, a2, a3]), u32::from_le_bytes([b0, b1, b2, b3]));
    let constants = u32::from_le_bytes([c0, c1, c2, c3]);
    let constants_size = u64::from_le_bytes([d0, d1, d2, d3, d4, d5, d6, d7]);
    let end = u64::from(start) + u64::from(size);
    if size < LEAST {
        let message = format_args!("flatbuffer_size is {size}, expected at least {LEAST}");
        return reporter.report(&rules::DEL_XNN_FLATBUFFER, path, field(14, 4), message);
    }
    if end > blob.len {
        let message = format_args!(
            "flatbuffer_offset {start} + flatbuffer_size {size} exceeds the {} bytes of the blob",
            blob.len
        );
        return reporter.report(&rules::DEL_XNN_FLATBUFFER, path, field(10, 8), message);
    }
    if blob.len.checked_sub(constants.into()).is_none_or(|left| constants_size > left) {
        let message = format_args!(
            "constant_data_offset {constants} + constant_data_size {constants_size} exceeds the {} bytes of the blob",
            blob.len
        );
        return reporter.report(&rules::DEL_XNN_CONSTANTS, path, field(18, 12), message);
    }
    if u64::from(constants) < end {
        let message = format_args!("constant_data_offset is {constants}, before the end of the FlatBuffer at {end}");
        return reporter.report(&rules::DEL_XNN_NO_OVERLAP, path, field(18, 4), message);
    }
    if length < LENGTH {
        let message = format_args!("header length is {length}, expected at least {LENGTH}");
        return reporter.report(&rules::DEL_XNN_LENGTH, path, field(8, 2), message);
    }
    let aligned = |offset: u32| u64::from(offset).is_multiple_of(ALIGNMENT);
    if start < length.into() || !aligned(start) || !aligned(constants) {
        let message = format_args!(
            "flatbuffer_offset is {start} and constant_data_offset is {constants}, expected multiples of {ALIGNMENT} \
                after the header of {length} bytes"
        );
        return reporter.report(&rules::DEL_XNN_PLACEMENT, path, field(10, 12), message);
    }
    root(field(start.into(), size.into()), bytes, path, reporter)
}

/// Checks the root of the graph whose FlatBuffer is at `place` in the file.
fn root(place: Span, bytes: Bytes<'_>, path: &Path<'_>, reporter: &mut impl Reporter) -> Flow {
    if reporter.must_only() {
        return Ok(());
    }
    let unread = Cell::new(None);
    let graph = Graph { bytes, place, unread: &unread };
    let at = |offset, len| Span::new(place.offset + offset, len);
    let (Some(identifier), root) = (graph.read(4), graph.root()) else { return Ok(()) };
    if unread.get().is_some() {
        return Ok(());
    }
    if !IDENTIFIERS.contains(&&identifier) {
        let message = format_args!("identifier is \"{}\", expected \"XN00\" or \"XN01\"", identifier.escape_ascii());
        return reporter.report(&rules::DEL_XNN_ROOT, path, at(4, 4), message);
    }
    let Some(root) = root else {
        let message = format_args!("the root table or one of its lists is outside the {} bytes", place.len);
        return reporter.report(&rules::DEL_XNN_ROOT, path, at(0, 4), message);
    };
    match LISTS.iter().find(|(slot, _)| graph.field(root, *slot).is_none()) {
        Some((_, name)) => reporter.report(&rules::DEL_XNN_LISTS, path, at(root, 4), format_args!("{name} is absent")),
        None => Ok(()),
    }
}

/// Finds the constants with keys in XNNPACK graphs. Calls `each` with the key, its position in the file, and the path
/// to the blob. Delegates can share a blob, and constants can share a key, so `most` limits the visited bytes. Skips
/// broken parts of a graph, because no rule covers them. Returns the first span that cannot be read.
#[cold]
pub(in crate::check) fn named_keys(
    program: Program<'_>,
    data: Option<SegmentRegion>,
    bytes: Bytes<'_>,
    most: u64,
    each: &mut dyn FnMut(&[u8], Span, &Path<'_>) -> Flow,
) -> Result<Option<Span>, Stop> {
    let unread = Cell::new(None);
    let segments = program.segments().ok().flatten();
    let blobs = program.backend_delegate_data().ok().flatten();
    let mut left = most;
    for (plan, method) in elements(program.execution_plan()) {
        for (index, delegate) in elements(method.delegates()) {
            if !is_backend(delegate) {
                continue;
            }
            let blob = delegate.processed().ok().flatten();
            let blob = blob.and_then(|processed| blob_place(processed, segments, blobs, data));
            let Some(graph) = blob.and_then(|blob| Graph::of(blob, bytes, &unread)) else { continue };
            let path = &Path::ROOT.field("execution_plan");
            let path = &path.index(plan);
            let path = &path.field("delegates");
            let path = &path.index(index);
            graph.keys(&mut left, &mut |key, place| each(key, place, &path.field("processed")))?;
        }
    }
    Ok(unread.get())
}

/// Checks that each call of an XNNPACK delegate has a tensor for each of the graph's external values. Calls can share a
/// graph, so `most` limits the visited bytes. Returns the first span that cannot be read.
#[cold]
pub(super) fn arguments(
    program: Program<'_>,
    data: Option<SegmentRegion>,
    bytes: Bytes<'_>,
    most: u64,
    reporter: &mut impl Reporter,
) -> Result<Option<Span>, Stop> {
    let unread = Cell::new(None);
    let segments = program.segments().ok().flatten();
    let blobs = program.backend_delegate_data().ok().flatten();
    let mut left = most;
    for (plan, method) in elements(program.execution_plan()) {
        let (known, Ok(Some(delegates))) = (MethodPlan::of(method), method.delegates()) else { continue };
        let graph = |index: i32| {
            let delegate = delegates.get(usize::try_from(index).ok()?)?.ok().filter(|own| is_backend(*own))?;
            Graph::of(blob_place(delegate.processed().ok()??, segments, blobs, data)?, bytes, &unread)
        };
        let path = &Path::ROOT.field("execution_plan");
        let path = &path.index(plan);
        let path = &path.field("chains");
        for (chain, instructions) in elements(method.chains()) {
            let path = &path.index(chain);
            let path = &path.field("instructions");
            for (position, instruction) in elements(instructions.instructions()) {
                let Ok(Some(Call::DelegateCall(call))) = instruction.instr_args() else { continue };
                let (Ok(Some(args)), Ok(index)) = (call.args(), call.delegate_index()) else { continue };
                let Some(graph) = graph(index) else { continue };
                let is_tensor = |arg: i32| known.type_of(arg.into()).is_none_or(|ty| ty == KernelTypes::Tensor);
                let fits = |id: u32| args.get(id as usize).is_some_and(is_tensor);
                let Some(id) = graph.first_external(&mut left, &|id| !fits(id))? else { continue };
                let path = &path.index(position);
                let path = &path.field("instr_args");
                let path = &path.field("args");
                let message = format_args!(
                    "the graph has external id {id}, expected a Tensor as argument {id} of {} arguments",
                    args.len()
                );
                let (path, at) = match args.get(id as usize) {
                    Some(_) => (&path.index(id as usize), args.element_span(id as usize)),
                    None => (path, args.count_span()),
                };
                reporter.report(&rules::DEL_XNN_ARGS, path, at, message)?;
            }
        }
    }
    Ok(unread.get())
}

/// Returns the keys under which a program's XNNPACK blobs look up named data. The list is incomplete if part of the
/// file cannot be read or the file exceeds [`Limits::DEFAULT`].
#[cfg(feature = "alloc")]
pub fn xnnpack_keys(file: &dyn ReadAt) -> BTreeSet<Vec<u8>> {
    let mut keys = BTreeSet::new();
    let bytes = Bytes { head: file.head(), source: file };
    let file_bytes = FileBytes::head(bytes.head, file.len()).unwrap_or(FileBytes::whole(bytes.head));
    if let Ok(program) = Pte::open_file_bytes(file_bytes) {
        let data = Some(program.data_region()).filter(|region| region.base != 0);
        let most = Limits::DEFAULT.apparent_size_of(usize::try_from(file.len()).unwrap_or(usize::MAX));
        // Ignore an exceeded limit and unreadable bytes, because the other keys are still useful.
        let _ = named_keys(Program::from_table(program.program().table()), data, bytes, most, &mut |key, _, _| {
            keys.insert(key.to_vec());
            Ok(())
        });
    }
    keys
}

/// A blob's FlatBuffer. Segments can be outside memory, so `Graph` reads each value from the file.
struct Graph<'m> {
    bytes: Bytes<'m>,
    place: Span,
    /// The first span that cannot be read.
    unread: &'m Cell<Option<Span>>,
}

impl<'m> Graph<'m> {
    /// Returns a blob's FlatBuffer; `None` if its XNNPACK header is wrong. Older exporters write no header.
    fn of(blob: Span, bytes: Bytes<'m>, unread: &'m Cell<Option<Span>>) -> Option<Self> {
        let whole = Self { bytes, place: blob, unread };
        if IDENTIFIERS.contains(&&whole.read(4)?) {
            return Some(whole);
        }
        let (magic, start, size) = (whole.read(4)?, whole.u32(10)?, whole.u32(14)?);
        let inside = magic == *b"XH00" && start + size <= blob.len;
        inside.then_some(Self { place: Span::new(blob.offset + start, size), ..whole })
    }

    /// Where the root table is; `None` if the table, its vtable or one of its lists is outside the FlatBuffer.
    fn root(&self) -> Option<u64> {
        let root = self.target(0).filter(|root| *root > 0 && root.is_multiple_of(4))?;
        let vtable = root.checked_add_signed(-i64::from(i32::from_le_bytes(self.read(root)?)))?;
        let len = u64::from(u16::from_le_bytes(self.read(vtable)?));
        let fits = vtable.is_multiple_of(2) && len.is_multiple_of(2) && vtable + len <= self.place.len;
        let list_fits = |at: u64| {
            let list = self.target(at).filter(|list| at.is_multiple_of(4) && list.is_multiple_of(4) && *list > at)?;
            (list + 4 + 4 * self.u32(list)? <= self.place.len).then_some(())
        };
        let mut lists = LISTS.iter().filter_map(|(slot, _)| self.field(root, *slot));
        (fits && lists.all(|at| list_fits(at).is_some())).then_some(root)
    }

    /// Returns the id of the first external value for which the closure returns `true`.
    fn first_external(&self, left: &mut u64, is_wanted: &dyn Fn(u32) -> bool) -> Result<Option<u32>, Stop> {
        let list = self.root().and_then(|root| self.target(self.field(root, VALUES)?));
        let Some((list, count)) = list.and_then(|list| Some((list, self.u32(list)?))) else { return Ok(None) };
        for index in 0..count {
            *left = left.checked_sub(VALUE_BYTES).ok_or(Stop::Limit(Limit::ApparentSize))?;
            let id = self.target(list + 4 + 4 * index).and_then(|value| self.external_id(value));
            if id.is_some_and(is_wanted) {
                return Ok(id);
            }
        }
        Ok(None)
    }

    /// The id of a value that is an input or output of the graph.
    fn external_id(&self, value: u64) -> Option<u32> {
        let content = self.target(self.field(value, 1)?)?;
        let tensor = match self.read(self.field(value, 0)?)? {
            [1] => content,
            // A quantized value contains the tensor.
            [2] => self.target(self.field(content, 0)?)?,
            _ => return None,
        };
        let flags = self.u32(self.field(tensor, FLAGS)?)?;
        let id = self.field(tensor, EXTERNAL_ID).map_or(Some(0), |at| self.u32(at));
        u32::try_from(id.filter(|_| flags & (EXTERNAL_INPUT | EXTERNAL_OUTPUT) != 0)?).ok()
    }

    fn keys(&self, left: &mut u64, each: &mut dyn FnMut(&[u8], Span) -> Flow) -> Flow {
        let list = self.target(0).and_then(|root| self.target(self.field(root, CONSTANT_DATA)?));
        let Some((list, count)) = list.and_then(|list| Some((list, self.u32(list)?))) else { return Ok(()) };
        let mut buffer = [0; BUFFER];
        // Start at 1, because index 0 in the list of constants means "not a constant".
        for index in 1..count {
            // Stop at the first element that is past the end of the FlatBuffer.
            let Some(constant) = self.target(list + 4 + 4 * index) else { break };
            *left = left.checked_sub(CONSTANT_BYTES).ok_or(Stop::Limit(Limit::ApparentSize))?;
            let Some(place) = self.key(constant).filter(|place| (1..=LONGEST_KEY).contains(&place.len)) else {
                continue;
            };
            *left = left.checked_sub(place.len).ok_or(Stop::Limit(Limit::ApparentSize))?;
            if let Some(key) = place.slice(self.bytes.head) {
                each(key, place)?;
            } else if let Some(key) = usize::try_from(place.len).ok().and_then(|len| buffer.get_mut(..len))
                && self.fill(place.offset, key)
            {
                each(key, place)?;
            }
        }
        Ok(())
    }

    fn key(&self, constant: u64) -> Option<Span> {
        let key = self.target(self.field(constant, NAMED_KEY)?)?;
        let (first, len) = (key + 4, self.u32(key)?);
        (first + len <= self.place.len).then(|| Span::new(self.place.offset + first, len))
    }

    /// The position of the field in a vtable slot; `None` if the field is absent.
    fn field(&self, table: u64, slot: u16) -> Option<u64> {
        let vtable = table.checked_add_signed(-i64::from(i32::from_le_bytes(self.read(table)?)))?;
        let at = 4 + 2 * slot;
        let len = u16::from_le_bytes(self.read(vtable)?);
        let offset = u16::from_le_bytes(self.read(vtable + u64::from(at))?);
        (at + 2 <= len && offset > 0).then(|| table + u64::from(offset))
    }

    fn target(&self, at: u64) -> Option<u64> {
        Some(at + self.u32(at)?)
    }

    fn u32(&self, at: u64) -> Option<u64> {
        self.read(at).map(u32::from_le_bytes).map(u64::from)
    }

    fn read<const N: usize>(&self, at: u64) -> Option<[u8; N]> {
        let mut value = [0; N];
        let inside = at.checked_add(N as u64).is_some_and(|end| end <= self.place.len);
        (inside && self.fill(self.place.offset + at, &mut value)).then_some(value)
    }

    /// Fills `buffer` with the bytes at `offset` in the file. Returns `false` if they cannot be read.
    fn fill(&self, offset: u64, buffer: &mut [u8]) -> bool {
        let filled = self.bytes.read(offset, buffer);
        if !filled && self.unread.get().is_none() {
            self.unread.set(Some(Span::new(offset, buffer.len() as u64)));
        }
        filled
    }
}
