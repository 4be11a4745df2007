//! Delegates: their names, their blobs inside the FlatBuffer or in a segment, and the settings handed to the backend.

use alloc::vec;
use alloc::vec::Vec;

use super::{base, cases};
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::pte::schema as pte;
use crate::rules::{delegates as rules, segments};

/// A delegate whose blob is at `index` of the list that `location` says.
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

/// A program that calls these delegates one after the other, with the blobs that are inside the FlatBuffer.
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

/// A blob inside the FlatBuffer and one in a segment, which two delegates share.
fn three_delegates() -> base::BaseBytes {
    let (inline, segment) = (pte::DataLocation::INLINE, pte::DataLocation::SEGMENT);
    let root = program(vec![delegate(inline, 0), delegate(segment, 1), delegate(segment, 1)], &[&base::ramp(24)]);
    base::write_program(&root, &[b"", &base::ramp(40)])
}

/// One delegate, and no data behind the FlatBuffer.
fn inline_delegate(blob: &[u8]) -> base::BaseBytes {
    let empty = TableTree::new(pte::DataSegment::TYPE).with("offset", 0).with("size", 0);
    let root = program(vec![delegate(pte::DataLocation::INLINE, 0)], &[blob]).with("segments", vec![empty]);
    base::write_program(&root, &[])
}

/// One delegate, its blob in the segment behind the constants' empty one.
fn segment_delegate(blobs: &[&[u8]]) -> base::BaseBytes {
    let segments: Vec<&[u8]> = core::iter::once(&[][..]).chain(blobs.iter().copied()).collect();
    let delegates = (1..).zip(blobs).map(|(index, _)| delegate(pte::DataLocation::SEGMENT, index)).collect();
    base::write_program(&program(delegates, &[]), &segments)
}

cases! {
    /// Three delegates: one with its blob inside the FlatBuffer, two that share one in a segment, as equal blobs are written.
    /// What is in a blob is between exporter and backend, and these are no backend's: a reader goes as far as it can without
    /// one.
    build "pte/valid/delegates": "blobs inline and in a segment" shows rules::DEL_PAYLOAD => three_delegates;

    /// A delegate and no data behind the FlatBuffer, so no header: with its blob inline the file needs none. A reader
    /// that looks for every blob in a segment refuses it, or reads from byte 0.
    build "pte/valid/inline-delegate": "blob inline, no header" shows rules::DEL_INLINE_INDEX
        => || inline_delegate(&base::ramp(24));

    /// A delegate with a blob of no bytes: it stays inside the FlatBuffer, as an empty vector. A reader that takes no
    /// bytes for no blob refuses a backend that needs none.
    build "pte/valid/empty-inline-delegate": "inline blob of no bytes" shows rules::DEL_EMPTY_INLINE
        => || inline_delegate(&[]);

    /// No constants, so the first segment is there and empty, and the blob is in the second. A reader that leaves out
    /// empty segments when it counts gives the backend another one, or none.
    build "pte/valid/segment-delegate": "blob in a segment" shows rules::DEL_SEGMENT_INDEX
        => || segment_delegate(&[&base::ramp(40)]);

    /// A delegate without a list of settings, which the schema leaves optional: the backend is handed none.
    accept "pte/valid/compile-specs-absent": "compile_specs absent" shows rules::DEL_COMPILE_SPECS_LIST,
        from "pte/valid/delegates", refs ["pytorch/executorch#18805"]
        => |file| file.own_slot("execution_plan[0].delegates[0]", 2, 0);

    /// The list of settings is there and empty. A reader that allocates for it asks for no bytes, and may take the null
    /// that comes back for a lack of memory.
    accept "pte/valid/compile-specs-empty": "compile_specs empty" shows rules::DEL_COMPILE_SPECS_LIST,
        from "pte/valid/delegates" => |file| file.count("execution_plan[0].delegates[0].compile_specs", 0);

    /// A setting whose value has no bytes is there, and says something by its key alone. A reader that takes an empty
    /// value for an absent one refuses it, or drops the setting.
    accept "pte/valid/compile-spec-empty-value": "setting without bytes" shows rules::DEL_COMPILE_SPEC,
        from "pte/valid/delegates" => |file| file.count("execution_plan[0].delegates[0].compile_specs[0].value", 0);

    /// Nothing says which backend the delegate is for. Hosts compare ids to learn whether they can run a method before
    /// they prepare it, so the null pointer is met there, ahead of any check that preparing makes.
    reject "pte/delegates/id-absent": "id absent" breaks rules::DEL_ID,
        from "pte/valid/delegates" => |file| file.own_slot("execution_plan[0].delegates[0]", 0, 0);

    /// The first step of preparing a delegate asks this reference for the blob's place, through a null pointer. It is
    /// the last of three, so the others have been handed to their backend by then.
    reject "pte/delegates/processed-absent": "processed absent" breaks rules::DEL_PROCESSED,
        from "pte/valid/delegates", refs ["pytorch/executorch#19904"]
        => |file| file.own_slot("execution_plan[0].delegates[2]", 1, 0);

    /// One past the two places that there are. Where the blob is, each reader then guesses by the place that it compares
    /// with.
    reject "pte/delegates/location-2": "location 2" breaks rules::DEL_LOCATION,
        from "pte/valid/delegates" => |file| file.scalar("execution_plan[0].delegates[2].processed.location", 2_i8);

    /// Minus one. A reader that takes everything but INLINE for a segment, or everything but SEGMENT for inline, gives the
    /// backend another blob.
    reject "pte/delegates/location-minus-1": "location −1" breaks rules::DEL_LOCATION,
        from "pte/valid/delegates" => |file| file.scalar("execution_plan[0].delegates[2].processed.location", -1_i8);

    /// There is one inline blob, and the index is 1, which a comparison that allows the count passes. The reference
    /// behind the list is padding and a vtable's length, and leads 393 216 bytes ahead.
    reject "pte/delegates/inline-index-past-end": "inline index one past the list" breaks rules::DEL_INLINE_INDEX,
        from "pte/valid/delegates" => |file| file.scalar("execution_plan[0].delegates[0].processed.index", 1_u32);

    /// With a sign it is −1 and below any count. Times the four bytes of a reference it is −4 in 32 bits: the list's
    /// own count, 1, is then the reference to the blob.
    reject "pte/delegates/inline-index-max": "inline index 2^32 − 1" breaks rules::DEL_INLINE_INDEX,
        from "pte/valid/delegates" => |file| file.scalar("execution_plan[0].delegates[0].processed.index", u32::MAX);

    /// The delegate's blob is number 0 of a list that is absent. A reader that holds the index against the list's
    /// length reads that through a null pointer when it prepares the method.
    reject "pte/delegates/inline-list-absent": "backend_delegate_data absent" breaks rules::DEL_INLINE_INDEX,
        from "pte/valid/delegates", refs ["pytorch/executorch#19904"] => |file| file.slot("", 3, 0);

    /// The list is present and its count is 0, with the old reference still behind it. A reader that tests for presence
    /// alone hands the backend the right blob, and other bytes where a writer left nothing there.
    reject "pte/delegates/inline-list-empty": "backend_delegate_data empty" breaks rules::DEL_INLINE_INDEX,
        from "pte/valid/delegates" => |file| file.count("backend_delegate_data", 0);

    /// An inline blob of no bytes has an empty vector; this one has none. The index is right and the entry is there, so
    /// only the last step shows it: pointer and length come through a null pointer.
    reject "pte/delegates/inline-data-absent": "data of an inline blob absent" breaks rules::DEL_INLINE_INDEX,
        from "pte/valid/delegates", refs ["pytorch/executorch#19904"]
        => |file| file.own_slot("backend_delegate_data[0]", 0, 0);

    /// An inline blob that no delegate wants: it is loaded with the program every time, and a place to hide something.
    either "pte/delegates/inline-unreferenced": "inline blob that nothing refers to"
        about rules::DEL_INLINE_ALL_REFERENCED,
        from "pte/valid/delegates" => |file| {
            file.scalar("execution_plan[0].delegates[0].processed.location", 1_i8);
            file.scalar("execution_plan[0].delegates[0].processed.index", 1_u32);
        };

    /// With a sign it is −1 and below the number of segments. Taken without one and uncompared, its reference is 16 GiB
    /// behind the list, or in 32 bits the list's own count.
    reject "pte/delegates/segment-index-max": "segment index 2^32 − 1" breaks rules::DEL_SEGMENT_INDEX,
        from "pte/valid/delegates" => |file| file.scalar("execution_plan[0].delegates[1].processed.index", u32::MAX);

    /// A delegate's blob is said to be in a segment, in a file that has no place for segments. That one is empty, so nothing
    /// would be read; readers ask for the place first.
    reject "pte/delegates/segment-without-header": "blob of no bytes in a segment, no header"
        breaks rules::DEL_SEGMENT_INDEX,
        from "pte/valid/inline-delegate"
        => |file| file.scalar("execution_plan[0].delegates[0].processed.location", 1_i8);

    /// The blob is in segment 1 of a list that is absent. The header has a base, which is all that some readers ask
    /// before they take the list's length through a null pointer.
    reject "pte/delegates/segments-absent": "segments absent, and a blob in one" breaks segments::SEG_NULL_TABLE,
        from "pte/valid/segment-delegate", refs ["pytorch/executorch#19916"] => |file| file.slot("", 4, 0);

    /// The second delegate's blob has no bytes and is in a segment all the same. Loaders may answer a load of nothing
    /// with null, and a backend that asks its blob for a first byte follows it.
    build "pte/delegates/empty-segment": "blob of no bytes in a segment" about rules::DEL_EMPTY_INLINE
        => || segment_delegate(&[&base::ramp(40), &[]]);

    /// A backend finds its settings by comparing keys. That of the second is absent, which reaches the backend as a
    /// pointer near 0: it fails there, out of reach of what reads the file.
    reject "pte/delegates/compile-spec-key-absent": "key of a setting absent" breaks rules::DEL_COMPILE_SPEC,
        from "pte/valid/delegates" => |file| file.own_slot("execution_plan[0].delegates[0].compile_specs[1]", 0, 0);

    /// A setting that says enough by its key has an empty value; this one has none. Pointer and length for the backend
    /// are taken through a null pointer while the settings are copied.
    reject "pte/delegates/compile-spec-value-absent": "value of a setting absent" breaks rules::DEL_COMPILE_SPEC,
        from "pte/valid/delegates" => |file| file.own_slot("execution_plan[0].delegates[0].compile_specs[1]", 1, 0);
}
