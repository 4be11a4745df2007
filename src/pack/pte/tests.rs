use std::format;
use std::string::{String, ToString};

use proptest::collection::vec as vec_of;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::*;
use crate::ScalarType;
use crate::flatbuffer::Table;
use crate::flatbuffer::tree::random::tree;
use crate::pte::Pte;
use crate::pte::builder::TensorBuilder;
use crate::pte::schema::{
    AllocationDetails, BackendDelegate, Buffer, Chain, ContainerMetadata, EValue, ExecutionPlan, Tensor,
};
use crate::pte::{HeaderKind, write};
use crate::real_files::{is_older, real_files};
use crate::write::SegmentData;

/// The tree before packing, and its data.
struct Parts {
    tree: TableTree,
    constants: Vec<Vec<u8>>,
    mutable: Vec<Vec<u8>>,
    delegates: Vec<Vec<u8>>,
    named: Option<Vec<(String, Vec<u8>)>>,
}

impl Parts {
    fn of(file: &[u8]) -> Self {
        let open = Pte::open(file).unwrap();
        let segment = |index: u32| open.segment_bytes(index).unwrap();
        let entries = |subsegments: SubsegmentOffsets<'_>| {
            let bytes = segment(subsegments.segment_index().unwrap());
            let offsets: Vec<_> =
                subsegments.offsets().unwrap().unwrap().iter().map(|at| usize::try_from(at).unwrap()).collect();
            let end = |index: usize| offsets.get(index + 1).copied().unwrap_or(bytes.len());
            (1..offsets.len()).map(|index| bytes[offsets[index]..end(index)].to_vec()).collect::<Vec<_>>()
        };
        let program = open.program();
        let constants = program.constant_segment().unwrap().map(entries).unwrap_or_default();
        let mutable = program.mutable_data_segments().unwrap();
        let mutable = mutable.map(|homes| entries(homes.get(0).unwrap().unwrap())).unwrap_or_default();
        let named = program.named_data().unwrap().map(|named| {
            let entry = |entry: NamedData<'_>| {
                let key = entry.key().unwrap().unwrap().to_str().unwrap().to_string();
                (key, segment(entry.segment_index().unwrap()).to_vec())
            };
            named.iter().map(|named| entry(named.unwrap())).collect()
        });
        let mut tree = TableTree::read(Table::root(open.region()).unwrap(), Program::TYPE).unwrap();
        let mut delegates = Vec::new();
        for plan in tree.tables_mut("execution_plan").unwrap() {
            for delegate in plan.tables_mut("delegates").into_iter().flatten() {
                let index = delegate.at("processed").unwrap().get("index").unwrap().as_int().unwrap();
                delegates.push(segment(u32::try_from(index).unwrap()).to_vec());
                delegate.set("processed", reference(delegates.len() - 1)).unwrap();
            }
        }
        for made in ["segments", "constant_segment", "mutable_data_segments", "named_data"] {
            tree.remove(made);
        }
        let tree = with_placeholder(tree);
        Self { tree, constants, mutable, delegates, named }
    }

    fn data(&self) -> ProgramData<'_> {
        let named_data = self.named.as_ref().map(|named| {
            let mut store = NamedDataStore::new();
            for (key, bytes) in named {
                store.add(key, bytes, 1, None).unwrap();
            }
            store
        });
        ProgramData {
            constants: slices(&self.constants),
            mutable: slices(&self.mutable),
            delegates: slices(&self.delegates),
            named_data,
        }
    }
}

fn slices(bytes: &[Vec<u8>]) -> Vec<&[u8]> {
    bytes.iter().map(Vec::as_slice).collect()
}

fn reference(index: usize) -> TableTree {
    TableTree::new(BackendDelegateDataReference::TYPE).with("index", index).without_defaults()
}

#[test]
fn packs_real_files_to_equal_bytes() {
    let mut headers = Vec::new();
    for (name, bytes) in real_files().into_iter().filter(|(name, _)| name.ends_with(".pte") && !is_older(name)) {
        let parts = Parts::of(&bytes);
        let segment_alignment = if name == "align4096.pte" { 4096 } else { 128 };
        let layout = ProgramLayout { segment_alignment, ..ProgramLayout::default() };
        let options = PackOptions { layout, ..PackOptions::default() };
        let packed = pack(&parts.tree, parts.data(), &options).unwrap().to_bytes().unwrap();
        assert!(packed == bytes, "{name} came back different");
        headers.push(Pte::open(&bytes).unwrap().header().is_some());
    }
    // Files without data have no header.
    assert_eq!([true, false].map(|with| headers.iter().filter(|header| **header == with).count()), [6, 4]);
}

fn method(name: &str, values: Vec<TableTree>, delegates: Vec<TableTree>) -> TableTree {
    let value = |value: TableTree| TableTree::new(EValue::TYPE).with("val", value);
    let chain = TableTree::new(Chain::TYPE).with("instructions", Vec::<TableTree>::new());
    TableTree::new(ExecutionPlan::TYPE)
        .with("name", name)
        .with("container_meta_type", TableTree::new(ContainerMetadata::TYPE))
        .with("values", values.into_iter().map(value).collect::<Vec<_>>())
        .with("inputs", Vec::<i32>::new())
        .with("outputs", Vec::<i32>::new())
        .with("chains", [chain])
        .with("delegates", delegates)
        .with("non_const_buffer_sizes", [0, 1 << 20])
}

fn delegate(index: usize) -> TableTree {
    TableTree::new(BackendDelegate::TYPE).with("id", "Example").with("processed", reference(index))
}

fn program(delegates: &[usize]) -> TableTree {
    let delegates = delegates.iter().copied().map(delegate).collect();
    TableTree::new(Program::TYPE).with("execution_plan", [method("forward", Vec::new(), delegates)])
}

/// As from an exporter, the list of constants has only the placeholder.
fn with_placeholder(tree: TableTree) -> TableTree {
    tree.with("constant_buffer", [TableTree::new(Buffer::TYPE).with("storage", Vec::<u8>::new())])
}

/// Some readers reject a `constant_segment` without offsets.
#[test]
fn always_writes_a_constant_segment() {
    let offsets = |tree: &TableTree, constants: Vec<&[u8]>| {
        let data = ProgramData { constants, mutable: vec![b"value"], ..ProgramData::default() };
        let packed = pack(tree, data, &PackOptions::default()).unwrap();
        let lengths: Vec<_> = packed.layout().places().iter().map(|place| place.len).collect();
        let file = packed.to_bytes().unwrap();
        let program = Pte::open(&file).unwrap().program();
        let constants = program.constant_segment().unwrap().unwrap().offsets().unwrap().unwrap();
        let mutable = program.mutable_data_segments().unwrap().unwrap().get(0).unwrap().unwrap();
        assert_eq!(mutable.segment_index().unwrap() as usize, lengths.len() - 1);
        assert_eq!(crate::write::tests::broken(&file), Vec::<String>::new());
        (constants.iter().collect::<Vec<_>>(), lengths)
    };
    let (empty, started) = (program(&[]), with_placeholder(program(&[])));
    let without = empty.clone().with("constant_buffer", Vec::<TableTree>::new());
    for tree in [&empty, &without, &started] {
        assert_eq!(offsets(tree, vec![]), (vec![0], vec![0, 5]));
    }
    for tree in [&empty, &started] {
        assert_eq!(offsets(tree, vec![b"abc"]), (vec![0, 0], vec![3, 5]));
    }
}

#[test]
fn pads_constants_but_not_initial_values() {
    let tree = program(&[]);
    let entries = || -> Vec<&[u8]> { vec![b"abcde", b"", &[9; 17]] };
    let data = ProgramData { constants: entries(), mutable: entries(), ..ProgramData::default() };
    let packed = pack(&tree, data, &PackOptions::default()).unwrap();
    let offsets = |path: &str| packed.root().at(path).unwrap().get("offsets").unwrap().as_bytes().unwrap().to_vec();
    let words = |words: [u64; 4]| words.map(u64::to_le_bytes).concat();
    assert_eq!(offsets("constant_segment"), words([0, 0, 16, 16]));
    assert_eq!(offsets("mutable_data_segments[0]"), words([0, 0, 5, 5]));
    let lengths: Vec<_> = packed.layout().places().iter().map(|place| (place.offset, place.len)).collect();
    assert_eq!(lengths, [(0, 33), (128, 22)]);
    let file = packed.to_bytes().unwrap();
    assert_eq!(Pte::open(&file).unwrap().segment_bytes(0).unwrap()[..16], *b"abcde\0\0\0\0\0\0\0\0\0\0\0");
}

/// The tree from an exporter contains such blobs.
#[test]
fn moves_blobs_of_the_tree_to_segments() {
    let buffer = |bytes: &[u8]| TableTree::new(Buffer::TYPE).with("storage", bytes);
    let blob = |bytes: &[u8]| inline_data(bytes);
    let tree = program(&[1, 0])
        .with("constant_buffer", [TableTree::new(Buffer::TYPE), buffer(b"one"), buffer(b"two")])
        .with("backend_delegate_data", [blob(b"first"), blob(b"second")]);
    let packed = pack(&tree, ProgramData::default(), &PackOptions::default()).unwrap().to_bytes().unwrap();
    let plain = program(&[1, 0]);
    let constants: Vec<&[u8]> = vec![b"one", b"two"];
    let data =
        |delegates: Vec<&'static [u8]>| ProgramData { constants: Vec::new(), delegates, ..ProgramData::default() };
    let delegates = || -> Vec<&'static [u8]> { vec![b"first", b"second"] };
    let again = pack(&plain, ProgramData { constants, ..data(delegates()) }, &PackOptions::default()).unwrap();
    assert_eq!(packed, again.to_bytes().unwrap());
    let both = pack(&tree, data(delegates()), &PackOptions::default()).unwrap_err();
    assert_eq!((both.cause, both.path()), (WriteCause::Tree, "backend_delegate_data"));
}

fn offsets(segment_index: u32) -> TableTree {
    let empty = Vec::<u64>::new();
    let table = TableTree::new(SubsegmentOffsets::TYPE).with("segment_index", segment_index).with("offsets", empty);
    table.without_defaults()
}

/// The tree from an exporter contains such lists.
#[test]
fn fills_empty_lists_of_the_tree() {
    let plain = program(&[]);
    let none = Vec::<TableTree>::new;
    let lists = plain.clone().with("segments", none()).with("constant_segment", offsets(0)).with("named_data", none());
    let pack = |tree: &TableTree| {
        let mut store = NamedDataStore::new();
        store.add("key", b"blob", 1, None).unwrap();
        let list = || vec![&b"four"[..]];
        let data =
            ProgramData { constants: list(), mutable: list(), named_data: Some(store), ..ProgramData::default() };
        super::pack(tree, data, &PackOptions::default()).unwrap().to_bytes().unwrap()
    };
    assert_eq!(pack(&lists.clone().with("mutable_data_segments", none())), pack(&plain));
    let packed = super::pack(&lists, ProgramData::default(), &PackOptions::default()).unwrap();
    assert_eq!(packed.root().get("named_data").unwrap().as_tables(), Some(&[][..]));
}

fn processed(packed: &PackedFile<'_>, count: usize) -> Vec<(i128, i128)> {
    let of = |index| {
        let processed = packed.root().at(&format!("execution_plan[0].delegates[{index}].processed")).unwrap();
        (processed.int("location"), processed.int("index"))
    };
    (0..count).map(of).collect()
}

#[test]
fn shares_equal_delegate_blobs_and_keeps_empty_ones_inline() {
    let tree = with_placeholder(program(&[0, 1, 2, 3, 1, 0]));
    let blobs = || -> Vec<&[u8]> { vec![b"a", b"", b"b", b"a"] };
    let data = || ProgramData { delegates: blobs(), ..ProgramData::default() };
    let packed = pack(&tree, data(), &PackOptions::default()).unwrap();
    assert_eq!(processed(&packed, 6), [(1, 1), (0, 0), (1, 2), (1, 1), (0, 1), (1, 1)]);
    assert_eq!(packed.layout().places().len(), 3);
    let inline = PackOptions { inline_delegates: true, ..PackOptions::default() };
    let packed = pack(&tree, data(), &inline).unwrap();
    assert_eq!(processed(&packed, 6), [(0, 0), (0, 1), (0, 2), (0, 3), (0, 1), (0, 0)]);
    assert_eq!(packed.root().get("backend_delegate_data").unwrap().as_tables().unwrap().len(), 4);
    assert_eq!(packed.layout().places().len(), 1);
}

#[test]
fn aligns_blobs_relative_to_the_base() {
    let tree = program(&[]);
    let mut store = NamedDataStore::new();
    store.add("a", b"aaa", 48, None).unwrap();
    store.add("b", b"bbb", 4096, None).unwrap();
    store.add("c", b"aaa", 4096, None).unwrap();
    store.add("d", b"bbb", 1, None).unwrap();
    let data = ProgramData { constants: vec![b"x"], named_data: Some(store), ..ProgramData::default() };
    let packed = pack(&tree, data, &PackOptions::default()).unwrap();
    let offsets: Vec<_> = packed.layout().places().iter().map(|place| place.offset).collect();
    assert_eq!(offsets, [0, 384, 4096]);
    let file = packed.to_bytes().unwrap();
    let open = Pte::open(&file).unwrap();
    let found = |key: &str| open.find(key.as_bytes()).unwrap().unwrap().bytes().unwrap();
    assert_eq!(["a", "b", "c", "d"].map(found), [b"aaa", b"bbb", b"aaa", b"bbb"]);
    assert_eq!(file.len() as u64, open.header().unwrap().segment_base_offset + 4096 + 3);
}

/// The first delegate refers to segment 0.
fn placed(mut tree: TableTree) -> TableTree {
    tree.at_mut("execution_plan[0].delegates[0].processed").unwrap().set("location", "SEGMENT").unwrap();
    tree
}

/// The official writer checks blob indexes only when it moves blobs to segments.
#[test]
fn ignores_indexes_of_inline_blobs() {
    let inline = PackOptions { inline_delegates: true, ..PackOptions::default() };
    let data = || ProgramData { constants: vec![b"abcd"], delegates: vec![b"a", b"unused"], ..ProgramData::default() };
    let file = pack(&program(&[0]), data(), &inline).unwrap().to_bytes().unwrap();
    let open = Pte::open(&file).unwrap();
    let blobs = open.program().backend_delegate_data().unwrap().unwrap();
    assert_eq!(blobs.get(1).unwrap().unwrap().data().unwrap().unwrap().as_bytes(), b"unused");
    let tree = placed(program(&[0]));
    let packed = pack(&tree, data(), &inline).unwrap();
    assert_eq!(processed(&packed, 1), [(1, 0)]);
    let refused = pack(&program(&[2]), data(), &inline).unwrap_err();
    assert!(matches!(refused.cause, WriteCause::Rejected(_)), "{refused}");
}

#[test]
fn errors_name_the_field_to_change() {
    let fail = |tree: &TableTree, blobs: usize| {
        let data = ProgramData { delegates: vec![&[][..]; blobs], ..ProgramData::default() };
        let error = pack(tree, data, &PackOptions::default()).unwrap_err();
        (error.cause, error.path().to_string())
    };
    let tree = |path: &str| (WriteCause::Tree, path.to_string());
    let rejected = |rule, path: &str| (WriteCause::Rejected(rule), path.to_string());
    assert_eq!(fail(&program(&[0, 2]), 2), tree("execution_plan[0].delegates[1].processed"));
    assert_eq!(fail(&program(&[0]), 2), tree("backend_delegate_data[1]"));
    assert_eq!(fail(&placed(program(&[0])), 1), tree("execution_plan[0].delegates[0].processed"));
    let occupied = program(&[]).with("named_data", [TableTree::new(NamedData::TYPE).with("key", "k")]);
    assert_eq!(fail(&occupied, 0), tree("named_data"));
    for offsets in [TableTree::new(SubsegmentOffsets::TYPE).with("offsets", [0_u64]), offsets(1)] {
        assert_eq!(fail(&program(&[]).with("constant_segment", offsets), 0), tree("constant_segment"));
    }
    assert_eq!(fail(&program(&[]).with("versoin", 1), 0), tree("Program"));
    let layout = ProgramLayout { segment_alignment: 0, ..ProgramLayout::default() };
    let options = PackOptions { layout, ..PackOptions::default() };
    let error = pack(&program(&[]), ProgramData::default(), &options).unwrap_err();
    assert_eq!(error.cause, WriteCause::Layout);
    assert_eq!(fail(&TableTree::new(Program::TYPE), 0), rejected("plan-list-nonnull", "execution_plan"));
    let wide = TensorBuilder::contiguous(ScalarType::FLOAT, &[1; 257]);
    let wide = TableTree::new(Program::TYPE).with("execution_plan", [method("m", vec![wide.into()], Vec::new())]);
    assert_eq!(fail(&wide, 0).0, WriteCause::Rejected("t-rank-max"));
}

#[derive(Clone, Debug)]
struct Model {
    constants: Vec<Vec<u8>>,
    mutable: Vec<Vec<u8>>,
    blobs: Vec<Vec<u8>>,
    /// The blobs of additional delegates, as indexes into `blobs`. Each blob also has a delegate of its own.
    delegates: Vec<Index>,
    named: Vec<(Vec<u8>, u64)>,
    options: PackOptions,
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    // There are only a few different lengths and byte values, so some blobs are equal.
    let len = select(vec![0_usize, 1, 5, 16, 100]);
    (len, 1_u8..3).prop_map(|(len, byte)| vec![byte; len])
}

fn models() -> impl Strategy<Value = Model> {
    let list = || vec_of(bytes(), 0..5);
    let named = vec_of((bytes(), select(vec![1_u64, 3, 16, 48, 4096])), 0..5);
    let inner = || select(vec![16_usize, 32, 256]);
    let header = select(vec![
        HeaderKind::IfNeeded(32),
        HeaderKind::IfNeeded(24),
        HeaderKind::Always(24),
        HeaderKind::Always(32),
        HeaderKind::Always(40),
    ]);
    let layout = (header, select(vec![16_u64, 48, 128, 4096, 65536]), inner(), inner());
    let options = (layout, any::<bool>()).prop_map(|(layout, inline_delegates)| {
        let (header, segment_alignment, constant_alignment, delegate_alignment) = layout;
        let layout = ProgramLayout {
            header,
            segment_alignment,
            constant_alignment,
            delegate_alignment,
            ..ProgramLayout::default()
        };
        PackOptions { layout, inline_delegates }
    });
    // If all initial values are empty, the official writer omits their list, although tensors refer to it.
    let mutable = list().prop_filter("no byte", |list| list.is_empty() || list.iter().any(|bytes| !bytes.is_empty()));
    let parts = (list(), mutable, list(), vec_of(any::<Index>(), 0..4), named, options);
    parts.prop_map(|(constants, mutable, blobs, delegates, named, options)| Model {
        constants,
        mutable,
        blobs,
        delegates,
        named,
        options,
    })
}

impl Model {
    /// The blob of each delegate.
    fn delegates(&self) -> Vec<usize> {
        let more = self.delegates.iter().filter(|_| !self.blobs.is_empty()).map(|index| index.index(self.blobs.len()));
        (0..self.blobs.len()).chain(more).collect()
    }

    /// One tensor for each constant and each initial value.
    fn tree(&self) -> TableTree {
        let tensor = |(index, bytes): (usize, &Vec<u8>)| {
            TableTree::new(Tensor::TYPE)
                .with("scalar_type", "BYTE")
                .with("sizes", [i32::try_from(bytes.len()).unwrap()])
                .with("dim_order", [0])
                .with("data_buffer_idx", index + 1)
        };
        let place = || TableTree::new(AllocationDetails::TYPE).with("memory_id", 1);
        let mut values: Vec<_> = self.constants.iter().enumerate().map(tensor).collect();
        values
            .extend(self.mutable.iter().enumerate().map(tensor).map(|tensor| tensor.with("allocation_info", place())));
        let delegates = self.delegates().into_iter().map(delegate).collect();
        TableTree::new(Program::TYPE).with("execution_plan", [method("forward", values, delegates)])
    }

    /// Blobs with keys come last. Equal blobs appear only once.
    fn alignments(&self, segments: usize) -> Vec<u64> {
        let first = |index: &usize| self.named[..*index].iter().all(|(bytes, _)| *bytes != self.named[*index].0);
        let named: Vec<_> = (0..self.named.len()).filter(first).map(|index| self.named[index].1).collect();
        [vec![1; segments - named.len()], named].concat()
    }

    fn data(&self) -> ProgramData<'_> {
        let mut store = NamedDataStore::new();
        for (index, (bytes, alignment)) in self.named.iter().enumerate() {
            store.add(&format!("key {index}"), bytes, *alignment, None).unwrap();
        }
        ProgramData {
            constants: slices(&self.constants),
            mutable: slices(&self.mutable),
            delegates: slices(&self.blobs),
            named_data: Some(store),
        }
    }
}

proptest! {

    #[test]
    fn any_tree_is_packed_or_rejected(tree in tree(Program::TYPE), len in 0..300_usize) {
        let zeros = vec![0; len];
        let constants = vec![&zeros[..]];
        if let Ok(packed) = pack(&tree, ProgramData { constants, ..ProgramData::default() }, &PackOptions::default()) {
            prop_assert!(packed.to_bytes().is_ok());
        }
    }

    #[test]
    fn packed_files_pass_the_check_and_survive_a_round_trip(model in models()) {
        let tree = model.tree();
        let packed = pack(&tree, model.data(), &model.options).unwrap();
        let (root_tree, places) = (packed.root().clone(), packed.layout().places().to_vec());
        let file = packed.to_bytes().unwrap();
        prop_assert_eq!(crate::write::tests::broken(&file), Vec::<String>::new());

        let open = Pte::open(&file).unwrap();
        let read = TableTree::read(Table::root(open.region()).unwrap(), Program::TYPE).unwrap().without("segments");
        prop_assert_eq!(&read, &root_tree);
        let segments: Vec<_> = (0..).zip(model.alignments(places.len())).map(|(index, alignment)| SegmentData {
            bytes: open.segment_bytes(index).unwrap(),
            alignment,
        }).collect();
        prop_assert_eq!(&write(&read, &segments, &model.options.layout).unwrap(), &file);
        let method = open.methods().next().unwrap().unwrap();
        for (tensor, bytes) in method.tensors().zip(model.constants.iter().chain(&model.mutable)) {
            prop_assert_eq!(open.tensor_bytes(tensor.unwrap().1).unwrap().unwrap(), bytes);
        }
        let inline = open.program().backend_delegate_data().unwrap().unwrap();
        for (delegate, blob) in method.delegates().zip(model.delegates()) {
            let processed = delegate.unwrap().processed().unwrap().unwrap();
            let index = processed.index().unwrap();
            let found = match processed.location().unwrap() {
                DataLocation::SEGMENT => open.segment_bytes(index).unwrap(),
                _ => inline.get(index as usize).unwrap().unwrap().data().unwrap().unwrap().as_bytes(),
            };
            prop_assert_eq!(found, &model.blobs[blob]);
        }
        for (index, (bytes, _)) in model.named.iter().enumerate() {
            let entry = open.find(format!("key {index}").as_bytes()).unwrap().unwrap();
            prop_assert_eq!(entry.bytes().unwrap(), &bytes[..]);
        }
    }
}
