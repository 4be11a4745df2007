//! Tests the rules that depend on how a method's instructions use its values.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::{Options, ids, streamed};
use crate::patch::Patcher;

fn broken(id: &str, edit: impl FnOnce(&mut Patcher<'_>)) -> Vec<&'static str> {
    let mut file = Patcher::new(crate::corpus::find(id).unwrap().build().bytes);
    edit(&mut file);
    let (summary, found) = streamed(&file.finish().unwrap().bytes, Options::default(), 0);
    assert_eq!(summary.stopped, None);
    ids(&found)
}

fn argument(file: &mut Patcher<'_>, call: usize, position: usize, value: i32) {
    let args = format!("execution_plan[0].chains[0].instructions[{call}].instr_args.args");
    file.elements(&args, position * 4, &value.to_le_bytes());
}

fn value(index: usize) -> String {
    format!("execution_plan[0].values[{index}].val")
}

fn without_plan(file: &mut Patcher<'_>, index: usize) {
    file.own_slot(&value(index), 6, 0);
}

#[test]
fn an_argument_that_an_instruction_writes_has_no_fixed_value() {
    let id = "pte/valid/tensor-operators";
    let zero = |file: &mut Patcher<'_>, index: usize| file.scalar(&format!("{}.int_val", value(index)), 0_i64);
    assert_eq!(
        broken(id, |file| {
            zero(file, 4);
        }),
        ["ins-arg-values"; 3]
    );
    // Several calls write their result to value 3.
    let result = broken(id, |file| {
        zero(file, 3);
        argument(file, 4, 1, 3);
    });
    assert_eq!(result, [""; 0]);
    let input = broken(id, |file| {
        zero(file, 4);
        file.elements("execution_plan[0].inputs", 0, &4_i32.to_le_bytes());
    });
    assert_eq!(input, [""; 0]);
}

#[test]
fn a_view_may_have_one_size_of_minus_1() {
    let item = |index: i64| {
        broken("pte/valid/tensor-operators", |file| {
            file.elements(&format!("{}.items", value(7)), 0, &index.to_le_bytes());
            file.scalar(&format!("{}.int_val", value(11)), -1_i64);
        })
    };
    assert_eq!(item(11), [""; 0]);
    assert_eq!(item(5), ["ins-arg-values"]);
    assert_eq!(item(10), ["ins-arg-values"]);
}

#[test]
fn the_caller_sets_the_data_of_a_condition_that_is_an_input() {
    let id = "pte/valid/jump-on-tensor";
    assert_eq!(broken(id, |file| without_plan(file, 7)), ["ins-jump-cond-data"]);
    let input = broken(id, |file| {
        without_plan(file, 7);
        file.elements("execution_plan[0].inputs", 0, &7_i32.to_le_bytes());
    });
    assert_eq!(input, [""; 0]);
}

#[test]
fn later_uses_of_a_freed_tensor_are_unknown_in_a_method_with_jumps() {
    let straight = broken("pte/valid/free", |file| {
        without_plan(file, 4);
        argument(file, 2, 0, 4);
    });
    assert_eq!(straight, ["ins-free-live"]);
    let jumping = broken("pte/valid/instructions", |file| {
        without_plan(file, 6);
        argument(file, 5, 0, 6);
    });
    assert_eq!(jumping, [""; 0]);
}

#[test]
fn a_freed_tensor_may_have_earlier_uses() {
    let earlier = broken("pte/valid/free", |file| {
        without_plan(file, 4);
        argument(file, 0, 0, 4);
    });
    assert_eq!(earlier, ["ins-arg-data"]);
}
