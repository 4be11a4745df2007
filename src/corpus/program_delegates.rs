//! Cases about delegates: ids, blobs in the FlatBuffer or in a segment, and compile specs.

use alloc::vec;
use alloc::vec::Vec;

use super::{base, cases};
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::patch::{LittleEndian, Patcher};
use crate::pte::schema as pte;
use crate::rules::{companions, delegates as rules, segments};

/// The key's position in [`keyed_xnnpack_blob`].
const KEY_AT: usize = 32 + 216;

fn delegate(location: pte::DataLocation, index: u32) -> TableTree {
    base::delegate(location, index, &[("threads", &[4]), ("profile", b"fast")])
}

/// The program calls the delegates in order.
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

/// One delegate has an inline blob, and two share a blob in a segment.
fn three_delegates() -> base::BaseBytes {
    let (inline, segment) = (pte::DataLocation::INLINE, pte::DataLocation::SEGMENT);
    let root = program(vec![delegate(inline, 0), delegate(segment, 1), delegate(segment, 1)], &[&base::ramp(24)]);
    base::write_program(&root, &[b"", &base::ramp(40)])
}

fn inline_delegate(blob: &[u8]) -> base::BaseBytes {
    let root = program(vec![delegate(pte::DataLocation::INLINE, 0)], &[blob]);
    base::write_program(&root.with("segments", vec![base::segment(0, 0)]), &[])
}

/// Each blob has its own delegate and its own segment, after the empty segment for constants.
fn segment_delegate(blobs: &[&[u8]]) -> base::BaseBytes {
    let segments: Vec<&[u8]> = core::iter::once(&[][..]).chain(blobs.iter().copied()).collect();
    let delegates = (1..).zip(blobs).map(|(index, _)| delegate(pte::DataLocation::SEGMENT, index)).collect();
    base::write_program(&program(delegates, &[]), &segments)
}

/// Returns a header, the FlatBuffer of a graph without values or nodes, and 16 bytes of constants.
fn xnnpack_blob() -> Vec<u8> {
    let mut blob = vec![0; 32];
    blob[4..8].copy_from_slice(b"XH00");
    blob[8..10].copy_from_slice(&30_u16.to_le_bytes());
    for (at, value) in [(10, 32_u32), (14, 48), (18, 80), (22, 16)] {
        blob[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }
    // Append the root offset, the identifier, the vtable, the table and two empty vectors. `xnodes` has slot 1, and
    // `xvalues` has slot 2.
    blob.extend(24_u32.to_le_bytes());
    blob.extend(b"XN01");
    blob.extend([0, 0, 0, 0, 0, 0, 10, 0, 12, 0, 0, 0, 4, 0, 8, 0]);
    for value in [10_u32, 8, 8, 0, 0, 0] {
        blob.extend(value.to_le_bytes());
    }
    blob.extend(base::ramp(16));
    blob
}

/// The blob is inline or in segment 1.
fn xnnpack(location: pte::DataLocation) -> base::BaseBytes {
    let inline = location == pte::DataLocation::INLINE;
    let own = delegate(location, u32::from(!inline)).with("id", "XnnpackBackend");
    let blob = xnnpack_blob();
    if inline {
        return base::write_program(&program(vec![own], &[&blob]), &[b""]);
    }
    base::write_program(&program(vec![own], &[]), &[b"", &blob])
}

/// The graph has one value, a constant tensor of 2 × 3 floats. The blob contains only its key, not its data.
pub(crate) fn keyed_xnnpack_blob(key: &str) -> Vec<u8> {
    let mut graph = vec![];
    let mut put = |words: &[u32]| graph.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    let pair = |low: u16, high: u16| u32::from(low) | u32::from(high) << 16;
    put(&[32, u32::from_le_bytes(*b"XN01")]);
    // In the graph's vtable, `xnodes` has slot 1, `xvalues` has slot 2, and `constant_data` has slot 8.
    put(&[pair(22, 16), pair(0, 4), pair(8, 0), 0, 0, pair(12, 0)]);
    put(&[24, 12, 12, 16]);
    // The graph has no node, one value at byte 80, and constants at bytes 156 and 180.
    put(&[0, 1, 24, 2, 92, 112]);
    // The value has type 1, and its content is at byte 108.
    put(&[pair(8, 12), pair(8, 4), 8, 24, 1]);
    // The content has type FP32, 2 dimensions at byte 132, constant index 1 and no external id.
    put(&[pair(14, 24), pair(4, 8), pair(12, 16), pair(20, 0)]);
    put(&[16, 1, 2, 12, 1, u32::MAX]);
    put(&[2, 2, 3]);
    // Constant 0 has an empty key. Constant 1 has no offset, a size of 24 bytes, and its key at byte 212.
    put(&[pair(10, 24), pair(4, 12), pair(20, 0)]);
    put(&[12, 0, 0, 0, 0, 28]);
    put(&[36, u32::MAX, u32::MAX, 24, 0, 12]);
    put(&[0, 0, u32::try_from(key.len()).unwrap_or(0)]);
    graph.extend(key.as_bytes());
    graph.push(0);
    let size = u32::try_from(graph.len()).unwrap_or(0);
    graph.resize(graph.len().next_multiple_of(16), 0);
    let mut blob = xnnpack_blob();
    blob.truncate(32);
    for (at, value) in [(14, size), (18, size.next_multiple_of(16) + 32), (22, 0)] {
        blob[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }
    blob.extend(graph);
    blob
}

/// The blob needs the data for `weight`, while `own` is the only key in the program's named data.
fn keyed_xnnpack(own: &str) -> base::BaseBytes {
    let delegate = delegate(pte::DataLocation::SEGMENT, 1).with("id", "XnnpackBackend");
    let root = program(vec![delegate], &[]).with("named_data", vec![base::program_named(own, 2)]);
    base::write_program(&root, &[b"", &keyed_xnnpack_blob("weight"), &base::ramp(24)])
}

/// Overwrites a value in the blob, which is the first nonempty segment.
fn put_blob(file: &mut Patcher<'_>, at: usize, value: impl LittleEndian) {
    file.put(file.u64_at(24) + at, value.bytes().as_ref());
}

cases! {
    /// One delegate has an inline blob, and two others share a blob in a segment. No backend accepts these blobs, so
    /// the program loads but cannot run.
    build "pte/valid/delegates": "delegate blobs inline and in a segment" shows rules::DEL_PAYLOAD => three_delegates;

    /// The blob is the only data, so there is no header. A reader that expects every blob in a segment rejects the
    /// file.
    build "pte/valid/inline-delegate": "inline delegate blob, no header" shows rules::DEL_INLINE_INDEX
        => || inline_delegate(&base::ramp(24));

    /// Some backends need no data, so their blobs are empty. A reader that treats empty blobs as absent rejects the delegates.
    build "pte/valid/empty-inline-delegate": "empty inline delegate blob" shows rules::DEL_EMPTY_INLINE
        => || inline_delegate(&[]);

    /// The blob is in segment 1, after the constants' empty segment. A reader that skips empty segments hands the wrong
    /// blob to the backend.
    build "pte/valid/segment-delegate": "delegate blob in a segment" shows rules::DEL_SEGMENT_INDEX
        => || segment_delegate(&[&base::ramp(40)]);

    /// The list is optional. If it is absent, a reader passes an empty list to the backend.
    accept "pte/valid/compile-specs-absent": "compile_specs absent" shows rules::DEL_COMPILE_SPECS_LIST,
        from "pte/valid/delegates", refs ["pytorch/executorch#18805"]
        => |file| file.own_slot("execution_plan[0].delegates[0]", 2, 0);

    /// Allocating memory for 0 specs can return null, but that is not a failure here.
    accept "pte/valid/compile-specs-empty": "compile_specs empty" shows rules::DEL_COMPILE_SPECS_LIST,
        from "pte/valid/delegates" => |file| file.count("execution_plan[0].delegates[0].compile_specs", 0);

    /// A reader that treats an empty value as absent rejects the file or drops the spec.
    accept "pte/valid/compile-spec-empty-value": "compile spec with an empty value" shows rules::DEL_COMPILE_SPEC,
        from "pte/valid/delegates" => |file| file.count("execution_plan[0].delegates[0].compile_specs[0].value", 0);

    /// Applications compare backend ids even before they load a method, so the null dereference comes early.
    reject "pte/delegates/id-absent": "delegate id absent" breaks rules::DEL_ID,
        from "pte/valid/delegates" => |file| file.own_slot("execution_plan[0].delegates[0]", 0, 0);

    /// Readers compare ids exactly, so no backend is found for `xnnpackbackend`, and the error does not show why.
    either "pte/delegates/id-in-lower-case": "backend id in lower case" about rules::DEL_ID_CASE,
        from "pte/valid/xnnpack-delegate", refs ["pytorch/executorch#3696"]
        => |file| file.elements("execution_plan[0].delegates[0].id", 0, b"xnnpackbackend");

    /// The last of three delegates does not say where its blob is. A reader may notice that only after it has
    /// initialized the other two.
    reject "pte/delegates/processed-absent": "delegate processed field absent" breaks rules::DEL_PROCESSED,
        from "pte/valid/delegates", refs ["pytorch/executorch#19904"]
        => |file| file.own_slot("execution_plan[0].delegates[2]", 1, 0);

    /// The only locations are inline (0) and segment (1). A reader that tests only for 1 takes 2 for inline.
    reject "pte/delegates/location-2": "delegate data location 2" breaks rules::DEL_LOCATION,
        from "pte/valid/delegates" => |file| file.scalar("execution_plan[0].delegates[2].processed.location", 2_i8);

    /// The location is neither inline (0) nor segment (1). Whichever of the two a reader assumes, it gets the wrong blob.
    reject "pte/delegates/location-minus-1": "delegate data location −1" breaks rules::DEL_LOCATION,
        from "pte/valid/delegates" => |file| file.scalar("execution_plan[0].delegates[2].processed.location", -1_i8);

    /// The index is 1, but there is only one blob. If the check is off by one, the word after the list becomes an offset.
    reject "pte/delegates/inline-index-past-end": "inline blob index one past the list" breaks rules::DEL_INLINE_INDEX,
        from "pte/valid/delegates" => |file| file.scalar("execution_plan[0].delegates[0].processed.index", 1_u32);

    /// As a signed integer, the index is −1. In 32-bit arithmetic, it selects the list's count, which precedes the first blob.
    reject "pte/delegates/inline-index-max": "inline blob index 2^32 − 1" breaks rules::DEL_INLINE_INDEX,
        from "pte/valid/delegates" => |file| file.scalar("execution_plan[0].delegates[0].processed.index", u32::MAX);

    /// A delegate uses blob 0. Comparing that index with the length of the absent list dereferences null.
    reject "pte/delegates/inline-list-absent": "backend_delegate_data absent" breaks rules::DEL_INLINE_INDEX,
        from "pte/valid/delegates", refs ["pytorch/executorch#19904"] => |file| file.slot("", 3, 0);

    /// The count is 0, but the offset to blob 0 still follows it, so a reader that ignores the count seems to work.
    reject "pte/delegates/inline-list-empty": "backend_delegate_data empty" breaks rules::DEL_INLINE_INDEX,
        from "pte/valid/delegates" => |file| file.count("backend_delegate_data", 0);

    /// Even an empty blob needs a vector. Reading the length of an absent vector dereferences null.
    reject "pte/delegates/inline-data-absent": "inline blob without data" breaks rules::DEL_INLINE_INDEX,
        from "pte/valid/delegates", refs ["pytorch/executorch#19904"]
        => |file| file.own_slot("backend_delegate_data[0]", 0, 0);

    /// The blob is loaded with the program, but no delegate uses it, so it can hide data.
    either "pte/delegates/inline-unreferenced": "unreferenced inline blob" about rules::DEL_INLINE_ALL_REFERENCED,
        from "pte/valid/delegates" => |file| {
            file.scalar("execution_plan[0].delegates[0].processed.location", 1_i8);
            file.scalar("execution_plan[0].delegates[0].processed.index", 1_u32);
        };

    /// As a signed integer, the segment index is −1, which is below every count.
    reject "pte/delegates/segment-index-max": "delegate segment index 2^32 − 1" breaks rules::DEL_SEGMENT_INDEX,
        from "pte/valid/delegates" => |file| file.scalar("execution_plan[0].delegates[1].processed.index", u32::MAX);

    /// The blob is empty, but the file has no header, so there is no segment base to resolve the blob from.
    reject "pte/delegates/segment-without-header": "empty delegate blob in a segment, no header"
        breaks rules::DEL_SEGMENT_INDEX, from "pte/valid/inline-delegate"
        => |file| file.scalar("execution_plan[0].delegates[0].processed.location", 1_i8);

    /// The blob is in segment 1, but there is no list of segments. A reader that checks only the base dereferences null.
    reject "pte/delegates/segments-absent": "segments absent, delegate blob in a segment"
        breaks segments::SEG_NULL_TABLE,
        from "pte/valid/segment-delegate", refs ["pytorch/executorch#19916"] => |file| file.slot("", 4, 0);

    /// Some loaders return null if they are asked for 0 bytes, and some backends dereference that null.
    build "pte/delegates/empty-segment": "empty delegate blob in a segment" about rules::DEL_EMPTY_INLINE
        => || segment_delegate(&[&base::ramp(40), &[]]);

    /// The second spec has no key. Backends compare keys, so the reader has to check that every spec has one.
    reject "pte/delegates/compile-spec-key-absent": "compile spec key absent" breaks rules::DEL_COMPILE_SPEC,
        from "pte/valid/delegates" => |file| file.own_slot("execution_plan[0].delegates[0].compile_specs[1]", 0, 0);

    /// A spec that needs no value should have an empty vector, because copying an absent vector dereferences null.
    reject "pte/delegates/compile-spec-value-absent": "compile spec value absent" breaks rules::DEL_COMPILE_SPEC,
        from "pte/valid/delegates" => |file| file.own_slot("execution_plan[0].delegates[0].compile_specs[1]", 1, 0);

    /// The blob begins with an XNNPACK header, and its graph has no values. A reader that has the XNNPACK backend must
    /// accept the file.
    build "pte/valid/xnnpack-delegate": "XNNPACK blob in a segment" shows rules::DEL_XNN_MAGIC, needs ["xnnpack"]
        => || xnnpack(pte::DataLocation::SEGMENT);

    /// The header's offsets are relative to the blob's first byte, whether the blob is inline or in a segment.
    build "pte/valid/xnnpack-inline-delegate": "inline XNNPACK blob" shows rules::DEL_XNN_FLATBUFFER, needs ["xnnpack"]
        => || xnnpack(pte::DataLocation::INLINE);

    /// The blob has 24 bytes, but its header needs 30, so reading the header goes past the blob's end.
    reject "pte/delegates/xnnpack-header-cut": "XNNPACK blob shorter than its header" breaks rules::DEL_XNN_SIZE,
        from "pte/valid/xnnpack-inline-delegate", needs ["xnnpack"]
        => |file| file.count("backend_delegate_data[0].data", 24);

    /// The header's version, and therefore its layout, is unknown. A backend that compares only the letters misreads the offsets.
    reject "pte/delegates/xnnpack-magic-next-version": "XNNPACK magic XH01" breaks rules::DEL_XNN_MAGIC,
        from "pte/valid/xnnpack-delegate", needs ["xnnpack"] => |file| put_blob(file, 4, b"XH01");

    /// The root offset and the identifier need 8 bytes, so reading the identifier goes past the end of the FlatBuffer.
    reject "pte/delegates/xnnpack-flatbuffer-4-bytes": "XNNPACK FlatBuffer of 4 bytes" breaks rules::DEL_XNN_FLATBUFFER,
        from "pte/valid/xnnpack-delegate", needs ["xnnpack"] => |file| put_blob(file, 14, 4_u32);

    /// The FlatBuffer ends one byte past the blob, so a byte from another part of the file is verified as part of the graph.
    reject "pte/delegates/xnnpack-flatbuffer-past-end": "XNNPACK FlatBuffer past the blob"
        breaks rules::DEL_XNN_FLATBUFFER, from "pte/valid/xnnpack-delegate", refs ["pytorch/executorch#18784"],
        needs ["xnnpack"] => |file| put_blob(file, 14, 65_u32);

    /// In 32-bit arithmetic, the sum, 2^32 + 16, wraps to 16, which is inside the blob.
    reject "pte/delegates/xnnpack-flatbuffer-sum-wraps": "XNNPACK FlatBuffer offset + size wraps"
        breaks rules::DEL_XNN_FLATBUFFER, from "pte/valid/xnnpack-delegate", refs ["pytorch/executorch#18784"],
        needs ["xnnpack"] => |file| put_blob(file, 10, u32::MAX - 31);

    /// The constants end one byte past the blob, so the backend computes with a byte from another part of the file.
    reject "pte/delegates/xnnpack-constants-past-end": "XNNPACK constant data past the blob"
        breaks rules::DEL_XNN_CONSTANTS, from "pte/valid/xnnpack-delegate", refs ["pytorch/executorch#18784"],
        needs ["xnnpack"] => |file| put_blob(file, 22, 17_u64);

    /// In 64-bit arithmetic, the sum, 2^64 + 16, wraps to 16, which is inside the blob.
    reject "pte/delegates/xnnpack-constants-sum-wraps": "XNNPACK constant offset + size wraps"
        breaks rules::DEL_XNN_CONSTANTS, from "pte/valid/xnnpack-delegate", refs ["pytorch/executorch#18784"],
        needs ["xnnpack"] => |file| put_blob(file, 22, u64::MAX - 63);

    /// The constants overlap the graph, so a backend that changes them in place also changes the graph.
    reject "pte/delegates/xnnpack-constants-overlap": "XNNPACK constant data inside the FlatBuffer"
        breaks rules::DEL_XNN_NO_OVERLAP, from "pte/valid/xnnpack-delegate", refs ["pytorch/executorch#18784"],
        needs ["xnnpack"] => |file| put_blob(file, 18, 64_u32);

    /// The official writer always writes a length of 30, but the backend does not read the length.
    either "pte/delegates/xnnpack-length-0": "XNNPACK header length 0" about rules::DEL_XNN_LENGTH,
        from "pte/valid/xnnpack-delegate", needs ["xnnpack"] => |file| put_blob(file, 8, &[0; 2]);

    /// The constants begin at byte 84, which is not a multiple of 16, so loading them faults on some hosts.
    either "pte/delegates/xnnpack-constants-unaligned": "XNNPACK constant data not aligned"
        about rules::DEL_XNN_PLACEMENT, from "pte/valid/xnnpack-delegate", needs ["xnnpack"] => |file| {
            put_blob(file, 18, 84_u32);
            put_blob(file, 22, 12_u64);
        };

    /// The identifier names an unknown version of the graph's schema, so the official backend refuses the blob.
    either "pte/delegates/xnnpack-graph-next-version": "XNNPACK graph with the identifier XN99"
        about rules::DEL_XNN_ROOT, from "pte/valid/xnnpack-delegate", needs ["xnnpack"]
        => |file| put_blob(file, 36, b"XN99");

    /// A backend that does not verify the FlatBuffer reads the graph from the constants that follow it.
    either "pte/delegates/xnnpack-graph-root-past-end": "XNNPACK graph whose root is past the FlatBuffer"
        about rules::DEL_XNN_ROOT, from "pte/valid/xnnpack-delegate", needs ["xnnpack"]
        => |file| put_blob(file, 32, 52_u32);

    /// A backend that loops over the absent list dereferences null.
    either "pte/delegates/xnnpack-graph-without-values": "XNNPACK graph without its list of values"
        about rules::DEL_XNN_LISTS, from "pte/valid/xnnpack-delegate", needs ["xnnpack"]
        => |file| put_blob(file, 54, &[0; 2]);

    /// External ids index the call's arguments, so the backend reads a pointer from the memory after the two arguments.
    either "pte/delegates/xnnpack-external-id-past-arguments": "XNNPACK output 2 in a call with 2 arguments"
        about rules::DEL_XNN_ARGS, from "pte/valid/xnnpack-key-in-program", needs ["xnnpack"]
        => |file| external_output(file, 2);

    /// Argument 1 is an integer. A backend that does not check the argument's type uses the integer as a tensor's address.
    either "pte/delegates/xnnpack-external-id-of-int": "XNNPACK output whose argument is an Int"
        about rules::DEL_XNN_ARGS, from "pte/valid/xnnpack-key-in-program", needs ["xnnpack"] => |file| {
            external_output(file, 1);
            file.elements("execution_plan[0].chains[0].instructions[0].instr_args.args", 4, 3_i32);
        };

    /// The blob contains a key instead of the constant's data. The data is in the program's own named data, and the
    /// backend must get it from there.
    build "pte/valid/xnnpack-key-in-program": "XNNPACK constant in the program's named data"
        shows companions::X_XNN_KEY_FOUND, needs ["xnnpack"] => || keyed_xnnpack("weight");

    /// The constant's key is in the data file, so the reader must offer the backend the keys of every file.
    build "pte/valid/xnnpack-key-in-data-file": "XNNPACK constant in a data file" shows companions::X_XNN_KEY_FOUND,
        with ["ptd/valid/external-weight"], needs ["xnnpack"] => || keyed_xnnpack("beside");

    /// Neither the data file nor the program's named data has the key. A backend that ignores the failed look-up
    /// computes with null.
    reject "pte/external/xnnpack-key-missing": "XNNPACK constant whose key no file contains"
        breaks companions::X_XNN_KEY_FOUND, from "pte/valid/xnnpack-key-in-data-file", needs ["xnnpack"]
        => |file| put_blob(file, KEY_AT, b"wait-1");

    /// The blob's key is only the beginning of a key in the data file. A backend that matches prefixes uses the wrong bytes.
    reject "pte/external/xnnpack-key-begins-a-key": "XNNPACK constant whose key is a prefix of a key"
        breaks companions::X_XNN_KEY_FOUND, from "pte/valid/xnnpack-key-in-data-file", needs ["xnnpack"] => |file| {
            put_blob(file, KEY_AT - 4, 5_u32);
            put_blob(file, KEY_AT + 5, &[0]);
        };
}

/// Makes the only value in [`keyed_xnnpack_blob`]'s graph an output with an external id. The flags share the bytes of
/// the number of dimensions, because 2 also means "output".
fn external_output(file: &mut Patcher<'_>, id: u32) {
    put_blob(file, 32 + 92, 16_u16);
    put_blob(file, 32 + 106, 8_u16);
    put_blob(file, 32 + 128, id);
}
