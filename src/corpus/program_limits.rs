//! Cases that test readers' limits: very small files, many methods, and many offsets to the same tables.

use alloc::vec;
use alloc::vec::Vec;

use super::{base, cases};
use crate::annotate::{ByteMap, PartKind};
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::pte::schema as pte;
use crate::rules::{flatbuffer, limits};

fn smallest() -> base::BaseBytes {
    let root = TableTree::new(pte::Program::TYPE).with("execution_plan", Vec::<TableTree>::new());
    crate::flatbuffer::encode(&root, crate::pte::IDENTIFIER).map_err(|error| alloc::format!("{error}"))
}

fn many_methods() -> base::BaseBytes {
    let method = |number: i32| {
        let plan = base::plan(base::planned(0)).with("name", alloc::format!("step{number:02}"));
        plan.with("values", vec![base::value(base::tensor(&[1]))])
            .with("inputs", vec![0])
            .with("outputs", vec![0])
            .with("chains", vec![base::chain(Vec::new())])
            .with("operators", Vec::<TableTree>::new())
            .with("non_const_buffer_sizes", vec![0_i64])
    };
    let root = base::headerless_tree().with("execution_plan", (0..64).map(method).collect::<Vec<_>>());
    base::write_program(&root, &[])
}

/// One chain is listed 101 times. It lists one call stack 101 times, which lists one frame 101 times. Each list is
/// written with one full table and 100 empty ones; then all its offsets are pointed to the full one.
fn shared_a_million_times() -> base::BaseBytes {
    const TIMES: usize = 101;
    let of = |full: TableTree, ty| {
        let mut all = vec![full];
        all.resize_with(TIMES, || TableTree::new(ty));
        all
    };
    let frame = TableTree::new(pte::Frame::TYPE).with("filename", "model.py").with("lineno", 7);
    let stack = TableTree::new(pte::FrameList::TYPE).with("items", of(frame, pte::Frame::TYPE));
    let chain = base::chain(vec![base::kernel_call(); TIMES]).with("stacktrace", of(stack, pte::FrameList::TYPE));
    let plan = base::plan(base::planned(0)).with("chains", of(chain, pte::Chain::TYPE));
    let root = base::headerless_tree().with("execution_plan", vec![plan]);
    let mut bytes = base::write_without_header(&root)?;
    let map = ByteMap::of(&bytes);
    let lists = [
        "execution_plan[0].chains",
        "execution_plan[0].chains[0].stacktrace",
        "execution_plan[0].chains[0].stacktrace[0].items",
    ];
    for list in lists {
        let first = alloc::format!("{list}[0]");
        let (Some(reference), Some(table)) = (map.find(&first, PartKind::Item), map.find(&first, PartKind::Table))
        else {
            return Err(alloc::format!("`{first}`: the map has no such part"));
        };
        for index in 0..TIMES as u64 {
            let at = reference.span.offset + 4 * index;
            let distance = u32::try_from(table.span.offset - at).unwrap_or(0);
            let at = usize::try_from(at).unwrap_or(usize::MAX);
            bytes[at..at + 4].copy_from_slice(&distance.to_le_bytes());
        }
    }
    Ok(bytes)
}

cases! {
    /// The program is complete but has no methods, and it is shorter than the 64 bytes that the official runtime always
    /// loads first. Readers may accept or reject it.
    build "pte/limits/file-of-few-bytes": "program shorter than 64 bytes" about flatbuffer::FB_FILE_MIN_64 => smallest;

    /// A reader that searches all methods for each request takes quadratic time: harmless for 64 methods, a hang for 100 000.
    build "pte/limits/many-methods": "sixty-four methods" shows limits::LIM_PLANS_VALUES => many_methods;

    /// The lists of chains, call stacks and frames each repeat one element 101 times, so a reader that follows every
    /// offset visits more than a million tables in a file of a few kilobytes.
    build "pte/limits/a-million-tables": "more than a million table visits through three shared tables"
        about flatbuffer::FB_MAX_TABLES => shared_a_million_times;
}
