//! Tests the rules that follow values through a method's instructions.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use super::{Options, streamed};
use crate::ScalarType;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::pte::builder::{PlanBuilder, TensorBuilder, program};
use crate::pte::schema as pte;
use crate::pte::{ProgramLayout, write};
use crate::write::SegmentData;

const ADD: i32 = 0;
const VIEW: i32 = 1;
const COPY_INDEX: i32 = 2;
const SIZE: i32 = 3;
const MUL: i32 = 4;
const DIVIDE: i32 = 5;

/// Value 0 is a constant, 1 is the input, 2 is the output and 3 is the number 2. All tensors are 2 × 2.
fn found(build: impl FnOnce(&mut PlanBuilder)) -> Vec<(&'static str, String)> {
    let mut plan = PlanBuilder::new("forward");
    plan.push_buffer(4096);
    plan.push_value(matrix().constant(1));
    plan.push_value(matrix().planned(1, 0));
    plan.push_value(matrix().planned(1, 16));
    plan.push_value(2);
    for (name, overload) in [
        ("aten::add", "out"),
        ("executorch_prim::et_view", "default"),
        ("executorch_prim::et_copy_index", "tensor"),
        ("aten::sym_size", "int"),
        ("executorch_prim::mul", "Scalar"),
        ("executorch_prim::floordiv", "int"),
    ] {
        plan.push_operator(name, overload);
    }
    build(&mut plan);
    let constants =
        TableTree::new(pte::SubsegmentOffsets::TYPE).with("segment_index", 0).with("offsets", vec![0_u64, 0]);
    let tree = program([plan.with_io(&[1], &[2])]).with("constant_segment", constants);
    let bytes = write(&tree, &[SegmentData::new(&[1; 16])], &ProgramLayout::default()).unwrap();
    let (summary, found) = streamed(&&bytes[..], Options::default(), 9 * bytes.len());
    assert_eq!(summary.stopped, None);
    let about = ["ins-arg-data", "ins-arg-values", "ins-const-write", "mem-live-overwrite"];
    let prefix = "execution_plan[0].chains[0].instructions";
    let place = |path: &str| path.replace(prefix, "").replace("execution_plan[0].", "").replace(".instr_args.args", "");
    let own = found.iter().filter(|finding| about.contains(&finding.rule.id));
    own.map(|finding| (finding.rule.id, place(&finding.path))).collect()
}

fn one(rule: &'static str, place: &str) -> Vec<(&'static str, String)> {
    vec![(rule, String::from(place))]
}

fn matrix() -> TensorBuilder {
    TensorBuilder::contiguous(ScalarType::FLOAT, &[2, 2])
}

fn dynamic(mut tensor: TensorBuilder) -> TensorBuilder {
    tensor.assign("shape_dynamism", pte::TensorShapeDynamism::DYNAMIC_BOUND);
    tensor
}

fn add(plan: &mut PlanBuilder, first: i32, second: i32, out: i32) {
    plan.push_kernel_call(ADD, &[first, second, 3, out, out]);
}

fn jump(plan: &mut PlanBuilder, to: i32) {
    let condition = plan.push_value(true);
    let jump = TableTree::new(pte::JumpFalseCall::TYPE).with("cond_value_index", condition);
    plan.push_instruction(jump.with("destination_instruction", to));
}

fn move_value(plan: &mut PlanBuilder, from: i32, to: i32) {
    plan.push_instruction(TableTree::new(pte::MoveCall::TYPE).with("move_from", from).with("move_to", to));
}

fn list(plan: &mut PlanBuilder, items: &[i32]) -> i32 {
    plan.push_value(TableTree::new(pte::TensorList::TYPE).with("items", items))
}

/// A list of the sizes 2 and 2: value 3, twice.
fn square(plan: &mut PlanBuilder) -> i32 {
    plan.push_value(vec![3_i64, 3])
}

#[test]
fn reports_tensors_that_nothing_gives_data() {
    let bare = |use_of: &dyn Fn(&mut PlanBuilder, i32)| {
        found(|plan| {
            let bare = plan.push_value(matrix());
            use_of(plan, bare);
        })
    };
    assert_eq!(bare(&|plan, bare| add(plan, 1, bare, 2)), one("ins-arg-data", "[0][1]"));
    assert_eq!(bare(&|plan, bare| add(plan, 1, 1, bare)), one("ins-arg-data", "[0][3]"));
    let in_list = bare(&|plan, bare| {
        let list = list(plan, &[1, bare]);
        add(plan, list, 1, 2);
    });
    assert_eq!(in_list, one("ins-arg-data", "[0][0]"));
    let in_delegate = bare(&|plan, bare| {
        plan.push_instruction(TableTree::new(pte::DelegateCall::TYPE).with("args", [1, bare]));
    });
    assert_eq!(in_delegate, one("ins-arg-data", "[0][1]"));
    let moved = bare(&|plan, bare| {
        move_value(plan, bare, 2);
        add(plan, 1, 1, 2);
    });
    assert_eq!(moved, one("ins-arg-data", "[1][3]"));
    let viewed = bare(&|plan, bare| {
        let square = square(plan);
        plan.push_kernel_call(VIEW, &[bare, square, 2]);
        add(plan, 1, 1, 2);
    });
    assert_eq!(viewed, one("ins-arg-data", "[0][0]"));
    let sized = bare(&|plan, bare| {
        plan.push_kernel_call(SIZE, &[bare, 3, 3]);
    });
    assert_eq!(sized, one("ins-arg-values", "[0][1]"));
}

#[test]
fn a_view_or_a_move_gives_data() {
    for jumps in [false, true] {
        let found = found(|plan| {
            let (first, second) = (plan.push_value(matrix()), plan.push_value(matrix()));
            let square = square(plan);
            if jumps {
                jump(plan, 3);
            }
            plan.push_kernel_call(VIEW, &[1, square, first]);
            move_value(plan, first, second);
            add(plan, first, second, 2);
        });
        assert_eq!(found, []);
    }
}

#[test]
fn an_instruction_that_a_jump_skips_in_the_first_iteration_can_run_after_later_ones() {
    let in_loop = |skips: bool| {
        found(|plan| {
            let bare = plan.push_value(matrix());
            let square = square(plan);
            jump(plan, if skips { 2 } else { 4 });
            add(plan, bare, 1, 2);
            plan.push_kernel_call(VIEW, &[1, square, bare]);
            jump(plan, if skips { 1 } else { 4 });
        })
    };
    assert_eq!(in_loop(true), []);
    assert_eq!(in_loop(false), one("ins-arg-data", "[1][0]"));
}

#[test]
fn reports_calls_that_write_to_constants() {
    assert_eq!(found(|plan| add(plan, 1, 0, 2)), []);
    assert_eq!(found(|plan| add(plan, 1, 1, 0)), one("ins-const-write", "[0][4]"));
    let in_place = found(|plan| {
        plan.push_kernel_call(ADD, &[0, 1, 3, 0]);
    });
    assert_eq!(in_place, one("ins-const-write", "[0][3]"));
    let copied = found(|plan| {
        let (row, index) =
            (plan.push_value(TensorBuilder::contiguous(ScalarType::FLOAT, &[2]).planned(1, 32)), plan.push_value(1));
        plan.push_kernel_call(COPY_INDEX, &[0, row, index]);
    });
    assert_eq!(copied, one("ins-const-write", "[0][0]"));
    let view_of_move = |writes: bool| {
        found(|plan| {
            let moved = plan.push_value(matrix().planned(1, 32));
            let view = plan.push_value(dynamic(matrix()));
            let square = square(plan);
            move_value(plan, 0, moved);
            plan.push_kernel_call(VIEW, &[moved, square, view]);
            move_value(plan, 1, moved);
            add(plan, 1, 1, if writes { view } else { moved });
        })
    };
    assert_eq!(view_of_move(true), one("ins-const-write", "[3][4]"));
    assert_eq!(view_of_move(false), []);
}

#[test]
fn a_move_that_a_jump_can_skip_decides_nothing() {
    let skipped = found(|plan| {
        let moved = plan.push_value(matrix().planned(1, 32));
        jump(plan, 2);
        move_value(plan, 0, moved);
        add(plan, 1, 1, moved);
    });
    assert_eq!(skipped, []);
}

#[test]
fn follows_integers_through_operators() {
    let view = |tensor: TensorBuilder, factor: i64| {
        found(|plan| {
            let tensor = plan.push_value(tensor);
            let view = plan.push_value(TensorBuilder::contiguous(ScalarType::FLOAT, &[4]));
            let (dimension, size, factor) = (plan.push_value(0), plan.push_value(0), plan.push_value(factor));
            let sizes = plan.push_value(vec![i64::from(size)]);
            plan.push_kernel_call(SIZE, &[tensor, dimension, size]);
            plan.push_kernel_call(MUL, &[size, factor, size]);
            plan.push_kernel_call(VIEW, &[tensor, sizes, view]);
        })
    };
    assert_eq!(view(matrix().planned(1, 32), 2), []);
    assert_eq!(view(matrix().planned(1, 32), 3), one("ins-arg-values", "[2][1]"));
    let by_zero = found(|plan| {
        let (zero, result) = (plan.push_value(0), plan.push_value(0));
        plan.push_kernel_call(MUL, &[zero, 3, result]);
        plan.push_kernel_call(DIVIDE, &[3, result, result]);
    });
    assert_eq!(by_zero, one("ins-arg-values", "[1][1]"));
}

#[test]
fn another_operator_can_change_the_sizes_of_a_dynamic_tensor() {
    let viewed = |tensor: TensorBuilder, written: bool| {
        found(|plan| {
            let tensor = plan.push_value(tensor);
            let view = plan.push_value(dynamic(TensorBuilder::contiguous(ScalarType::FLOAT, &[8])));
            // Value 3 is an operand that the addition may change.
            let two = plan.push_value(2);
            let sizes = plan.push_value(vec![i64::from(two)]);
            if written {
                add(plan, 1, 1, tensor);
            }
            plan.push_kernel_call(VIEW, &[tensor, sizes, view]);
        })
    };
    let (fixed, varying) = (|| matrix().planned(1, 32), || dynamic(matrix().planned(1, 32)));
    assert_eq!(viewed(fixed(), true), one("ins-arg-values", "[1][1]"));
    assert_eq!(viewed(varying(), false), one("ins-arg-values", "[0][1]"));
    assert_eq!(viewed(varying(), true), []);
}

#[test]
fn a_slice_copy_in_a_loop_changes_only_the_first_size() {
    let copies = |row: &[i32], dynamism: bool| {
        found(|plan| {
            let row = plan.push_value(TensorBuilder::contiguous(ScalarType::FLOAT, row).planned(1, 64));
            let stack = matrix().planned(1, 32);
            let stack = plan.push_value(if dynamism { dynamic(stack) } else { stack });
            let (index, one) = (plan.push_value(0), plan.push_value(1));
            plan.push_kernel_call(COPY_INDEX, &[stack, row, index]);
            plan.push_kernel_call(COPY_INDEX, &[stack, row, one]);
        })
    };
    assert_eq!(copies(&[2], true), []);
    assert_eq!(copies(&[2], false), one("ins-arg-values", "[0][0]"));
    assert_eq!(copies(&[1], true).len(), 2);
    assert_eq!(copies(&[], true).len(), 2);
    assert_eq!(copies(&[1, 2], true).len(), 2);
}

#[test]
fn reports_memory_that_a_call_overwrites_before_its_data_is_read() {
    let overwritten = |place: u64, shape: &[i32], read: bool| {
        found(|plan| {
            let first = plan.push_value(matrix().planned(1, 64));
            let alias = plan.push_value(matrix().planned(1, 128));
            let other = plan.push_value(TensorBuilder::contiguous(ScalarType::FLOAT, shape).planned(1, place));
            add(plan, 1, 0, first);
            move_value(plan, first, alias);
            add(plan, 1, 1, other);
            add(plan, if read { alias } else { other }, 1, 2);
        })
    };
    assert_eq!(overwritten(64, &[2, 2], true), one("mem-live-overwrite", "[3][0]"));
    assert_eq!(overwritten(48, &[5], true), one("mem-live-overwrite", "[3][0]"));
    assert_eq!(overwritten(76, &[1], true), one("mem-live-overwrite", "[3][0]"));
    assert_eq!(overwritten(48, &[2, 2], true), []);
    assert_eq!(overwritten(80, &[2, 2], true), []);
    assert_eq!(overwritten(64, &[2, 2], false), []);
    // A write to the moved value itself is fine.
    let written_again = found(|plan| {
        let first = plan.push_value(matrix().planned(1, 64));
        let alias = plan.push_value(matrix().planned(1, 128));
        move_value(plan, first, alias);
        add(plan, 1, 1, first);
        add(plan, alias, 1, 2);
    });
    assert_eq!(written_again, []);
    let output = found(|plan| {
        let other = plan.push_value(matrix().planned(1, 16));
        let moved = plan.push_value(matrix().planned(1, 64));
        add(plan, 1, 1, 2);
        move_value(plan, 1, moved);
        add(plan, 1, 0, other);
    });
    assert_eq!(output, one("mem-live-overwrite", "outputs[0]"));
}

#[test]
fn calls_that_share_a_long_list_take_linear_time() {
    let many = found(|plan| {
        let list = list(plan, &[1; 20_000]);
        for _ in 0..20_000 {
            add(plan, list, list, list);
        }
    });
    assert_eq!(many, []);
}
