//! The files that are measured.

use std::fs;
use std::path::{Path, PathBuf};

use torchproof::ScalarType;
use torchproof::flatbuffer::schema::TableView;
use torchproof::ptd::{self, Ptd};
use torchproof::pte::{self, Pte};
use torchproof_oracle::{Schema, build};

use crate::executorch::Aligned;
use crate::pass::structure;

/// A file with what is known of it.
pub(crate) struct File {
    pub(crate) name: String,
    pub(crate) bytes: Aligned,
    pub(crate) schema: Schema,
    /// Where its FlatBuffer ends.
    pub(crate) end: usize,
    pub(crate) tables: u64,
}

impl File {
    fn new(name: String, bytes: &[u8]) -> Self {
        let (schema, end, tables) = match Pte::open(bytes) {
            Ok(file) => (Schema::Program, file.region().len(), tables::<pte::schema::Program<'_>>(file.region())),
            Err(_) => {
                let file = Ptd::open(bytes).expect("an input opens");
                match file.layout() {
                    ptd::Layout::Current(_) => {
                        (Schema::FlatTensor, file.region().len(), tables::<ptd::schema::FlatTensor<'_>>(file.region()))
                    }
                    ptd::Layout::Older(_) => (
                        Schema::LegacyFlatTensor,
                        file.region().len(),
                        tables::<ptd::older_schema::OlderFlatTensor<'_>>(file.region()),
                    ),
                }
            }
        };
        Self { name, bytes: Aligned::new(bytes), schema, end, tables }
    }

    pub(crate) fn region(&self) -> &[u8] {
        &self.bytes.bytes()[..self.end]
    }
}

fn tables<'a, T: TableView<'a>>(region: &'a [u8]) -> u64 {
    structure::<T>(region).expect("an input is sound") as u64
}

/// A program of so many tables, about: three for a planned tensor, two for a kernel's call.
pub(crate) fn program(tables: usize) -> File {
    File::new(format!("pte, {tables} tables"), &build::program(tables / 5, tables / 5))
}

/// A data file of so many tables, about, which has three for a tensor.
pub(crate) fn data(tables: usize) -> File {
    File::new(format!("ptd, {tables} tables"), &build::flat_tensor((tables / 3).max(1)))
}

/// A data file of so many tensors.
pub(crate) fn tensors(count: usize) -> File {
    File::new(format!("ptd, {count} tensors"), &build::flat_tensor(count))
}

/// Tensors like those of [`tensors`], as safetensors.
pub(crate) fn safetensors(count: usize) -> Vec<u8> {
    let data = [0_u8; 64];
    let view = || safetensors::tensor::TensorView::new(safetensors::Dtype::F32, vec![4, 4], &data).expect("64 bytes");
    let tensors: Vec<(String, _)> = (0..count).map(|index| (format!("tensor.{index}"), view())).collect();
    safetensors::serialize(tensors, None).expect("serializable")
}

/// A program like that of a small vision model: 78 KB of tables and 14 MB of weights in one segment.
pub(crate) fn mobilenet() -> File {
    use pte::model::{ContainerMetadata, ExecutionPlan, KernelCall, Operator, Program, SubsegmentOffsets, Tensor};
    use pte::write::{FileLayout, SegmentData};
    const LAYERS: usize = 53;
    const WEIGHTS: usize = 14_000_000 / LAYERS / 64 * 64;
    let mut plan =
        ExecutionPlan { container_meta_type: Some(ContainerMetadata::default()), ..ExecutionPlan::new("forward") };
    let memory = plan.push_buffer(i64::from(u32::MAX));
    let operators: Vec<i32> = ["convolution", "clamp", "_native_batch_norm_legit_no_training", "add"]
        .map(|name| plan.push_operator(Operator::new(format!("aten::{name}"), "out")))
        .to_vec();
    let mut calls = Vec::new();
    let mut starts = vec![0];
    let size = i32::try_from(WEIGHTS / 4).expect("small");
    for layer in 0..LAYERS {
        let weight = Tensor::contiguous(ScalarType::FLOAT, &[size]).constant(u32::try_from(layer + 1).expect("few"));
        let weight = plan.push_value(weight);
        starts.push((layer * WEIGHTS) as u64);
        for operator in &operators {
            let activation = Tensor::contiguous(ScalarType::FLOAT, &[1, 96, 56, 56]);
            let out = plan.push_value(activation.planned(memory, (layer * 4096) as u64));
            let scalars = [1, 2, 3].map(|number| plan.push_value(pte::model::Int { int_val: number }));
            calls.push(KernelCall::new(*operator, [weight, scalars[0], scalars[1], scalars[2], out, out]).into());
        }
    }
    plan.chains = Some(vec![pte::model::Chain::new(calls)]);
    let (first, last) = (1, i32::try_from(plan.values.as_ref().map_or(0, Vec::len) - 4).expect("few"));
    let program = Program {
        constant_buffer: None,
        backend_delegate_data: None,
        constant_segment: Some(SubsegmentOffsets { segment_index: 0, offsets: Some(starts) }),
        ..Program::new([plan.with_io([first], [last])])
    };
    let weights = vec![0; WEIGHTS * LAYERS];
    let bytes = program.write(&[SegmentData::new(&weights)], &FileLayout::default()).expect("a valid model");
    File::new("like mobilenet".to_owned(), &bytes)
}

/// The files of exporters, programs before data files.
pub(crate) fn real() -> Vec<File> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/real");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the corpus is there")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "pte" || extension == "ptd"))
        .collect();
    paths.sort_by_key(|path| (path.extension() == Some("ptd".as_ref()), path.clone()));
    let name = |path: &Path| path.file_name().expect("a file").to_string_lossy().into_owned();
    paths.iter().map(|path| File::new(name(path), &fs::read(path).expect("readable"))).collect()
}

/// Writes a data file of three tensors whose segments have so many bytes together, all but the tables a hole.
pub(crate) fn sparse(folder: &Path, name: &str, bytes: u64) -> PathBuf {
    use ptd::model::{FlatTensor, NamedData};
    let shapes = [torchproof::write::Shape::new(bytes / 3); 3];
    let entries: Vec<NamedData> = (0..3).map(|index| NamedData::blob(format!("blob.{index}"), index)).collect();
    let plan = FlatTensor::new(entries).plan(&shapes, &ptd::write::FileLayout::CURRENT).expect("a valid file");
    let path = folder.join(name);
    fs::write(&path, plan.head()).expect("a small file is written");
    fs::File::options().write(true).open(&path).and_then(|file| file.set_len(plan.len())).expect("holes are free");
    path
}
