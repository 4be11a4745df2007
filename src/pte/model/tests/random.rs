//! Valid programs for property tests, made with the constructors from random parts.

use std::vec::Vec;
use std::{format, vec};

use proptest::prelude::*;
use proptest::sample::{Index, select};
use torchproof::ScalarType;
use torchproof::pte::model::*;
use torchproof::pte::schema::{DeviceType, TensorShapeDynamism};
use torchproof::pte::write::{FileLayout, HeaderKind};

/// The name of the external tensor in each method, which is two floats.
pub(super) const EXTERNAL: &str = "external.weight";

/// A program, its segments, and where they go.
#[derive(Clone, Debug)]
pub(super) struct Valid {
    pub(super) program: Program,
    pub(super) segments: Vec<Vec<u8>>,
    pub(super) layout: FileLayout,
}

/// The type and the sizes of a tensor.
#[derive(Clone, Debug)]
struct Dense(ScalarType, Vec<i32>);

impl Dense {
    fn bytes(&self) -> usize {
        let elements: i32 = self.1.iter().product();
        usize::try_from(elements).unwrap() * usize::try_from(self.0.element_size().unwrap()).unwrap()
    }

    fn tensor(&self) -> Tensor {
        Tensor::contiguous(self.0, &self.1)
    }
}

/// What a method has beside the program's constants and state.
#[derive(Clone, Debug)]
struct Method {
    planned: Vec<Dense>,
    scalars: Vec<EValue>,
    lists: Vec<(u8, Vec<Index>)>,
    calls: Vec<(u8, Vec<Index>)>,
    /// Each inline or in a segment.
    delegates: Vec<(bool, Vec<u8>)>,
    device: bool,
}

/// A tensor whose every size is from `least` on.
fn dense(least: i32) -> impl Strategy<Value = Dense> {
    let types: Vec<_> = ScalarType::TYPE.values.iter().map(|(_, number)| ScalarType(*number)).collect();
    (select(types), prop::collection::vec(least..4, 0..4)).prop_map(|(scalar_type, sizes)| Dense(scalar_type, sizes))
}

fn method() -> impl Strategy<Value = Method> {
    let scalar = prop_oneof![
        any::<i64>().prop_map(EValue::from),
        any::<bool>().prop_map(EValue::from),
        any::<f64>().prop_map(EValue::from),
        ".{0,8}".prop_map(EValue::from),
        Just(EValue::NULL),
    ];
    let picks = |kinds| prop::collection::vec((0_u8..kinds, prop::collection::vec(any::<Index>(), 0..5)), 0..6);
    let blob = prop::collection::vec(any::<u8>(), 1..40);
    (
        prop::collection::vec(dense(0), 2..6),
        prop::collection::vec(scalar, 0..8),
        picks(5),
        picks(5),
        prop::collection::vec((any::<bool>(), blob), 0..3),
        any::<bool>(),
    )
        .prop_map(|(planned, scalars, lists, calls, delegates, device)| Method {
            planned,
            scalars,
            lists,
            calls,
            delegates,
            device,
        })
}

fn layout() -> impl Strategy<Value = FileLayout> {
    let header = prop_oneof![
        Just(HeaderKind::IfNeeded(32)),
        (32_u32..80).prop_map(HeaderKind::Always),
        Just(HeaderKind::IfNeeded(24)),
    ];
    (header, 4_u32..17, 4_u32..10, 4_u32..10).prop_map(|(header, segment, constant, delegate)| FileLayout {
        header,
        segment_alignment: 1 << segment,
        constant_alignment: 1 << constant,
        delegate_alignment: 1 << delegate,
    })
}

pub(super) fn valid() -> impl Strategy<Value = Valid> {
    (
        prop::collection::vec(dense(0), 0..4),
        // An initial value makes the file have a header, so there has to be segment data.
        prop::collection::vec(dense(1), 0..3),
        prop::collection::vec(method(), 1..3),
        prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..3),
        layout(),
    )
        .prop_map(|(constants, states, methods, blobs, layout)| make(&constants, &states, methods, blobs, layout))
}

/// The bytes of tensors one behind the other, and where each begins.
fn pack(tensors: &[Dense], alignment: usize) -> (Vec<u64>, Vec<u8>) {
    let mut bytes = Vec::new();
    let starts = tensors.iter().map(|tensor| {
        bytes.resize(bytes.len().next_multiple_of(alignment), 0);
        let start = bytes.len();
        bytes.resize(start + tensor.bytes(), 0x5A);
        start as u64
    });
    (starts.collect(), bytes)
}

fn make(constants: &[Dense], states: &[Dense], methods: Vec<Method>, blobs: Vec<Vec<u8>>, layout: FileLayout) -> Valid {
    let (starts, bytes) = pack(constants, 16);
    let mut segments = vec![bytes];
    let mut program = Program::new([]);
    program.constant_segment = Some(SubsegmentOffsets::of_constants(0, &starts));
    if !states.is_empty() {
        let (starts, bytes) = pack(states, 1);
        let segment = u32::try_from(segments.len()).unwrap();
        program.mutable_data_segments = Some(vec![SubsegmentOffsets::of_constants(segment, &starts)]);
        segments.push(bytes);
    }
    for (index, method) in methods.into_iter().enumerate() {
        let plan = make_plan(&format!("method_{index}"), constants, states, method, &mut program, &mut segments);
        program.execution_plan.as_mut().unwrap().push(plan);
    }
    for (index, blob) in blobs.into_iter().enumerate() {
        let segment = u32::try_from(segments.len()).unwrap();
        program.named_data.get_or_insert_default().push(NamedData::new(format!("key_{index}"), segment));
        segments.push(blob);
    }
    Valid { program, segments, layout }
}

fn make_plan(
    name: &str,
    constants: &[Dense],
    states: &[Dense],
    method: Method,
    program: &mut Program,
    segments: &mut Vec<Vec<u8>>,
) -> ExecutionPlan {
    let mut plan = ExecutionPlan::new(name);
    let mut end = 0;
    let mut place = |tensor: &Dense| {
        let at = end;
        end += (tensor.bytes() as u64).next_multiple_of(16);
        at
    };
    let mut tensors = Vec::new();
    for (tensor, index) in constants.iter().zip(1..) {
        tensors.push(plan.push_value(tensor.tensor().constant(index)));
    }
    for (tensor, index) in states.iter().zip(1..) {
        tensors.push(plan.push_value(tensor.tensor().constant(index).planned(1, place(tensor))));
    }
    tensors.push(plan.push_value(Tensor::contiguous(ScalarType::FLOAT, &[2]).external(EXTERNAL)));
    let planned: Vec<_> = method
        .planned
        .iter()
        .map(|tensor| {
            let dynamic = Tensor { shape_dynamism: TensorShapeDynamism::DYNAMIC_BOUND, ..tensor.tensor() };
            plan.push_value(dynamic.planned(1, place(tensor)))
        })
        .collect();
    tensors.extend(&planned);
    plan.push_buffer(i64::try_from(end).unwrap());
    if method.device {
        let device = NonConstBufferDevice { buffer_idx: 1, device_type: DeviceType::CPU, device_index: 0 };
        plan.non_const_buffer_device = Some(vec![device]);
    }
    let (mut ints, mut bools) = (Vec::new(), Vec::new());
    for scalar in method.scalars {
        let kind = scalar.val.clone();
        let index = plan.push_value(scalar);
        match kind {
            Some(KernelTypes::Int(_)) => ints.push(index),
            Some(KernelTypes::Bool(_)) => bools.push(index),
            _ => {}
        }
    }
    for (kind, picks) in method.lists {
        let pick =
            |from: &[i32]| picks.iter().filter(|_| !from.is_empty()).map(|pick| *pick.get(from)).collect::<Vec<_>>();
        plan.push_value(match kind {
            0 => EValue::from(IntList { items: Some(pick(&ints).into_iter().map(i64::from).collect()) }),
            1 => DoubleList { items: Some(vec![0.5; picks.len()]) }.into(),
            2 => BoolList { items: Some(vec![true; picks.len()]) }.into(),
            3 => TensorList { items: Some(pick(&tensors)) }.into(),
            _ => OptionalTensorList { items: Some(pick(&[&tensors[..], &[-1]].concat())) }.into(),
        });
    }
    for (inline, blob) in method.delegates {
        plan.push_delegate(if inline {
            let data = program.backend_delegate_data.get_or_insert_default();
            data.push(BackendDelegateInlineData { data: Some(blob) });
            BackendDelegate::inline("ExampleBackend", u32::try_from(data.len() - 1).unwrap())
        } else {
            segments.push(blob);
            BackendDelegate::in_segment("ExampleBackend", u32::try_from(segments.len() - 1).unwrap())
        });
    }
    let values = i32::try_from(plan.values.as_ref().unwrap().len()).unwrap();
    let delegates = i32::try_from(plan.delegates.as_ref().unwrap().len()).unwrap();
    let operator = plan.push_operator(Operator::new("aten::add", "out"));
    let count = i32::try_from(method.calls.len()).unwrap();
    // The first planned tensor is the input, the second the output; the others may be freed.
    let free = &planned[2..];
    for (kind, picks) in method.calls {
        let args: Vec<_> =
            picks.iter().map(|pick| i32::try_from(pick.index(values.unsigned_abs() as usize)).unwrap()).collect();
        let pick = |from: &[i32]| picks.first().filter(|_| !from.is_empty()).map(|pick| *pick.get(from));
        let instruction: Option<Instruction> = match kind {
            0 if delegates > 0 => Some(DelegateCall::new(delegates - 1, args.clone()).into()),
            1 => pick(&ints).map(|from| MoveCall { move_from: from, move_to: ints[0] }.into()),
            2 => pick(&bools)
                .map(|value| JumpFalseCall { cond_value_index: value, destination_instruction: count }.into()),
            3 => pick(free).map(|value| FreeCall { value_index: value }.into()),
            _ => None,
        };
        plan.push_instruction(instruction.unwrap_or_else(|| KernelCall::new(operator, args).into()));
    }
    plan.with_io([planned[0]], [planned[1]])
}
