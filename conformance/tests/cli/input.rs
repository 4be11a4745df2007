//! Tests `Input`, which reads ranges of a file.

testkit::command_in!("input");

use std::fs::{self, File};
use std::io::{self, Read};

use command::{file, real, scratch};
use torchproof::check::{ReadAt, ReadError};
use torchproof::{FileBytes, Span};
use torchproof_harness::disk::input::{Input, each_piece};

#[test]
fn loads_the_flatbuffer_but_not_the_segments() {
    for (name, loaded) in [("multi_method.pte", 3992), ("mlp_external.ptd", 504), ("add.pte", 1064)] {
        let bytes = fs::read(real(name)).unwrap();
        let input = Input::open(&real(name)).unwrap();
        assert_eq!(input.file_bytes().bytes(), &bytes[..loaded], "{name}");
        assert_eq!(input.file_bytes().len(), bytes.len() as u64);
    }
}

#[test]
fn opens_files_of_any_length() {
    let bytes = fs::read(real("linear.pte")).unwrap();
    for len in (0..100).chain([1463, 1464, 1465]) {
        let input = Input::open(&scratch().join(file("prefix.pte", &bytes[..len]))).unwrap();
        let needed = FileBytes::needed(&bytes[..len.min(64)], len as u64);
        assert_eq!((input.file_bytes().bytes().len() as u64, input.file_bytes().len()), (needed, len as u64));
    }
}

#[test]
fn open_whole_loads_all_bytes_at_an_aligned_or_an_odd_address() {
    let bytes: Vec<u8> = (0..200_000_u32).map(|index| index.to_le_bytes()[0] ^ index.to_le_bytes()[1]).collect();
    for len in (0..70).chain([4095, 4096, 65_537, 200_000]) {
        let path = scratch().join(file("whole", &bytes[..len]));
        for odd in [false, true] {
            let input = Input::open_whole(&path, odd).unwrap();
            let loaded = input.file_bytes().bytes();
            assert_eq!((loaded, loaded.as_ptr() as usize % 16), (&bytes[..len], usize::from(odd)), "{len}");
            let mut read = Vec::new();
            input.read(Span::of(0, len), &mut |piece| read.extend_from_slice(piece)).unwrap();
            assert_eq!(read, &bytes[..len]);
            assert!(input.read(Span::of(1, len), &mut |_| {}).is_err());
            let whole = Span::of(0, len);
            assert_eq!(input.first_nonzero(whole), FileBytes::whole(loaded).first_nonzero(whole));
        }
    }
}

#[test]
fn reads_a_range_in_order_in_pieces_of_at_most_64_kib() {
    let bytes: Vec<u8> = (0..200_000_u32).map(|index| index.to_le_bytes()[0] ^ index.to_le_bytes()[1]).collect();
    let input = Input::open(&scratch().join(file("pieces", &bytes))).unwrap();
    for (offset, len) in [(0, 200_000), (1, 65_536), (65_535, 65_538), (199_999, 1), (200_000, 0)] {
        let mut read = Vec::new();
        let span = Span::of(offset, len);
        input
            .read(span, &mut |piece| {
                assert!(piece.len() <= 64 << 10);
                read.extend_from_slice(piece);
            })
            .unwrap();
        assert_eq!(read, bytes[offset..offset + len]);
    }
    for span in [Span::new(199_999, 2), Span::new(u64::MAX, 1), Span::new(1, u64::MAX)] {
        assert!(input.read(span, &mut |_| panic!("read past the end")).is_err());
    }
}

/// The file has terabytes of holes. If the search did not skip them, the test would exceed its time limit.
#[cfg(target_os = "linux")]
#[test]
fn first_nonzero_skips_holes() {
    use std::io::{Seek, SeekFrom, Write};

    let path = scratch().join("gaps");
    let mut gaps = File::create(&path).unwrap();
    let far = 3 << 40;
    for at in [100_000, far + 70_000] {
        gaps.seek(SeekFrom::Start(at)).unwrap();
        gaps.write_all(&[7]).unwrap();
    }
    gaps.set_len(4 << 40).unwrap();
    let input = Input::open(&path).unwrap();
    let first = |offset, end| input.first_nonzero(Span::new(offset, end - offset));
    assert_eq!(first(0, 100_000), Ok(None));
    assert_eq!(first(0, 100_001), Ok(Some(100_000)));
    assert_eq!(first(100_000, 100_001), Ok(Some(100_000)));
    assert_eq!(first(100_001, 200_000), Ok(None));
    assert_eq!(first(100_001, 4 << 40), Ok(Some(far + 70_000)));
    assert_eq!(first(far + 70_001, 4 << 40), Ok(None));
    assert_eq!(first(5, 5), Ok(None));
    assert_eq!(first(4 << 40, (4 << 40) + 1), Err(ReadError));
}

#[test]
fn a_file_that_shrinks_is_an_error() {
    let input = Input::open(&scratch().join(file("shrinks", &[1; 1000]))).unwrap();
    File::options().write(true).open(input.path()).unwrap().set_len(10).unwrap();
    let error = input.read(Span::new(0, 1000), &mut |_| ()).unwrap_err().to_string();
    insta::assert_snapshot!(error.rsplit(": ").next().unwrap(), @"the file ended before the expected number of bytes");
    assert_eq!(input.first_nonzero(Span::new(5, 900)), Err(ReadError));
}

#[test]
fn repeats_an_interrupted_read() {
    struct Interrupted(bool);

    impl Read for Interrupted {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0 = !self.0;
            if self.0 { Err(io::ErrorKind::Interrupted.into()) } else { (&[7_u8][..]).read(buffer) }
        }
    }

    let mut read = Vec::new();
    each_piece(
        Interrupted(false).take(3),
        |error| error,
        |piece| {
            read.extend_from_slice(piece);
            Ok(())
        },
    )
    .unwrap();
    assert_eq!(read, [7; 3]);
}
