//! Moving constants from a program into a data file, and back.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use torchproof::check::Kind;
use torchproof::flatbuffer::schema::TableView;
use torchproof::flatbuffer::tree::{TableTree, Value};
use torchproof::layout::{Uncountable, nbytes_of};
use torchproof::ptd::schema::{FlatTensor, NamedData, TensorLayout};
use torchproof::pte::schema::{ExtraTensorInfo, SubsegmentOffsets, Tensor, TensorDataLocation};
use torchproof::write::WriteError;
use torchproof::{ScalarType, Span};

use super::references::{number, set_index, tables};
use super::{Data, Document, EditError, Layout, Segment};

/// Constants that were put behind others begin at multiples of this, as the official writer's do.
const CONSTANT_ALIGNMENT: u64 = 16;

/// What was moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// Tensors that find their bytes in the other place now.
    pub tensors: u64,
    /// Constants that they have between them.
    pub constants: u64,
    /// Bytes of those.
    pub bytes: u64,
}

impl fmt::Display for Moved {
    /// Writes `3 tensors with 2 constants of 40 bytes`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = |count: u64| if count == 1 { "" } else { "s" };
        let Moved { tensors, constants, bytes } = *self;
        write!(f, "{tensors} tensor{} with {constants} constant{}", plural(tensors), plural(constants))?;
        write!(f, " of {bytes} byte{}", plural(bytes))
    }
}

/// Why constants cannot be moved.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MoveError {
    /// The file that should be a program is a data file.
    NotAProgram,
    /// The file that should be a data file is a program.
    NotData,
    /// The program has no constants.
    NoConstants,
    /// The program has no tensors in data files.
    NoExternals,
    /// No data file has the tensor.
    NotFound {
        /// Its name.
        key: String,
    },
    /// A tensor's bytes cannot be counted.
    Uncountable(Uncountable),
    /// A tensor's bytes are not where it says.
    OutOfRange {
        /// Its place.
        path: String,
    },
    /// There are constants inside the FlatBuffer, and there can be none in a segment beside them.
    Inline,
    /// Something else has the segment of constants too.
    SharedSegment,
}

impl fmt::Display for MoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MoveError::NotAProgram => f.write_str("is not a program"),
            MoveError::NotData => f.write_str("is not a data file"),
            MoveError::NoConstants => f.write_str("has no constant tensors"),
            MoveError::NoExternals => f.write_str("has no constant tensors in data files"),
            MoveError::NotFound { key } => write!(f, "no data file has the tensor `{}`", key.escape_debug()),
            MoveError::Uncountable(error) => error.fmt(f),
            MoveError::OutOfRange { path } => write!(f, "{path}: the bytes are not in the file"),
            MoveError::Inline => f.write_str("has constants inside the FlatBuffer, which takes no others beside them"),
            MoveError::SharedSegment => f.write_str("has something else in the segment of its constants"),
        }
    }
}

impl std::error::Error for MoveError {}

impl Document {
    /// Moves every constant tensor of a program into a data file, which it returns.
    ///
    /// A tensor's key is its fully qualified name, or `constant.N` with its place among the constants where it has none; a
    /// number is put behind that where another tensor has the name. What shared its bytes shares a segment. Constants that no
    /// tensor has are dropped; initial values of mutable tensors, delegates and named data stay.
    ///
    /// # Errors
    ///
    /// When the file is no program, has no constant tensors, or they are not where it says.
    pub fn split(&mut self) -> Result<(Document, Moved), EditError> {
        self.expect_program()?;
        let mut names = Names::of(&self.root);
        let mut moved = Moved::default();
        let mut homes: BTreeMap<(u32, u64), u32> = BTreeMap::new();
        let (mut entries, mut segments) = (Vec::new(), Vec::new());
        for path in tensors(&self.root) {
            let Some(tensor) = self.root.at(&path).filter(|tensor| is_constant(tensor)) else { continue };
            let (index, len) = (number(tensor, "data_buffer_idx"), bytes_of(tensor)?);
            let layout = layout_of(tensor)?;
            let name = names.name(tensor, index, len, &layout);
            if let Name::New(name) = &name {
                let segment = match homes.get(&(index, len)) {
                    Some(segment) => *segment,
                    None => {
                        let data = self.constant(index, len).filter(|data| data.len() == len);
                        let data = data.ok_or_else(|| MoveError::OutOfRange { path: path.clone() })?;
                        let segment = u32::try_from(segments.len()).map_err(|_| WriteError::TooLarge)?;
                        segments.push(Segment::new(data, super::usual_alignment(Kind::Ptd)));
                        moved.constants += 1;
                        moved.bytes = moved.bytes.saturating_add(len);
                        homes.insert((index, len), segment);
                        segment
                    }
                };
                let mut entry = TableTree::new(NamedData::TYPE);
                entry.set("key", &name[..])?;
                set_index(&mut entry, "segment_index", segment);
                entry.set("tensor_layout", layout)?;
                entries.push(entry);
            }
            moved.tensors += 1;
            if let Some(tensor) = self.root.at_mut(&path) {
                put_external(tensor, name.bytes())?;
            }
        }
        if moved.tensors == 0 {
            return Err(MoveError::NoConstants.into());
        }
        self.clear_constants()?;
        let root = TableTree::new(FlatTensor::TYPE).with("named_data", entries);
        Ok((Document::new(root, segments, Layout::default())?, moved))
    }

    /// Moves the constant tensors that a program has in these data files into the program.
    ///
    /// They are put behind the constants that it has, in a segment; those that share a segment of a data file share a constant.
    /// Where tensors of a method share a name, the first keeps it.
    /// Tensors in planned memory whose initial values are in a data file keep them there.
    ///
    /// # Errors
    ///
    /// When a file is not what it should be, no data file has a tensor, or there is no room for other constants.
    pub fn merge(&mut self, data: &[Document]) -> Result<Moved, EditError> {
        self.expect_program()?;
        let found = Found::of(data)?;
        let (segment, mut offsets) = self.constant_home()?;
        let mut parts = vec![self.segments[segment as usize].data.clone()];
        let mut end = parts[0].len();
        let mut homes: BTreeMap<(usize, u32, u64, u64), u32> = BTreeMap::new();
        let mut moved = Moved::default();
        // A look-up by name finds the first tensor of a method that has it, so no other is to have it.
        let mut names = inside_names(&self.root);
        for path in tensors(&self.root) {
            let Some(tensor) = self.root.at_mut(&path).filter(|tensor| is_external_constant(tensor)) else { continue };
            let len = bytes_of(tensor)?;
            let key = key_of(tensor).unwrap_or_default();
            let text = || String::from_utf8_lossy(key).into_owned();
            let (file, from, offset) = *found.0.get(key).ok_or_else(|| MoveError::NotFound { key: text() })?;
            let index = match homes.get(&(file, from, offset, len)) {
                Some(index) => *index,
                None => {
                    let bytes = data[file].segments.get(from as usize);
                    let bytes = bytes.map(|segment| segment.data.slice(Span::new(offset, len)));
                    let bytes = bytes.filter(|data| data.len() == len);
                    let bytes = bytes.ok_or_else(|| MoveError::OutOfRange { path: path.clone() })?;
                    let place = end.checked_next_multiple_of(CONSTANT_ALIGNMENT);
                    let place = place.ok_or(WriteError::TooLarge)?;
                    parts.push(Data::zeros(place - end));
                    parts.push(bytes);
                    end = place.checked_add(len).ok_or(WriteError::TooLarge)?;
                    let index = u32::try_from(offsets.len()).map_err(|_| WriteError::TooLarge)?;
                    offsets.push(place);
                    homes.insert((file, from, offset, len), index);
                    moved.constants += 1;
                    moved.bytes = moved.bytes.saturating_add(len);
                    index
                }
            };
            let named = names.insert((plan_of(&path).to_owned(), key.to_vec()));
            tensor.set("data_buffer_idx", index)?;
            put_inside(tensor, named);
            moved.tensors += 1;
        }
        if moved.tensors == 0 {
            return Err(MoveError::NoExternals.into());
        }
        self.segments[segment as usize].data = Data::Joined(parts);
        if let Some(buffers) = self.root.tables_mut("constant_buffer") {
            // Constants have one home; what was here is its placeholder.
            buffers.clear();
        }
        let mut home = TableTree::new(SubsegmentOffsets::TYPE).with("offsets", offsets);
        set_index(&mut home, "segment_index", segment);
        self.root.set("constant_segment", home)?;
        Ok(moved)
    }

    fn expect_program(&self) -> Result<(), MoveError> {
        if self.kind == Kind::Pte { Ok(()) } else { Err(MoveError::NotAProgram) }
    }

    /// The bytes of a constant.
    fn constant(&self, index: u32, len: u64) -> Option<Data> {
        if let Some(home) = self.root.at("constant_segment") {
            let offsets = offsets_of(home);
            if offsets.len() > 1 {
                let segment = self.segments.get(number(home, "segment_index") as usize)?;
                return Some(segment.data.slice(Span::new(*offsets.get(index as usize)?, len)));
            }
        }
        let storage = tables(&self.root, "constant_buffer").get(index as usize)?.get("storage")?.as_bytes()?;
        Some(Data::Bytes(storage.get(..usize::try_from(len).ok()?)?.to_vec()))
    }

    /// Leaves the placeholder of the constants, and an empty segment, as the official writer does without constants.
    fn clear_constants(&mut self) -> Result<(), EditError> {
        if let Some(buffers) = self.root.tables_mut("constant_buffer") {
            buffers.truncate(1);
        }
        let Some(home) = self.root.table_mut("constant_segment") else { return Ok(()) };
        home.set("offsets", [0_u64])?;
        let segment = number(home, "segment_index");
        if self.times_referred_to(segment) == 1
            && let Some(segment) = self.segments.get_mut(segment as usize)
        {
            segment.data = Data::Bytes(Vec::new());
        }
        Ok(())
    }

    /// The segment that takes constants, a new one if need be, and the offsets of those in it.
    fn constant_home(&mut self) -> Result<(u32, Vec<u64>), EditError> {
        let (segment, offsets) = match self.root.at("constant_segment") {
            Some(home) => (Some(number(home, "segment_index")), offsets_of(home)),
            None => (None, Vec::new()),
        };
        if offsets.len() <= 1 && tables(&self.root, "constant_buffer").len() > 1 {
            return Err(MoveError::Inline.into());
        }
        let own = segment
            .filter(|segment| (*segment as usize) < self.segments.len() && self.times_referred_to(*segment) == 1);
        match own {
            Some(segment) if offsets.is_empty() => Ok((segment, vec![0])),
            Some(segment) => Ok((segment, offsets)),
            None if offsets.len() > 1 => Err(MoveError::SharedSegment.into()),
            None => {
                let segment = u32::try_from(self.segments.len()).map_err(|_| WriteError::TooLarge)?;
                self.push_segment(Data::Bytes(Vec::new()), 1);
                Ok((segment, vec![0]))
            }
        }
    }
}

/// Where the tensors of a program are, in the file's order.
fn tensors(root: &TableTree) -> Vec<String> {
    let mut paths = Vec::new();
    for (plan_index, plan) in tables(root, "execution_plan").iter().enumerate() {
        for (index, value) in tables(plan, "values").iter().enumerate() {
            if value.at("val").is_some_and(|table| table.ty().name == Tensor::TYPE.name) {
                paths.push(format!("execution_plan[{plan_index}].values[{index}].val"));
            }
        }
    }
    paths
}

fn is_external(tensor: &TableTree) -> bool {
    let location = tensor.at("extra_tensor_info").map_or(0, |extra| number(extra, "location"));
    location == u32::from(TensorDataLocation::EXTERNAL.0.cast_unsigned())
}

fn is_constant(tensor: &TableTree) -> bool {
    number(tensor, "data_buffer_idx") > 0 && tensor.get("allocation_info").is_none() && !is_external(tensor)
}

fn is_external_constant(tensor: &TableTree) -> bool {
    tensor.get("allocation_info").is_none() && is_external(tensor)
}

fn key_of(tensor: &TableTree) -> Option<&[u8]> {
    tensor.at("extra_tensor_info")?.get("fully_qualified_name")?.as_bytes()
}

/// How many bytes a tensor, or a tensor's layout, takes.
fn bytes_of(tensor: &TableTree) -> Result<u64, MoveError> {
    let scalar_type = tensor.get("scalar_type").and_then(Value::as_int).and_then(|byte| i8::try_from(byte).ok());
    let sizes = tensor.get("sizes").and_then(Value::as_bytes).unwrap_or_default();
    let sizes = sizes.as_chunks::<4>().0.iter().map(|size| i32::from_le_bytes(*size));
    nbytes_of(ScalarType(scalar_type.unwrap_or(0)), sizes).map_err(MoveError::Uncountable)
}

/// What a tensor is, in the words of a data file.
fn layout_of(tensor: &TableTree) -> Result<TableTree, EditError> {
    let mut layout = TableTree::new(TensorLayout::TYPE);
    for field in ["scalar_type", "sizes", "dim_order"] {
        if let Some(value) = tensor.get(field) {
            layout.set(field, value.clone())?;
        }
    }
    Ok(layout)
}

fn offsets_of(home: &TableTree) -> Vec<u64> {
    let bytes = home.get("offsets").and_then(Value::as_bytes).unwrap_or_default();
    bytes.as_chunks::<8>().0.iter().map(|offset| u64::from_le_bytes(*offset)).collect()
}

/// Says in a tensor that its bytes are in a data file.
fn put_external(tensor: &mut TableTree, name: &[u8]) -> Result<(), EditError> {
    if tensor.table_mut("extra_tensor_info").is_none() {
        tensor.set("extra_tensor_info", TableTree::new(ExtraTensorInfo::TYPE))?;
    }
    if let Some(extra) = tensor.table_mut("extra_tensor_info") {
        extra.set("fully_qualified_name", name)?;
        extra.set("location", TensorDataLocation::EXTERNAL)?;
    }
    tensor.remove("data_buffer_idx");
    Ok(())
}

/// Says in a tensor that its bytes are in the program, and takes its name unless it is `named`.
fn put_inside(tensor: &mut TableTree, named: bool) {
    let Some(extra) = tensor.table_mut("extra_tensor_info") else { return };
    extra.remove("location");
    if !named {
        extra.remove("fully_qualified_name");
    }
    extra.elide_defaults();
    if extra.fields().len() == 0 {
        tensor.remove("extra_tensor_info");
    }
}

/// The names of the tensors that are not in data files, with where their methods are.
fn inside_names(root: &TableTree) -> BTreeSet<(String, Vec<u8>)> {
    let named = tensors(root).into_iter().filter_map(|path| {
        let key = key_of(root.at(&path).filter(|tensor| !is_external(tensor))?)?;
        Some((plan_of(&path).to_owned(), key.to_vec()))
    });
    named.collect()
}

/// The part of a tensor's path that is its method's.
fn plan_of(path: &str) -> &str {
    path.split('.').next().unwrap_or(path)
}

/// The keys that constants get.
struct Names {
    /// Those that are something else.
    taken: BTreeSet<Vec<u8>>,
    /// Constant, bytes and layout behind each.
    given: BTreeMap<Vec<u8>, (u32, u64, TableTree)>,
}

/// A constant's key.
enum Name {
    /// It has an entry.
    Known(Vec<u8>),
    New(Vec<u8>),
}

impl Name {
    fn bytes(&self) -> &[u8] {
        let (Name::Known(bytes) | Name::New(bytes)) = self;
        bytes
    }
}

impl Names {
    fn of(root: &TableTree) -> Self {
        let named = tables(root, "named_data").iter().filter_map(|entry| entry.get("key")?.as_bytes());
        let paths = tensors(root);
        let external = paths.iter().filter_map(|path| key_of(root.at(path).filter(|tensor| is_external(tensor))?));
        Self { taken: named.chain(external).map(<[u8]>::to_vec).collect(), given: BTreeMap::new() }
    }

    fn name(&mut self, tensor: &TableTree, index: u32, len: u64, layout: &TableTree) -> Name {
        let own = key_of(tensor).filter(|name| !name.is_empty());
        let first = own.map_or_else(|| format!("constant.{index}").into_bytes(), <[u8]>::to_vec);
        let mut name = first.clone();
        for count in 1_u64.. {
            match self.given.get(&name) {
                Some(known) if (known.0, known.1, &known.2) == (index, len, layout) => return Name::Known(name),
                None if !self.taken.contains(&name) => break,
                _ => name = [&first[..], format!(".{count}").as_bytes()].concat(),
            }
        }
        self.given.insert(name.clone(), (index, len, layout.clone()));
        Name::New(name)
    }
}

/// The tensors of data files: file, segment, and offset in it, by name.
struct Found(BTreeMap<Vec<u8>, (usize, u32, u64)>);

impl Found {
    fn of(data: &[Document]) -> Result<Self, MoveError> {
        let mut found = BTreeMap::new();
        for (file, document) in data.iter().enumerate() {
            let (list, name) = match document.kind {
                Kind::Ptd => ("named_data", "key"),
                Kind::PtdLegacy => ("tensors", "fully_qualified_name"),
                _ => return Err(MoveError::NotData),
            };
            for entry in tables(&document.root, list) {
                let Some(key) = entry.get(name).and_then(Value::as_bytes) else { continue };
                let offset = entry.get("offset").and_then(Value::as_int);
                let offset = offset.and_then(|offset| u64::try_from(offset).ok()).unwrap_or(0);
                // Of equal names, readers find the first.
                found.entry(key.to_vec()).or_insert((file, number(entry, "segment_index"), offset));
            }
        }
        Ok(Self(found))
    }
}
