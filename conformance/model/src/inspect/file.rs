//! Reads a file of any kind into the tables.

use torchproof::bundled::Bundled;
use torchproof::bundled::schema::{Value, ValueUnionValue};
use torchproof::check::StopReason;
use torchproof::flatbuffer::Vector;
use torchproof::prediction::Release;
use torchproof::ptd::{FlatTensorHeader, Layout, Ptd};
use torchproof::pte::schema::TensorShapeDynamism;
use torchproof::pte::{Method, Pte};
use torchproof::{FileKind, Span};

use super::budget::RowBudget;
use super::columns::{TensorType, Types, Words, index};
use super::equal::{self, Digests};
use super::method::{ConstantMethod, Detail, MOST_METHODS, MethodReader, TEXT};
use super::parts::{BytesOutput, Part, PartList, PartRole};
use super::stored::{SegmentTable, Stored};
use super::{FileOutput, InspectOutput, TestsOutput, header, package};
use crate::ModelFile;
use crate::check::{CheckOptions, FileResult};
use crate::fields::vector::{items, len};
use crate::fields::words::lossy;
use crate::needs::{ItemBudget, NeedsOutput};

/// Returns what is in a file. `data` are a program's data files. Arenas and predictions are for the given releases.
#[must_use]
pub fn inspect(file: &ModelFile<'_>, data: &[ModelFile<'_>], releases: &[Release], digests: Digests) -> InspectOutput {
    read(file, data, releases, digests, Detail::Whole)
}

/// Returns only what the first screen shows, in a fraction of the time. It leaves out values, instructions and memory
/// plans and, if there are no releases, the needs.
#[must_use]
pub fn brief(file: &ModelFile<'_>, data: &[ModelFile<'_>], releases: &[Release], digests: Digests) -> InspectOutput {
    read(file, data, releases, digests, Detail::Brief)
}

fn read(
    file: &ModelFile<'_>,
    data: &[ModelFile<'_>],
    releases: &[Release],
    digests: Digests,
    detail: Detail,
) -> InspectOutput {
    let checked = CheckOptions { releases: releases.to_vec(), ..CheckOptions::default() }.examine(file, data);
    // If the check exceeded a limit, a walk over the tables could take hours.
    let stopped = checked.examined.as_ref().map_or(None, |examined| examined.report.stopped);
    let is_readable = stopped.is_none() || stopped == Some(StopReason::NotCovered);
    let name = file.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
    let bytes = file.file_bytes();
    let mut reader = Reader {
        file,
        detail,
        types: Types::default(),
        budget: RowBudget::new(bytes.bytes().len()),
        output: InspectOutput {
            file: FileOutput { name, kind: file.kind(), bytes: bytes.len(), version: None, flatbuffer_bytes: None },
            check: FileResult::of(checked.clone(), false),
            needs: None,
            tensor_types: Vec::new(),
            bytes: BytesOutput::default(),
            methods: Vec::new(),
            constant_methods: Vec::new(),
            tests: Vec::new(),
            header: Vec::new(),
            segments: SegmentTable::default(),
            omitted: Vec::new(),
        },
    };
    let parts = reader.parts(is_readable);
    if (detail == Detail::Whole || !releases.is_empty())
        && matches!(reader.output.file.kind, FileKind::Pte | FileKind::Bpte)
    {
        let mut needs = NeedsOutput::new();
        needs.add(checked, file, data, releases);
        reader.output.needs = Some(needs);
    }
    let roles: Vec<PartRole> = parts.iter().map(|part| part.role).collect();
    let Reader { types, mut output, budget, .. } = reader;
    let methods: Vec<String> = output.methods.iter().map(|method| method.name.clone()).collect();
    output.bytes = BytesOutput::of(parts, bytes.len(), &types, &methods);
    equal::compare(&mut output.bytes, &roles, file, digests);
    output.tensor_types = types.into_items();
    output.omitted = budget.into_omitted();
    output
}

struct Reader<'r> {
    file: &'r ModelFile<'r>,
    detail: Detail,
    types: Types,
    budget: RowBudget,
    output: InspectOutput,
}

impl Reader<'_> {
    fn parts(&mut self, is_readable: bool) -> Vec<Part> {
        let bytes = self.file.file_bytes();
        match self.output.file.kind {
            FileKind::Pte => {
                self.output.header = header::of_program(bytes);
                if let Some(program) = Pte::open_file_bytes(bytes).ok().filter(|_| is_readable) {
                    self.output.file.flatbuffer_bytes = Some(program.region().len() as u64);
                    return self.program(&program, self.file, 0, PartList::default(), Vec::new());
                }
            }
            FileKind::Ptd | FileKind::PtdLegacy => {
                self.output.header = header::of_data(bytes);
                if let Some(data) = Ptd::open_file_bytes(bytes).ok().filter(|_| is_readable) {
                    return self.data(&data);
                }
            }
            FileKind::Bpte => {
                if let Some(bundled) = Bundled::open_file_bytes(bytes).ok().filter(|_| is_readable) {
                    return self.bundled(bundled);
                }
            }
            FileKind::Ptn => return package::members(self.file, &mut self.budget).cover(&[], 0, bytes.len()).0,
            _ => {}
        }
        PartList::default().cover(&[], 0, bytes.len()).0
    }

    /// `others` are the parts of the file around the program, and `tables` are the regions with their tables.
    fn program(
        &mut self,
        program: &Pte<'_>,
        file: &ModelFile<'_>,
        base: u64,
        others: PartList,
        mut tables: Vec<Span>,
    ) -> Vec<Part> {
        self.output.file.version = program.program().version().ok();
        let (mut methods, mut text): (Vec<Method<'_>>, _) = (Vec::new(), TEXT);
        for method in program.methods().flatten() {
            if methods.len() == MOST_METHODS || !self.budget.visit(len(method.plan().values())) {
                self.budget.omit(|| "methods".to_owned());
                break;
            }
            if let Some(constant) = ConstantMethod::of(method, &mut text) {
                self.output.constant_methods.push(constant);
            } else {
                methods.push(method);
            }
        }
        let mut stored = Stored::of(program, file, base, &methods, &mut self.types, &mut self.budget);
        for part in others.parts {
            stored.list.add(part);
        }
        tables.push(Span::new(base, program.region().len() as u64));
        let total = self.file.file_bytes().len();
        let (parts, numbers) = stored.list.cover(&tables, stored.data_end, total);
        let mut item_budget = ItemBudget::new(program.region().len());
        let Self { types, budget, output, detail, .. } = self;
        let mut reader =
            MethodReader { program, file, stored: &stored, numbers: &numbers, types, budget, items: &mut item_budget };
        output.methods = methods.iter().map(|method| reader.read(*method, *detail)).collect();
        output.segments = stored.segments;
        parts
    }

    fn data(&mut self, data: &Ptd<'_>) -> Vec<Part> {
        self.output.file.flatbuffer_bytes = Some(data.region().len() as u64);
        self.output.file.version = match data.layout() {
            Layout::Current(root) => root.version().ok(),
            Layout::Legacy(root) => root.version().ok(),
        };
        let mut list = PartList::default();
        list.add(Part::new(PartRole::Header, Span::new(FlatTensorHeader::OFFSET, data.header().length.into())));
        let mut used = Vec::new();
        for entry in data.entries() {
            let Ok(entry) = entry else { continue };
            let (Ok(key), Ok(span)) = (entry.key(), entry.span()) else { continue };
            if !self.budget.admits(key.as_bytes().len()) {
                self.budget.omit(|| "entries".to_owned());
                break;
            }
            used.extend(entry.segment_index());
            let ty = entry.scalar_type().ok().flatten().map(|ty| {
                let (sizes, order) = (entry.sizes().ok().flatten(), entry.dim_order().ok().flatten());
                self.types.add(TensorType::new(ty, sizes, order, TensorShapeDynamism::STATIC))
            });
            let name = String::from_utf8_lossy(key.as_bytes()).into_owned();
            let (index, tensor) = (index(entry.index()), ty.unwrap_or(-1));
            list.add(Part { name, index, tensor, ..Part::new(PartRole::NamedData, span) });
        }
        used.sort_unstable();
        let count = u32::try_from(data.segments().ok().flatten().map_or(0, Vector::len)).unwrap_or(u32::MAX);
        let mut data_end = 0;
        let mut users = Words::default();
        for number in 0..count {
            let span = data.segment(number);
            let is_used = used.binary_search(&number).is_ok();
            users.push(is_used.then_some("named data"));
            self.output.segments.offset.push(span.map_or(0, |span| span.offset));
            self.output.segments.bytes.push(span.map_or(0, |span| span.len));
            let Ok(span) = span else { continue };
            data_end = data_end.max(span.end());
            if !is_used && span.len > 0 {
                let index = i32::try_from(number).unwrap_or(-1);
                list.add(Part { name: format!("segment {number}"), index, ..Part::new(PartRole::Unused, span) });
            }
        }
        self.output.segments.users = users;
        let tables = Span::new(0, data.region().len() as u64);
        list.cover(&[tables], data_end, self.file.file_bytes().len()).0
    }

    fn bundled(&mut self, bundled: Bundled<'_>) -> Vec<Part> {
        let mut list = PartList::default();
        for suite in items(bundled.root().method_test_suites()).flatten() {
            let name = suite.method_name().ok().flatten().map_or(0, |name| name.as_bytes().len());
            if !self.budget.admits(name) {
                self.budget.omit(|| "test suites".to_owned());
                break;
            }
            let mut tests = TestsOutput { method: lossy(suite.method_name()), cases: 0, bytes: 0 };
            for case in items(suite.test_cases()).flatten() {
                tests.cases += 1;
                for (list_name, values) in [("input", case.inputs()), ("output", case.expected_outputs())] {
                    for (number, value) in items(values).flatten().enumerate() {
                        let Some((span, ty)) = test_data(value).filter(|_| self.budget.admits(64)) else { continue };
                        tests.bytes = tests.bytes.saturating_add(span.len);
                        let tensor = self.types.add(ty);
                        let name = format!("{list_name} {number} of test {}", tests.cases - 1);
                        list.add(Part { name, tensor, ..Part::new(PartRole::TestData, span) });
                    }
                }
            }
            self.output.tests.push(tests);
        }
        let total = self.file.file_bytes().len();
        let outer = Span::new(0, total);
        self.output.file.flatbuffer_bytes = Some(total);
        let Ok(bytes) = bundled.program_bytes() else { return list.cover(&[outer], 0, total).0 };
        let base = bundled.root().program().ok().flatten().map_or(0, |bytes: Vector<'_, u8>| bytes.span().offset);
        let inner = ModelFile::open(self.file.path(), &bytes);
        match (Pte::open(bytes), &inner) {
            (Ok(program), Ok(inner)) => {
                self.output.header = header::of_program(inner.file_bytes());
                self.program(&program, inner, base, list, vec![outer])
            }
            _ => list.cover(&[outer], 0, total).0,
        }
    }
}

fn test_data(value: Value<'_>) -> Option<(Span, TensorType)> {
    let Some(ValueUnionValue::Tensor(tensor)) = value.val().ok()? else { return None };
    let data = tensor.data().ok()??.span();
    let (sizes, order) = (tensor.sizes().ok().flatten(), tensor.dim_order().ok().flatten());
    let ty = TensorType::new(tensor.scalar_type().ok()?, sizes, order, TensorShapeDynamism::STATIC);
    (data.len > 0).then_some((data, ty))
}
