//! Cases about delegates: ids, blobs in the FlatBuffer or in a segment, and compile specs.

use alloc::vec;
use alloc::vec::Vec;

use super::{base, cases};
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::pte::schema as pte;
use crate::rules::{delegates as rules, segments};

/// Returns a delegate whose blob has this location and index.
fn delegate(location: pte::DataLocation, index: u32) -> TableTree {
    let processed =
        TableTree::new(pte::BackendDelegateDataReference::TYPE).with("location", location.0).with("index", index);
    let spec =
        |key: &str, value: &[u8]| TableTree::new(pte::CompileSpec::TYPE).with("key", key).with("value", value.to_vec());
    TableTree::new(pte::BackendDelegate::TYPE)
        .with("id", "ExampleBackend")
        .with("processed", processed)
        .with("compile_specs", vec![spec("threads", &[4]), spec("profile", b"fast")])
}

/// Returns a program that calls these delegates in order, with these inline blobs.
fn program(delegates: Vec<TableTree>, blobs: &[&[u8]]) -> TableTree {
    let call = |(index, _)| {
        let call = TableTree::new(pte::DelegateCall::TYPE).with("delegate_index", index).with("args", vec![1, 2]);
        base::instruction(call)
    };
    let calls = (0_i32..).zip(&delegates).map(call).collect();
    let plan = base::plan(base::planned(0)).with("chains", vec![base::chain(calls)]).with("delegates", delegates);
    let blob = |blob: &&[u8]| TableTree::new(pte::BackendDelegateInlineData::TYPE).with("data", blob.to_vec());
    base::program_of(vec![plan])
        .with("backend_delegate_data", blobs.iter().map(blob).collect::<Vec<_>>())
        .with("constant_segment", base::subsegments(0, &[0]))
}

/// Returns a program with an inline blob, and a blob in a segment that two delegates share.
fn three_delegates() -> base::BaseBytes {
    let (inline, segment) = (pte::DataLocation::INLINE, pte::DataLocation::SEGMENT);
    let root = program(vec![delegate(inline, 0), delegate(segment, 1), delegate(segment, 1)], &[&base::ramp(24)]);
    base::write_program(&root, &[b"", &base::ramp(40)])
}

/// Returns a program with one delegate and no data after the FlatBuffer.
fn inline_delegate(blob: &[u8]) -> base::BaseBytes {
    let empty = TableTree::new(pte::DataSegment::TYPE).with("offset", 0).with("size", 0);
    let root = program(vec![delegate(pte::DataLocation::INLINE, 0)], &[blob]).with("segments", vec![empty]);
    base::write_program(&root, &[])
}

/// Returns a program with delegates whose blobs follow the empty segment of the constants.
fn segment_delegate(blobs: &[&[u8]]) -> base::BaseBytes {
    let segments: Vec<&[u8]> = core::iter::once(&[][..]).chain(blobs.iter().copied()).collect();
    let delegates = (1..).zip(blobs).map(|(index, _)| delegate(pte::DataLocation::SEGMENT, index)).collect();
    base::write_program(&program(delegates, &[]), &segments)
}

cases! {
    /// One delegate has an inline blob, and two share a blob in a segment, as writers emit equal blobs. No backend
    /// recognizes these blobs, so a reader can load the program but not run it.
    build "pte/valid/delegates": "delegate blobs inline and in a segment" shows rules::DEL_PAYLOAD => three_delegates;

    /// The only data is an inline blob, so the file has no header. A reader that expects every blob in a segment
    /// rejects the file or reads the blob from byte 0.
    build "pte/valid/inline-delegate": "inline delegate blob, no header" shows rules::DEL_INLINE_INDEX
        => || inline_delegate(&base::ramp(24));

    /// The blob is an empty inline vector. A reader that treats an empty blob as absent rejects a backend that needs no
    /// blob.
    build "pte/valid/empty-inline-delegate": "inline delegate blob of no bytes" shows rules::DEL_EMPTY_INLINE
        => || inline_delegate(&[]);

    /// The first segment, for the constants, is empty, and the blob is in the second. A reader that skips empty
    /// segments gives the backend a wrong blob or no blob.
    build "pte/valid/segment-delegate": "delegate blob in a segment" shows rules::DEL_SEGMENT_INDEX
        => || segment_delegate(&[&base::ramp(40)]);

    /// The schema makes the list of compile specs optional. The backend receives no compile specs.
    accept "pte/valid/compile-specs-absent": "compile_specs absent" shows rules::DEL_COMPILE_SPECS_LIST,
        from "pte/valid/delegates", refs ["pytorch/executorch#18805"]
        => |file| file.own_slot("execution_plan[0].delegates[0]", 2, 0);

    /// The list is present and empty. A reader that allocates 0 bytes may treat the resulting null pointer as an
    /// allocation failure.
    accept "pte/valid/compile-specs-empty": "compile_specs empty" shows rules::DEL_COMPILE_SPECS_LIST,
        from "pte/valid/delegates" => |file| file.count("execution_plan[0].delegates[0].compile_specs", 0);

    /// The compile spec has a key and an empty value. A reader that treats an empty value as absent rejects or drops
    /// the compile spec.
    accept "pte/valid/compile-spec-empty-value": "compile spec with an empty value" shows rules::DEL_COMPILE_SPEC,
        from "pte/valid/delegates" => |file| file.count("execution_plan[0].delegates[0].compile_specs[0].value", 0);

    /// The delegate does not name its backend. Hosts compare ids before they load the method, so they dereference a
    /// null pointer before any check on load.
    reject "pte/delegates/id-absent": "delegate id absent" breaks rules::DEL_ID,
        from "pte/valid/delegates" => |file| file.own_slot("execution_plan[0].delegates[0]", 0, 0);

    /// The reader finds the blob through this field and dereferences a null pointer. The delegate is the last of three,
    /// so the backend has already received the first two.
    reject "pte/delegates/processed-absent": "delegate processed field absent" breaks rules::DEL_PROCESSED,
        from "pte/valid/delegates", refs ["pytorch/executorch#19904"]
        => |file| file.own_slot("execution_plan[0].delegates[2]", 1, 0);

    /// The value is the first past the enum. A reader that compares the field with only one location assumes the other
    /// location.
    reject "pte/delegates/location-2": "delegate data location 2" breaks rules::DEL_LOCATION,
        from "pte/valid/delegates" => |file| file.scalar("execution_plan[0].delegates[2].processed.location", 2_i8);

    /// The value is outside the enum. A reader that treats an unknown location as a segment, or as inline, gives the
    /// backend the wrong blob.
    reject "pte/delegates/location-minus-1": "delegate data location −1" breaks rules::DEL_LOCATION,
        from "pte/valid/delegates" => |file| file.scalar("execution_plan[0].delegates[2].processed.location", -1_i8);

    /// The list has one blob and the index is 1, so an off-by-one check accepts the index. The reader follows the word
    /// after the list 393 216 bytes ahead.
    reject "pte/delegates/inline-index-past-end": "inline blob index one past the list" breaks rules::DEL_INLINE_INDEX,
        from "pte/valid/delegates" => |file| file.scalar("execution_plan[0].delegates[0].processed.index", 1_u32);

    /// As a signed integer, the index is −1, below any count. Multiplied by 4, the index wraps to −4 in 32 bits, and
    /// the reader follows the list's count as an offset.
    reject "pte/delegates/inline-index-max": "inline blob index 2^32 − 1" breaks rules::DEL_INLINE_INDEX,
        from "pte/valid/delegates" => |file| file.scalar("execution_plan[0].delegates[0].processed.index", u32::MAX);

    /// The delegate uses blob 0 of an absent list. A reader that compares the index with the list's length dereferences
    /// a null pointer.
    reject "pte/delegates/inline-list-absent": "backend_delegate_data absent" breaks rules::DEL_INLINE_INDEX,
        from "pte/valid/delegates", refs ["pytorch/executorch#19904"] => |file| file.slot("", 3, 0);

    /// The count is 0, but the old offset still follows it. A reader that checks only that the list exists passes the
    /// right blob by accident.
    reject "pte/delegates/inline-list-empty": "backend_delegate_data empty" breaks rules::DEL_INLINE_INDEX,
        from "pte/valid/delegates" => |file| file.count("backend_delegate_data", 0);

    /// The blob has no `data`; an empty blob has an empty vector. Index and entry are valid, so the reader dereferences
    /// a null pointer to get the blob's address and length.
    reject "pte/delegates/inline-data-absent": "inline blob without data" breaks rules::DEL_INLINE_INDEX,
        from "pte/valid/delegates", refs ["pytorch/executorch#19904"]
        => |file| file.own_slot("backend_delegate_data[0]", 0, 0);

    /// No delegate uses the inline blob. Every load of the program includes the blob, and the blob can hide data.
    either "pte/delegates/inline-unreferenced": "unreferenced inline blob"
        about rules::DEL_INLINE_ALL_REFERENCED,
        from "pte/valid/delegates" => |file| {
            file.scalar("execution_plan[0].delegates[0].processed.location", 1_i8);
            file.scalar("execution_plan[0].delegates[0].processed.index", 1_u32);
        };

    /// As a signed integer, the index is −1, below the number of segments. As an unsigned integer without a check, the
    /// index leads 16 GiB past the list or, in 32 bits, to the list's count.
    reject "pte/delegates/segment-index-max": "delegate segment index 2^32 − 1" breaks rules::DEL_SEGMENT_INDEX,
        from "pte/valid/delegates" => |file| file.scalar("execution_plan[0].delegates[1].processed.index", u32::MAX);

    /// The blob is in a segment, but without a header segments have no base. The segment is empty, but a reader needs
    /// the base before it can load even an empty segment.
    reject "pte/delegates/segment-without-header": "delegate blob of no bytes in a segment, no header"
        breaks rules::DEL_SEGMENT_INDEX,
        from "pte/valid/inline-delegate"
        => |file| file.scalar("execution_plan[0].delegates[0].processed.location", 1_i8);

    /// The blob is in segment 1 of an absent list. The header has a base, so a reader that checks only for a base
    /// dereferences a null pointer.
    reject "pte/delegates/segments-absent": "segments absent, delegate blob in a segment"
        breaks segments::SEG_NULL_TABLE,
        from "pte/valid/segment-delegate", refs ["pytorch/executorch#19916"] => |file| file.slot("", 4, 0);

    /// The second delegate's blob is an empty segment. A loader may return null for an empty segment, and a backend
    /// that reads the first byte dereferences that pointer.
    build "pte/delegates/empty-segment": "delegate blob of no bytes in a segment" about rules::DEL_EMPTY_INLINE
        => || segment_delegate(&[&base::ramp(40), &[]]);

    /// Backends compare the keys of compile specs, and the second key is absent. The backend gets a pointer near 0 and
    /// crashes outside the reader.
    reject "pte/delegates/compile-spec-key-absent": "compile spec key absent" breaks rules::DEL_COMPILE_SPEC,
        from "pte/valid/delegates" => |file| file.own_slot("execution_plan[0].delegates[0].compile_specs[1]", 0, 0);

    /// The compile spec has no value; a key alone needs an empty value. When the reader copies the compile specs, it
    /// dereferences a null pointer to get the value's address and length.
    reject "pte/delegates/compile-spec-value-absent": "compile spec value absent" breaks rules::DEL_COMPILE_SPEC,
        from "pte/valid/delegates" => |file| file.own_slot("execution_plan[0].delegates[0].compile_specs[1]", 1, 0);
}
