//! What a program stores: constants, state, delegates' blobs, named data, and segments that nothing uses.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde::Serialize;
use torchproof::Span;
use torchproof::check::xnnpack_keys;
use torchproof::flatbuffer::Vector;
use torchproof::flatbuffer::schema::TableView;
use torchproof::pte::schema::{DataLocation, SubsegmentOffsets, Tensor, TensorDataLocation};
use torchproof::pte::{ExtendedHeader, Method, Pte};

use super::budget::RowBudget;
use super::columns::{Types, Words, index};
use super::parts::{Part, PartList, PartRole};
use crate::ModelFile;
use crate::fields::vector::{items, len};
use crate::fields::words::lossy;
use crate::needs::blob;

/// Where a tensor's bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Place {
    Constant(u32),
    /// An initial value: the index of the list of mutable data, and the entry in it.
    State(u64, u32),
    /// The bytes under the tensor's name, in this file or in a data file.
    External,
    Planned,
    Nowhere,
}

pub(super) fn place(tensor: Tensor<'_>) -> Place {
    let extra = tensor.extra_tensor_info().ok().flatten();
    let is_planned = matches!(tensor.allocation_info(), Ok(Some(_)));
    if extra.is_some_and(|extra| extra.location() == Ok(TensorDataLocation::EXTERNAL)) {
        return Place::External;
    }
    match (tensor.data_buffer_idx().unwrap_or(0), is_planned) {
        (0, true) => Place::Planned,
        (0, false) => Place::Nowhere,
        (number, false) => Place::Constant(number),
        (number, true) => {
            Place::State(extra.and_then(|extra| extra.mutable_data_segments_idx().ok()).unwrap_or(0), number)
        }
    }
}

/// The bytes of a tensor's name. Many tensors can share them.
pub(super) fn name_of(tensor: Tensor<'_>) -> &[u8] {
    let extra = tensor.extra_tensor_info().ok().flatten();
    extra.and_then(|extra| extra.fully_qualified_name().ok()?).map_or(&[], |name| name.as_bytes())
}

pub(super) fn full_name(tensor: Tensor<'_>) -> String {
    String::from_utf8_lossy(name_of(tensor)).into_owned()
}

/// The segments of a file, one row each.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SegmentTable {
    /// The offset in the file, or 0 if it is not valid.
    pub offset: Vec<u64>,
    /// The size.
    pub bytes: Vec<u64>,
    /// What the segment contains; absent if nothing in the file refers to it.
    pub users: Words,
}

/// A program's stored parts.
pub(super) struct Stored {
    pub(super) list: PartList,
    /// Maps each place to the number of its part.
    places: HashMap<Place, usize>,
    keys: HashMap<Vec<u8>, usize>,
    users: BTreeMap<u32, &'static str>,
    base: u64,
    pub(super) segments: SegmentTable,
    pub(super) data_end: u64,
}

impl Stored {
    /// `base` is the position of the program in the file.
    pub(super) fn of(
        program: &Pte<'_>,
        file: &ModelFile<'_>,
        base: u64,
        methods: &[Method<'_>],
        types: &mut Types,
        budget: &mut RowBudget,
    ) -> Self {
        let mut stored = Self {
            list: PartList::default(),
            places: HashMap::new(),
            keys: HashMap::new(),
            users: BTreeMap::new(),
            base,
            segments: SegmentTable::default(),
            data_end: 0,
        };
        if let Some(header) = program.header() {
            let len =
                u64::from(header.length).min((program.region().len() as u64).saturating_sub(ExtendedHeader::OFFSET));
            stored.list.add(Part::new(PartRole::Header, Span::new(base + ExtendedHeader::OFFSET, len)));
        }
        stored.named_data(program, file, budget);
        stored.tensors(program, methods, types, budget);
        stored.delegates(program, methods, budget);
        stored.segments(program);
        stored
    }

    /// Returns the number of the part that has a tensor's bytes.
    pub(super) fn part_of(&self, tensor: Tensor<'_>) -> Option<usize> {
        match place(tensor) {
            Place::External => self.keys.get(name_of(tensor)),
            place => self.places.get(&place),
        }
        .copied()
    }

    /// Returns the number of the part that has a delegate's blob.
    pub(super) fn blob_at(&self, span: Span) -> Option<usize> {
        self.list.find(self.at(span))
    }

    fn at(&self, span: Span) -> Span {
        Span::new(self.base + span.offset, span.len)
    }

    fn named_data(&mut self, program: &Pte<'_>, file: &ModelFile<'_>, budget: &mut RowBudget) {
        for entry in program.named_data().flatten() {
            let (Ok(segment), Ok(span)) = (entry.segment_index(), entry.span()) else { continue };
            self.users.insert(segment, "named data");
            let Some(key) = entry.key().ok().filter(|key| budget.admits(key.as_bytes().len())) else { continue };
            let name = String::from_utf8_lossy(key.as_bytes()).into_owned();
            let part = Part { name, index: index(entry.index()), ..Part::new(PartRole::NamedData, self.at(span)) };
            let number = self.list.add(part);
            self.keys.entry(key.as_bytes().to_vec()).or_insert(number);
        }
        let used: HashSet<Vec<u8>> = xnnpack_keys(file).into_iter().collect();
        for number in used.iter().filter_map(|key| self.keys.get(key)) {
            self.list.parts[*number].uses += 1;
        }
    }

    /// Tensors of different sizes can share a constant; the largest of them decides the constant's size.
    fn tensors(&mut self, program: &Pte<'_>, methods: &[Method<'_>], types: &mut Types, budget: &mut RowBudget) {
        let mut held = BTreeMap::<(bool, u64, u32), Part>::new();
        for (number, method) in methods.iter().enumerate() {
            for (_, tensor) in method.tensors().flatten() {
                let place = place(tensor);
                let (key, role, entry) = match place {
                    Place::Constant(entry) => ((false, 0, entry), PartRole::Constant, entry),
                    Place::State(list, entry) => ((true, list, entry), PartRole::State, entry),
                    Place::External => {
                        if let Some(part) = self.part_of(tensor).filter(|_| budget.visit(name_of(tensor).len())) {
                            let part = &mut self.list.parts[part];
                            part.tensor = types.of(tensor);
                            part.used_by(index(number));
                        }
                        continue;
                    }
                    Place::Planned | Place::Nowhere => continue,
                };
                let ty = types.of(tensor);
                let bytes = types.get(ty).and_then(|ty| ty.bytes).unwrap_or(0);
                let part = held.entry(key).or_insert_with(|| Part {
                    index: i32::try_from(entry).unwrap_or(-1),
                    name: full_name(tensor),
                    tensor: ty,
                    ..Part::new(role, Span::new(0, bytes))
                });
                if bytes > part.span.len {
                    (part.span.len, part.tensor) = (bytes, ty);
                }
                part.used_by(index(number));
            }
        }
        let root = program.program();
        let segment = root.constant_segment().ok().flatten();
        let buffers = root.constant_buffer().ok().flatten();
        let offsets = segment.and_then(|segment| segment.offsets().ok()?).filter(|offsets| !offsets.is_empty());
        let mut state: Vec<SubsegmentOffsets<'_>> = items(root.mutable_data_segments()).flatten().collect();
        for ((is_state, list, entry), part) in held {
            let within = if is_state {
                usize::try_from(list).ok().and_then(|list| state.get(list).copied())
            } else {
                segment.filter(|_| offsets.is_some())
            };
            let span = match within {
                Some(subsegments) => self.subsegment(program, subsegments, entry, part.span.len),
                None if is_state => None,
                None => buffers
                    .and_then(|all| all.get(entry as usize)?.ok()?.storage().ok()?)
                    .map(|bytes| Span::new(self.base + bytes.span().offset, bytes.len() as u64)),
            };
            let key = if is_state { Place::State(list, entry) } else { Place::Constant(entry) };
            if let Some(span) = span.filter(|span| span.len > 0) {
                let number = match self.list.find(span) {
                    // Two entries with the same offset count as one stored constant.
                    Some(number) => {
                        let known = &mut self.list.parts[number];
                        known.uses = known.uses.saturating_add(part.uses);
                        known.methods.extend(part.methods);
                        known.methods.sort_unstable();
                        known.methods.dedup();
                        number
                    }
                    None => self.list.add(Part { span, ..part }),
                };
                self.places.insert(key, number);
            }
        }
        state.extend(segment);
        for subsegments in state.iter().filter(|all| len(all.offsets()) > 1) {
            let is_constant =
                segment.is_some_and(|segment| segment.table().position() == subsegments.table().position());
            let name = if is_constant { "constants" } else { "mutable data" };
            self.users.extend(subsegments.segment_index().ok().map(|segment| (segment, name)));
            if budget.visit(len(subsegments.offsets()).saturating_add(self.list.parts.len())) {
                self.unused(program, *subsegments);
            }
        }
        for (number, buffer) in (0_u32..).zip(items(root.constant_buffer()).flatten()) {
            let span = buffer.storage().ok().flatten().map(Vector::span).filter(|span| span.len > 0);
            if let Some(span) = span.filter(|_| !self.places.contains_key(&Place::Constant(number))) {
                self.list.add(unused("constant", number, self.at(span)));
            }
        }
    }

    fn subsegment(&self, program: &Pte<'_>, list: SubsegmentOffsets<'_>, entry: u32, bytes: u64) -> Option<Span> {
        let segment = program.segment(list.segment_index().ok()?).ok()?;
        let offset = list.offsets().ok()??.get(entry as usize)?;
        let end = offset.checked_add(bytes).filter(|end| *end <= segment.len)?;
        Some(self.at(Span::new(segment.offset + offset, end - offset)))
    }

    /// Adds the entries of a list that no tensor uses. Each entry extends to the next entry, whether that is used or not.
    fn unused(&mut self, program: &Pte<'_>, list: SubsegmentOffsets<'_>) {
        let Some(segment) = list.segment_index().ok().and_then(|index| program.segment(index).ok()) else { return };
        let used = self.list.parts.iter().map(|part| part.span);
        let start = self.base + segment.offset;
        let used: BTreeMap<u64, u64> = used.map(|span| (span.offset.wrapping_sub(start), span.len)).collect();
        let offsets: BTreeSet<u64> = items(list.offsets()).skip(1).collect();
        for (number, offset) in (1_u32..).zip(items(list.offsets()).skip(1)) {
            let before = used.range(..=offset).next_back();
            if before.is_some_and(|(at, len)| *at == offset || at.saturating_add(*len) > offset) {
                continue;
            }
            let next =
                offsets.range(offset.saturating_add(1)..).next().copied().unwrap_or(segment.len).min(segment.len);
            if let Some(bytes) = next.checked_sub(offset).filter(|bytes| *bytes > 0) {
                let span = self.at(Span::new(segment.offset + offset, bytes));
                self.list.add(unused("constant", number, span));
            }
        }
    }

    fn delegates(&mut self, program: &Pte<'_>, methods: &[Method<'_>], budget: &mut RowBudget) {
        for (number, method) in methods.iter().enumerate() {
            for delegate in method.delegates().flatten() {
                let id = delegate.id().ok().flatten().map_or(0, |id| id.as_bytes().len());
                if !budget.visit(id) {
                    return;
                }
                let Some(span) = blob(program, delegate) else { continue };
                let place = delegate.processed().ok().flatten();
                let segment = place.filter(|place| place.location() == Ok(DataLocation::SEGMENT));
                let at = place.and_then(|place| place.index().ok());
                self.users.extend(segment.and(at).map(|at| (at, "delegate")));
                let span = self.at(span);
                if span.len == 0 {
                    continue;
                }
                let part = self.list.add(Part {
                    index: at.and_then(|at| i32::try_from(at).ok()).unwrap_or(-1),
                    backend: Some(lossy(delegate.id())),
                    ..Part::new(PartRole::Delegate, span)
                });
                self.list.parts[part].used_by(index(number));
            }
        }
        for (number, blob) in (0_u32..).zip(items(program.program().backend_delegate_data()).flatten()) {
            let span = blob.data().ok().flatten().map(|bytes| self.at(bytes.span())).filter(|span| span.len > 0);
            if let Some(span) = span.filter(|span| self.list.find(*span).is_none()) {
                self.list.add(unused("delegate", number, span));
            }
        }
    }

    fn segments(&mut self, program: &Pte<'_>) {
        let count = u32::try_from(len(program.program().segments())).unwrap_or(u32::MAX);
        for number in 0..count {
            let span = program.segment(number).map(|span| self.at(span));
            let user = self.users.get(&number).copied();
            self.segments.offset.push(span.map_or(0, |span| span.offset));
            self.segments.bytes.push(span.map_or(0, |span| span.len));
            self.segments.users.push(user);
            let Ok(span) = span else { continue };
            self.data_end = self.data_end.max(span.end());
            if user.is_none() && span.len > 0 {
                self.list.add(unused("segment", number, span));
            }
        }
    }
}

fn unused(what: &str, number: u32, span: Span) -> Part {
    let index = i32::try_from(number).unwrap_or(-1);
    Part { name: format!("{what} {number}"), index, ..Part::new(PartRole::Unused, span) }
}
