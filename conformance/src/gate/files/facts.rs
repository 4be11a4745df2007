//! The facts about a model file that a comparison uses.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::path::Path;

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use torchproof::bundled::{self, Bundled};
use torchproof::flatbuffer::schema::Element;
use torchproof::flatbuffer::{self, Fault, Str, Vector};
use torchproof::ptd::{self, Layout, Ptd};
use torchproof::pte::schema::{EValue, KernelTypesValue, Program, Tensor, TensorDataLocation, TensorShapeDynamism};
use torchproof::pte::{self, Method, Pte};
use torchproof::{DataEntry, view};
use torchproof_harness::disk::input::Input;
use torchproof_harness::text::counted;

use super::area::Area;
use crate::fields::operators;
use crate::fields::vector::{items, len};
use crate::fields::words::{list, scalar_type, value};

/// Larger alignments count as this one.
const MAX_ALIGNMENT: u64 = 4096;

/// Longer names are shortened, because the facts repeat them.
const MAX_NAME: usize = 200;

/// Longer lists of types, or of facts about one key, are shortened.
const MAX_LIST: usize = 16 << 10;

/// How many of a method's planned buffers get a fact of their own; one fact covers all later buffers.
const BUFFERS: usize = 1000;

pub(super) const FILE_SIZE: &str = "file size";

#[derive(Debug, Default)]
pub(super) struct Facts {
    pub(super) file: FactMap,
    pub(super) methods: BTreeMap<String, FactMap>,
}

/// The facts by area and name. A fact about a method does not repeat the method's name.
#[derive(Debug, Default)]
pub(super) struct FactMap(pub(super) BTreeMap<(Area, String), Fact>);

/// A fact as text, with its number if it is a size, a count or an alignment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fact {
    pub(super) text: String,
    pub(super) number: Option<u64>,
}

impl Fact {
    fn counted(number: u64, noun: &str) -> Self {
        Self { text: counted(number, noun), number: Some(number) }
    }
}

impl<T: Into<String>> From<T> for Fact {
    fn from(text: T) -> Self {
        Self { text: text.into(), number: None }
    }
}

/// Reads the header and the FlatBuffer, but no segments. Copies nothing before [`view::File::open`] has limited the
/// size of the tables, because many offsets can lead to the same name.
pub(super) fn facts(path: &Path) -> Result<Facts, String> {
    let input = Input::open(path).map_err(|error| error.to_string())?;
    let file_bytes = input.file_bytes();
    let error = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    view::File::open(file_bytes).map_err(|found| error(&found))?;
    let mut facts = Facts::default();
    facts.file.set(Area::Size, FILE_SIZE, Fact::counted(file_bytes.len(), "byte"));
    match flatbuffer::identifier(file_bytes.bytes()) {
        Some(pte::IDENTIFIER) => facts.program(&Pte::open_file_bytes(file_bytes).map_err(|found| error(&found))?),
        Some(ptd::IDENTIFIER) => facts.file.data(&Ptd::open_file_bytes(file_bytes).map_err(|found| error(&found))?),
        Some(bundled::IDENTIFIER) => {
            let bundle = Bundled::open_file_bytes(file_bytes).map_err(|found| error(&found))?;
            facts.file.set(Area::Kind, "kind", "bundled program");
            facts.program(&bundle.program().map_err(|found| error(&found))?);
        }
        _ => return Err(error(&"found neither a program nor a data file; expected .pte, .ptd or .bpte")),
    }
    Ok(facts)
}

impl Facts {
    fn program(&mut self, file: &Pte<'_>) {
        self.file.program(file);
        for method in file.methods().flatten() {
            self.methods.entry(text_of(method.name())).or_default().method(method);
        }
    }
}

impl FactMap {
    fn set(&mut self, area: Area, name: impl Into<String>, fact: impl Into<Fact>) {
        self.0.entry((area, name.into())).or_insert_with(|| fact.into());
    }

    fn keys(&mut self, area: Area, facts: impl Iterator<Item = (String, String)>) {
        // Many offsets can lead to one entry, so store equal facts once; `collect` would store them all first.
        let mut distinct = BTreeSet::new();
        facts.for_each(|fact| _ = distinct.insert(fact));
        let mut facts = distinct.into_iter().peekable();
        while let Some((key, first)) = facts.next() {
            let others = std::iter::from_fn(|| facts.next_if(|(own, _)| *own == key)).map(|(_, fact)| fact);
            self.set(area, key.clone(), abridged(std::iter::once(first).chain(others), " and ", MAX_LIST));
        }
    }

    fn program(&mut self, file: &Pte<'_>) {
        let program = file.program();
        self.set(Area::Kind, "kind", "program");
        self.set(Area::Version, "version", value(program.version()));
        let header = file.header();
        let fact = header.map_or("none".into(), |header| Fact::counted(header.length.into(), "byte"));
        self.set(Area::Header, "header", fact);
        self.set(Area::Size, "FlatBuffer size", Fact::counted(file.region().len() as u64, "byte"));
        let base = header.map_or(0, |header| header.segment_base_offset);
        let segments =
            items(program.segments()).flatten().map(|entry| (entry.offset().unwrap_or(0), entry.size().unwrap_or(0)));
        self.segments(base, segments);
        self.constants(program);
        self.entries(file.named_data());
    }

    fn data(&mut self, file: &Ptd<'_>) {
        let header = file.header();
        self.set(Area::Header, "header", Fact::counted(header.length.into(), "byte"));
        self.set(Area::Size, "FlatBuffer size", Fact::counted(file.region().len() as u64, "byte"));
        let segments = file.segments().ok().flatten().into_iter().flat_map(flatbuffer::Vector::iter).flatten();
        let segments = segments.map(|entry| (entry.offset().unwrap_or(0), entry.size().unwrap_or(0)));
        self.segments(header.segment_base_offset, segments);
        match file.layout() {
            Layout::Current(root) => {
                self.set(Area::Kind, "kind", "data file");
                self.set(Area::Version, "version", value(root.version()));
            }
            Layout::Legacy(_) => self.set(Area::Kind, "kind", "data file in the legacy layout"),
        }
        self.entries(file.entries());
    }

    fn entries<'a>(&mut self, entries: impl Iterator<Item = Result<DataEntry<'a>, torchproof::Error>>) {
        let facts = entries.flatten().map(|entry| {
            let layout = entry.scalar_type().ok().flatten().map_or(String::new(), |ty| {
                format!("{} {}{}, ", scalar_type(Ok::<_, Fault>(ty)), list(entry.sizes()), dim_order(entry.dim_order()))
            });
            let size = entry.span().map_or("?".to_owned(), |span| counted(span.len, "byte"));
            (text_of(entry.key()), layout + &size)
        });
        self.keys(Area::NamedData, facts);
    }

    /// Sets the facts about segments: their number, their total size, and the largest power of two that divides all offsets.
    fn segments(&mut self, base: u64, segments: impl Iterator<Item = (u64, u64)>) {
        let (mut count, mut size, mut offsets) = (0_u64, 0_u64, MAX_ALIGNMENT);
        for (offset, len) in segments {
            count += 1;
            size = size.saturating_add(len);
            // An empty segment can be at any offset.
            if len > 0 {
                offsets |= base.saturating_add(offset);
            }
        }
        self.set(Area::Segments, "segments", format!("{count}, {}", counted(size, "byte")));
        if size > 0 {
            let alignment = 1_u64 << offsets.trailing_zeros();
            let fact = Fact { text: alignment.to_string(), number: Some(alignment) };
            self.set(Area::Alignment, "segment alignment", fact);
        }
    }

    fn constants(&mut self, program: Program<'_>) {
        let segment = program.constant_segment().ok().flatten().map_or(0, |constants| len(constants.offsets()));
        // The first entry of the constant offsets, and of the constant buffer, is a placeholder.
        let place = match (segment > 1, len(program.constant_buffer()) > 1) {
            (true, _) => "segment",
            (false, true) => "constant_buffer",
            (false, false) => return,
        };
        self.set(Area::Constants, "constants", place);
    }

    pub(super) fn signature(&self) -> Fact {
        let ports = |ports: &str| self.0.get(&(Area::Method, ports.to_owned())).map_or("?", |fact| &fact.text);
        format!("{} -> {}", ports("inputs"), ports("outputs")).into()
    }

    fn method(&mut self, method: Method<'_>) {
        let plan = method.plan();
        let types = |value: Result<EValue<'_>, _>| value.map_or("?".to_owned(), described);
        self.set(Area::Method, "inputs", format!("({})", abridged(method.inputs().map(types), ", ", MAX_LIST)));
        self.set(Area::Method, "outputs", format!("({})", abridged(method.outputs().map(types), ", ", MAX_LIST)));
        let sizes = || items(plan.non_const_buffer_sizes()).map(|size| size.max(0).unsigned_abs());
        for (number, size) in sizes().enumerate().take(BUFFERS).skip(1) {
            self.set(Area::Memory, format!("buffer {number}"), Fact::counted(size, "byte"));
        }
        let rest = sizes().skip(BUFFERS).reduce(u64::saturating_add);
        if let Some(size) = rest {
            self.set(Area::Memory, format!("buffers from {BUFFERS}"), Fact::counted(size, "byte"));
        }
        // Equal entries in the list are one operator.
        let mut calls_of: BTreeMap<String, u64> = BTreeMap::new();
        let [of_operators, _] = operators::calls(method);
        for (operator, calls) in method.operators().zip(of_operators) {
            *calls_of.entry(operator.map_or("?".to_owned(), operators::name)).or_default() += calls as u64;
        }
        for (name, calls) in calls_of {
            self.set(Area::Operator, name, Fact::counted(calls, "call"));
        }
        for delegate in method.delegates().flatten() {
            self.set(Area::Backend, text_of(delegate.id()), "used");
        }
        let tensors = method.tensors().flatten();
        let tensors = tensors.filter_map(|(_, tensor)| Some((external(tensor)?, tensor_type(tensor))));
        self.keys(Area::External, tensors);
    }
}

fn external(tensor: Tensor<'_>) -> Option<String> {
    let extra = tensor.extra_tensor_info().ok()??;
    (extra.location() == Ok(TensorDataLocation::EXTERNAL)).then(|| text_of(extra.fully_qualified_name()))
}

fn described(found: EValue<'_>) -> String {
    match found.val() {
        Ok(Some(KernelTypesValue::Tensor(tensor))) => tensor_type(tensor),
        _ => value(found.val_type().map(|tag| tag.name().map_or_else(|| tag.0.to_string(), str::to_owned))),
    }
}

fn tensor_type(tensor: Tensor<'_>) -> String {
    let dynamism = tensor.shape_dynamism().ok().filter(|dynamism| dynamism.0 != 0);
    let dynamism = dynamism.and_then(TensorShapeDynamism::name).map_or(String::new(), |name| format!(" {name}"));
    let order = dim_order(tensor.dim_order());
    format!("{} {}{order}{dynamism}", scalar_type(tensor.scalar_type()), list(tensor.sizes()))
}

/// Returns an empty string for the usual order 0, 1, 2.
fn dim_order<'a, T, E: Copy>(field: Result<Option<Vector<'a, T>>, E>) -> String
where
    T: Element<'a, Item: Display + Into<u64>> + 'a,
{
    let is_usual = match &field {
        Ok(Some(order)) => order.iter().map(Into::into).eq(0..order.len() as u64),
        Ok(None) => true,
        Err(_) => false,
    };
    if is_usual { String::new() } else { format!(" order {}", list(field)) }
}

fn text_of<'a, E>(field: Result<impl Into<Option<Str<'a>>>, E>) -> String {
    field.ok().and_then(Into::into).map_or("?".to_owned(), |text| abridged([text.as_bytes()], "", MAX_NAME))
}

/// Truncates text longer than `most` bytes, and appends its length and SHA-256, so that different texts stay different.
fn abridged<P: AsRef<[u8]>>(pieces: impl IntoIterator<Item = P>, separator: &str, most: usize) -> String {
    let (mut start, mut len, mut digest) = (Vec::new(), 0, Sha256::new());
    for piece in pieces {
        for part in [if len == 0 { b"" } else { separator.as_bytes() }, piece.as_ref()] {
            digest.update(part);
            start.extend(&part[..part.len().min(most.saturating_sub(start.len()))]);
            len += part.len();
        }
    }
    let text = String::from_utf8_lossy(&start);
    match len <= most {
        true => text.into_owned(),
        false => format!("{text}… ({len} bytes, sha256 {})", HEXLOWER.encode(&digest.finalize()[..16])),
    }
}
