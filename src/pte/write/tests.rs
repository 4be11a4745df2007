#![allow(clippy::unwrap_used, reason = "a test may end on a broken fixture")]

use std::string::ToString;
use std::vec;

use super::*;
use crate::pte::Pte;
use crate::pte::schema::DataSegment;

fn header(layout: ProgramLayout, flatbuffer_len: u64, data_size: u64) -> (u64, u32, u64, u64, Option<u64>) {
    let (header, padded) = layout.header_for(flatbuffer_len, data_size).unwrap().unwrap();
    (padded, header.length, header.program_size, header.segment_base_offset, header.segment_data_size)
}

/// The numbers of an official 516-byte file, with a 408-byte FlatBuffer and 4-byte constants.
#[test]
fn header_numbers_match_the_official_writer() {
    let layout = ProgramLayout::default();
    assert_eq!(header(layout, 408, 4), (32, 32, 440, 512, Some(4)));
    assert_eq!(header(ProgramLayout { constant_alignment: 64, ..layout }, 408, 4), (64, 32, 472, 512, Some(4)));
    assert_eq!(header(ProgramLayout { constant_alignment: 128, ..layout }, 408, 4), (128, 32, 536, 640, Some(4)));
    assert_eq!(header(ProgramLayout { segment_alignment: 4096, ..layout }, 408, 4), (32, 32, 440, 4096, Some(4)));
    let kind = |header| ProgramLayout { header, ..layout };
    assert_eq!(header(kind(HeaderKind::Always(24)), 408, 4), (32, 24, 440, 512, None));
    assert_eq!(header(kind(HeaderKind::Always(31)), 408, 4), (32, 31, 440, 512, None));
    assert_eq!(header(kind(HeaderKind::Always(40)), 408, 4), (48, 40, 456, 512, Some(4)));
    assert_eq!(header(kind(HeaderKind::Always(32)), 408, 0), (32, 32, 440, 0, Some(0)));
    assert_eq!(layout.header_for(408, 0).unwrap(), None);
}

#[test]
fn omits_the_header_without_data() {
    let file = write(&TableTree::new(Program::TYPE), &[SegmentData::new(b"")], &ProgramLayout::default()).unwrap();
    let open = Pte::open(&file).unwrap();
    assert_eq!(open.header(), None);
    assert_eq!(open.program().segments().unwrap().unwrap().len(), 1);
    let forced = ProgramLayout { header: HeaderKind::Always(32), ..ProgramLayout::default() };
    let file = write(&TableTree::new(Program::TYPE), &[], &forced).unwrap();
    let open = Pte::open(&file).unwrap();
    assert_eq!(open.header().unwrap().segment_base_offset, 0);
    assert_eq!(open.header().unwrap().program_size, file.len() as u64);
    assert_eq!(open.program().segments().unwrap().unwrap().len(), 0);
}

#[test]
fn keeps_segments_that_the_tree_sets() {
    let own = TableTree::new(DataSegment::TYPE).with("offset", 1).with("size", 2);
    let program = TableTree::new(Program::TYPE).with("segments", [own]);
    let file = write(&program, &[SegmentData::new(b"abcd")], &ProgramLayout::default()).unwrap();
    assert_eq!(Pte::open(&file).unwrap().segment_bytes(0).unwrap(), b"bc");
}

/// Alignments are relative to the start of the file, even if it has a header.
#[test]
fn aligns_inline_blobs_from_the_start_of_the_file() {
    let lengths = [7_u8, 0, 33, 1];
    let of = |ty, field: &str| lengths.map(|len| TableTree::new(ty).with(field, vec![len; len.into()]));
    let program = TableTree::new(Program::TYPE)
        .with("constant_buffer", of(Buffer::TYPE, "storage"))
        .with("backend_delegate_data", of(BackendDelegateInlineData::TYPE, "data"));
    let headers = [
        HeaderKind::IfNeeded(24),
        HeaderKind::IfNeeded(32),
        HeaderKind::Always(24),
        HeaderKind::Always(32),
        HeaderKind::Always(41),
    ];
    for (constant_alignment, delegate_alignment) in [(16, 16), (16, 64), (32, 16), (4096, 128), (256, 1 << 16)] {
        for (header, segments) in headers.into_iter().flat_map(|kind| [(kind, 0), (kind, 1)]) {
            let layout = ProgramLayout { header, constant_alignment, delegate_alignment, ..ProgramLayout::default() };
            let file = write(&program, &[SegmentData::new(b"x")][..segments], &layout).unwrap();
            let open = Pte::open(&file).unwrap();
            assert_eq!(open.header().is_some(), segments == 1 || matches!(header, HeaderKind::Always(_)));
            let blobs = |program: Program<'_>| {
                let constants = program.constant_buffer().unwrap().unwrap().iter();
                let delegates = program.backend_delegate_data().unwrap().unwrap().iter();
                let constants = constants.map(|buffer| buffer.unwrap().storage().unwrap().unwrap().span());
                let delegates = delegates.map(|blob| blob.unwrap().data().unwrap().unwrap().span());
                (constants.collect::<Vec<_>>(), delegates.collect::<Vec<_>>())
            };
            let (constants, delegates) = blobs(open.program());
            for (spans, alignment) in [(constants, constant_alignment), (delegates, delegate_alignment)] {
                assert_eq!(spans.len(), lengths.len());
                for (span, len) in spans.into_iter().zip(lengths) {
                    assert_eq!(span.offset % alignment as u64, 0, "{layout:?}");
                    let start = usize::try_from(span.offset).unwrap();
                    assert_eq!(file[start..start + usize::from(len)], vec![len; len.into()]);
                }
            }
        }
    }
}

#[test]
fn errors_name_the_field_to_change() {
    let program = TableTree::new(Program::TYPE);
    let fail = |program: &TableTree, alignment, layout| {
        let error = write(program, &[SegmentData { bytes: b"abcd", alignment }], &layout).unwrap_err();
        (error.cause, error.path().to_string())
    };
    let is = |cause, path: &str| (cause, path.to_string());
    let layout = ProgramLayout::default();
    assert_eq!(fail(&program, 0, layout), is(WriteCause::Layout, "segments[0]"));
    let zero = ProgramLayout { segment_alignment: 0, ..layout };
    assert_eq!(fail(&program, 1, zero), is(WriteCause::Layout, "layout"));
    for header in [HeaderKind::IfNeeded(23), HeaderKind::Never] {
        assert_eq!(fail(&program, 1, ProgramLayout { header, ..layout }), is(WriteCause::Layout, "header"));
    }
    let long = ProgramLayout { header: HeaderKind::Always(u32::MAX), ..layout };
    assert_eq!(fail(&program, 1, long), is(WriteCause::Limit, ""));
    let far = ProgramLayout { segment_alignment: u64::MAX, ..layout };
    assert_eq!(fail(&program, 2, far), is(WriteCause::Limit, ""));
    let odd = ProgramLayout { delegate_alignment: 24, ..layout };
    assert_eq!(fail(&program, 1, odd), is(WriteCause::Tree, "BackendDelegateInlineData.data"));
    assert_eq!(fail(&TableTree::new(Buffer::TYPE), 1, layout), is(WriteCause::Tree, ""));
    assert_eq!(fail(&program.with("plan", 1), 1, layout), is(WriteCause::Tree, "Program"));
}
