#![allow(clippy::unwrap_used)] // A test may end on a broken fixture.

use std::error::Error;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;
use torchproof::FileKind;
use torchproof::check::Checker;
use torchproof::flatbuffer::schema::TableView;
use torchproof::flatbuffer::tree::TableTree;
use torchproof::ptd::Ptd;
use torchproof::ptd::schema::TensorLayout;
use torchproof::pte::Pte;
use torchproof::pte::schema::NamedData;
use torchproof::view;
use torchproof::write::Fault;

use super::{Data, Document, EditError, Existing, Place, Segment, WrongDigest};
use crate::compare::first_difference;
use crate::findings::examine;
use crate::findings::text::render;

fn real(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/real").join(name)
}

fn all_real() -> Vec<PathBuf> {
    let entries = fs::read_dir(real("")).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<_> = entries.filter(|path| path.extension().is_some_and(|ending| ending != "md")).collect();
    assert!(files.len() >= 13);
    files
}

fn dump(path: &Path) -> Json {
    view::to_value(&fs::read(path).unwrap()).unwrap()
}

/// The whole of a file but for what says only where things are.
fn content(path: &Path) -> Json {
    let mut json = dump(path);
    json.as_object_mut().unwrap().remove("header");
    for list in ["segments", "program.segments", "flat_tensor.segments"] {
        let found = list.split('.').try_fold(&mut json, |json, step| json.get_mut(step));
        for entry in found.and_then(Json::as_array_mut).into_iter().flatten() {
            entry.as_object_mut().unwrap().remove("offset");
        }
    }
    json
}

#[test]
fn what_is_opened_and_saved_is_the_same_file_in_meaning_and_is_accepted() {
    let folder = tempfile::tempdir().unwrap();
    for path in all_real() {
        let copy = folder.path().join(path.file_name().unwrap());
        let mut document = Document::open(&path).unwrap();
        document.save(&copy, Existing::Keep).unwrap();
        assert_eq!(first_difference(&content(&path), &content(&copy)), None, "{}", path.display());
        let (_, examined) = examine(&copy, &[], &Checker::new()).unwrap();
        assert!(examined.accepts(true), "{}: {:?}", path.display(), examined.report.findings);
        // Writing what was written changes nothing.
        let twice = folder.path().join("twice");
        Document::open(&copy).unwrap().save(&twice, Existing::Replace).unwrap();
        assert!(fs::read(&twice).unwrap() == fs::read(&copy).unwrap(), "{}", path.display());
        // Programs were written as this writer writes; data files by another encoder.
        if document.kind() == FileKind::Pte {
            assert_eq!(first_difference(&dump(&path), &dump(&copy)), None, "{}", path.display());
        }
    }
}

/// The older layout's alignment is filled in for what is made, and not for what is there.
#[test]
fn an_alignment_that_a_file_does_not_tell_is_not_made_up() {
    let folder = tempfile::tempdir().unwrap();
    let [path, copy] = ["untold.ptd", "copy.ptd"].map(|name| folder.path().join(name));
    let mut bytes = fs::read(real("legacy_v0.6.0_tensors.ptd")).unwrap();
    // The slot of `tensor_alignment` in the root's vtable.
    let number = |bytes: &[u8], at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let root = number(&bytes, 0);
    let slot = root - number(&bytes, root) + 4 + 2;
    assert_ne!(bytes[slot..slot + 2], [0, 0]);
    bytes[slot..slot + 2].fill(0);
    fs::write(&path, &bytes).unwrap();
    Document::open(&path).unwrap().save(&copy, Existing::Keep).unwrap();
    let (before, after) = (dump(&path), dump(&copy));
    assert_eq!(after["flat_tensor"]["tensor_alignment"], 0);
    assert_eq!(after["flat_tensor"], before["flat_tensor"]);
}

#[test]
fn named_data_is_put_replaced_and_removed_in_every_kind_of_file() {
    let folder = tempfile::tempdir().unwrap();
    for path in all_real() {
        let copy = folder.path().join(path.file_name().unwrap());
        let mut document = Document::open(&path).unwrap();
        let put = document.set_named_data("metadata.a", Data::Bytes(b"one".to_vec()), 1);
        if document.kind() == FileKind::PtdLegacy {
            assert!(matches!(put, Err(EditError::OlderLayout)));
            continue;
        }
        put.unwrap();
        document.set_named_data("metadata.b", Data::Fill { pattern: b"xy".to_vec(), len: 5 }, 256).unwrap();
        document.set_named_data("metadata.a", Data::Bytes(b"three".to_vec()), 1).unwrap();
        document.save(&copy, Existing::Replace).unwrap();
        let bytes = fs::read(&copy).unwrap();
        let find = |key: &[u8]| match document.kind() {
            FileKind::Pte => Pte::open(&bytes).unwrap().named_data(key).unwrap(),
            _ => Ptd::open(&bytes).unwrap().named_data(key).unwrap(),
        };
        assert_eq!(find(b"metadata.a"), Some(&b"three"[..]));
        let second = find(b"metadata.b").unwrap();
        assert_eq!(second, b"xyxyx");
        assert_eq!((second.as_ptr() as usize - bytes.as_ptr() as usize) % 256, 0);
        let (_, examined) = examine(&copy, &[], &Checker::new()).unwrap();
        assert!(examined.accepts(true), "{}: {:?}", path.display(), examined.report.findings);

        let mut again = Document::open(&copy).unwrap();
        assert!(again.remove_named_data(b"metadata.a") && again.remove_named_data(b"metadata.b"));
        assert!(!again.remove_named_data(b"metadata.a"));
        again.save(&copy, Existing::Replace).unwrap();
        let (mut want, mut have) = (content(&path), content(&copy));
        for json in [&mut want, &mut have] {
            // An empty list of named data, and an absent one, hold the same.
            if json["program"]["named_data"].as_array().is_some_and(Vec::is_empty) {
                json["program"].as_object_mut().unwrap().remove("named_data");
            }
        }
        assert_eq!(first_difference(&want, &have), None, "{}", path.display());
    }
}

/// The segment of a constant's key comes before others: what is behind it moves up, and stays what it is.
#[test]
fn indexes_are_counted_down_behind_a_segment_that_goes() {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("mlp.ptd");
    let mut document = Document::open(&real("mlp_external.ptd")).unwrap();
    let keys: Vec<Vec<u8>> = document.named_data().map(|(key, _)| key.to_vec()).collect();
    let gone = keys.iter().find(|key| document.named_segment(key) == Some(0)).unwrap();
    assert!(document.remove_named_data(gone));
    document.save(&copy, Existing::Keep).unwrap();
    let (before, after) = (fs::read(real("mlp_external.ptd")).unwrap(), fs::read(&copy).unwrap());
    let (before, after) = (Ptd::open(&before).unwrap(), Ptd::open(&after).unwrap());
    assert_eq!(after.named_data(gone).unwrap(), None);
    for key in keys.iter().filter(|key| *key != gone) {
        assert_eq!(after.named_data(key).unwrap(), before.named_data(key).unwrap());
    }
}

#[test]
fn a_shared_segment_stays_as_long_as_it_is_referred_to() {
    let mut document = Document::open(&real("mlp_external.ptd")).unwrap();
    let count = document.segments().len();
    let entries = document.root_mut().tables_mut("named_data").unwrap();
    let twin = entries[0].clone().with("key", "twin");
    entries.push(twin);
    let shared = document.named_segment(b"twin").unwrap();
    assert!(document.is_referred_to(shared) && !document.remove_segment(shared));
    document.set_named_data("twin", Data::Bytes(vec![1]), 1).unwrap();
    assert_eq!((document.segments().len(), document.named_segment(b"twin")), (count + 1, u32::try_from(count).ok()));
    assert!(document.remove_named_data(b"twin"));
    assert_eq!(document.segments().len(), count);
}

/// What is said of an error is what its causes say, down to that of the system.
#[test]
fn an_error_has_its_causes() {
    let chain = |error: EditError| {
        let (mut causes, mut next) = (Vec::new(), error.source());
        while let Some(cause) = next {
            causes.push(cause.to_string());
            next = cause.source();
        }
        causes
    };
    let open = || Document::open(&real("linear.pte")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.pte");
    let mut document = open();
    document.segments_mut()[0].sha256 = Some([0; 32]);
    let causes = chain(document.save(&path, Existing::Keep).unwrap_err());
    assert!(matches!(&causes[..], [cause] if cause.starts_with("sha256 of the data is ")), "{causes:?}");
    let mut document = open();
    let span = torchproof::Span::new(0, 4);
    document.segments_mut()[0].data = Data::File { path: folder.path().join("none"), span };
    let causes = chain(document.save(&path, Existing::Keep).unwrap_err());
    assert!(causes[0].ends_with("none: no such file"), "{causes:?}");
    assert_eq!(chain(Document::open(&path).unwrap_err()).len(), 1);
    let causes = chain(open().save(&folder.path().join("no/folder"), Existing::Keep).unwrap_err());
    assert!(causes[0].starts_with("No such file or directory"), "{causes:?}");
    assert_eq!(chain(open().merge(&[open()]).unwrap_err()), ["is not a data file"]);
    let mut document = open();
    document.segments_mut()[0].place = Place::Aligned(0);
    assert_eq!(chain(document.outline().unwrap_err()), ["segment 0 has an alignment of 0"]);
}

#[test]
fn a_tensor_says_what_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("linear.ptd");
    let mut document = Document::open(&real("linear_external.ptd")).unwrap();
    let layout = TableTree::new(TensorLayout::TYPE).with("sizes", [3]).with("dim_order", [0_u8]);
    document.set_tensor("t", Data::zeros(3), 16, layout.clone()).unwrap();
    document.save(&copy, Existing::Keep).unwrap();
    assert_eq!(dump(&copy)["flat_tensor"]["named_data"][2]["tensor_layout"]["sizes"], serde_json::json!([3]));
    let mut program = Document::open(&real("linear.pte")).unwrap();
    let error = program.set_tensor("t", Data::zeros(3), 16, layout).unwrap_err();
    assert_eq!(error.to_string(), "NamedData has no field `tensor_layout`");
    assert!(matches!(program.set_named_data("t", Data::zeros(3), 3), Err(EditError::Alignment { given: 3 })));
}

#[test]
fn what_would_be_rejected_or_cannot_be_read_leaves_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.pte");
    fs::write(&path, "what was there").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let open = || Document::open(&real("linear.pte")).unwrap();

    let mut document = open();
    document.segments_mut().push(Segment { place: Place::At(0), ..Segment::new(Data::zeros(1), 1) });
    let error = document.save(&path, Existing::Replace).unwrap_err();
    assert!(error.to_string().contains("(breaks seg-no-overlap)"), "{error}");

    let mut document = open();
    let span = torchproof::Span::new(0, 4);
    document.segments_mut().push(Segment::new(Data::File { path: folder.path().join("none"), span }, 1));
    let error = document.save(&path, Existing::Replace).unwrap_err();
    let message = error.to_string();
    assert!(message.starts_with("segments[1]: ") && message.ends_with("none: no such file"), "{message}");

    let mut document = open();
    document.segments_mut()[0].sha256 = Some([0; 32]);
    let error = document.save(&path, Existing::Replace).unwrap_err();
    assert!(error.to_string().starts_with("segments[0]: sha256 of the data is "), "{error}");
    assert!(matches!(error, EditError::Digest { index: 0, error: WrongDigest { wanted: [0, ..], .. } }));

    let mut document = open();
    document.segments_mut().push(Segment { sha256: Some([0; 32]), ..Segment::new(Data::zeros(0), 1) });
    let error = document.save(&path, Existing::Replace).unwrap_err();
    assert!(matches!(error, EditError::Digest { index: 1, error } if error.found != error.wanted), "{error}");

    let error = open().save(&path, Existing::Keep).unwrap_err();
    assert!(error.to_string().ends_with("model.pte: exists already"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), b"what was there");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);

    open().save(&path, Existing::Replace).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// What is checked before it is there is what is there then.
#[test]
fn a_draft_is_the_file_before_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("written");
    for real in all_real() {
        let mut document = Document::open(&real).unwrap();
        if document.kind() != FileKind::PtdLegacy {
            // Its bytes are looked at, and the last one is broken.
            let text = [&[b'a'; 4000][..], &[0xff]].concat();
            document.set_named_data("metadata.general.name", Data::Bytes(text), 1).unwrap();
            document
                .set_named_data(
                    "metadata.far",
                    Data::File { path: real.clone(), span: torchproof::Span::new(0, 9) },
                    1 << 16,
                )
                .unwrap();
        }
        for (flatbuffer, file) in [(0, 0), (1 << 15, 0), (0, 1 << 18)] {
            document.layout_mut().flatbuffer_end = flatbuffer;
            document.layout_mut().file_end = file;
            document.write_unchecked(&mut fs::File::create(&path).unwrap()).unwrap();
            let mut bytes = Vec::new();
            let draft = document.draft().unwrap();
            draft.write(&mut bytes).unwrap();
            assert!(bytes == fs::read(&path).unwrap(), "{}, {flatbuffer}, {file}", real.display());
            let (input, examined) = examine(&path, &[], &Checker::new()).unwrap();
            match draft.expect_accepted() {
                Ok(drafted) => {
                    let drafted = drafted.unwrap();
                    assert_eq!(format!("{drafted:?}"), format!("{examined:?}"));
                    let shown =
                        [render("it", &draft, &drafted, true, false), render("it", &input, &examined, true, false)];
                    assert_eq!(shown[0], shown[1]);
                }
                Err(EditError::Rejected(drafted)) => assert_eq!(format!("{drafted:?}"), format!("{examined:?}")),
                Err(error) => panic!("{error}"),
            }
        }
    }
}

/// Where a position counts from the file's first byte.
fn positions(path: &Path) -> Vec<u64> {
    let bytes = fs::read(path).unwrap();
    let file = view::File::open(torchproof::Image::whole(&bytes)).unwrap();
    file.segments().unwrap().iter().map(|span| span.offset).collect()
}

#[test]
fn what_is_kept_keeps_its_alignment() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("aligned.pte");
    let mut document = Document::open(&real("align4096.pte")).unwrap();
    document.set_named_data("metadata.long", Data::Bytes(vec![7; 5000]), 1).unwrap();
    document.set_named_data("metadata.far", Data::Bytes(vec![7; 3]), 1 << 16).unwrap();
    document.save(&path, Existing::Keep).unwrap();
    let mut again = Document::open(&path).unwrap();
    again.remove_named_data(b"metadata.long");
    again.save(&path, Existing::Replace).unwrap();
    let positions = positions(&path);
    assert_eq!((positions.len(), positions[0] % 4096, positions[1] % (1 << 16)), (2, 0, 0));
}

/// Blobs inside the FlatBuffer, behind a header and without one.
#[test]
fn what_is_inline_keeps_its_alignment() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("inline.pte");
    for alignment in [16, 64, 4096] {
        let bytes = torchproof::cases::find("pte/valid/delegates").unwrap().build().unwrap().bytes;
        fs::write(&path, bytes).unwrap();
        let mut document = Document::open(&path).unwrap();
        document.layout_mut().inline_alignment = alignment;
        for edit in ["metadata.a", "metadata.longer", "metadata.a"] {
            document.set_named_data(edit, Data::Bytes(edit.as_bytes().to_vec()), 1).unwrap();
            document.save(&path, Existing::Replace).unwrap();
            document = Document::open(&path).unwrap();
            let bytes = fs::read(&path).unwrap();
            let program = Pte::open(&bytes).unwrap().program();
            let blobs = program.backend_delegate_data().unwrap().unwrap();
            let blobs = blobs.iter().filter_map(|blob| blob.unwrap().data().unwrap());
            let places: Vec<u64> =
                blobs.filter(|blob| !blob.is_empty()).map(|blob| blob.element_span(0).offset).collect();
            assert!(!places.is_empty() && places.iter().all(|place| place % alignment as u64 == 0), "{places:?}");
        }
    }
}

/// Whatever opens is written, or refused.
#[test]
fn files_that_were_tampered_with_do_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tampered");
    let mut opened = 0;
    for (name, step) in [("linear_external.ptd", 3), ("legacy_v0.6.0_tensors.ptd", 5), ("linear.pte", 11)] {
        let whole = fs::read(real(name)).unwrap();
        for at in (0..whole.len()).step_by(step) {
            for now in [0, 0xff, whole[at] ^ 1] {
                let mut bytes = whole.clone();
                bytes[at] = now;
                fs::write(&path, &bytes).unwrap();
                let Ok(mut document) = Document::open(&path) else { continue };
                opened += 1;
                let _ = document.set_named_data("metadata.a", Data::Bytes(vec![1]), 1);
                document.remove_segment(0);
                let _ = document.write_unchecked(&mut std::io::Cursor::new(Vec::new()));
                let _ =
                    document.split().map(|(mut data, _)| data.write_unchecked(&mut std::io::Cursor::new(Vec::new())));
            }
        }
    }
    assert!(opened > 500, "{opened}");
}

/// What is asked of a file is asked of the one that a link leads to.
#[test]
fn a_link_stays_a_link() {
    let folder = tempfile::tempdir().unwrap();
    let (path, link) = (folder.path().join("model.pte"), folder.path().join("link.pte"));
    fs::copy(real("add.pte"), &path).unwrap();
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let mut document = Document::open(&link).unwrap();
    document.set_named_data("metadata.a", Data::Bytes(b"a".to_vec()), 1).unwrap();
    document.save(&link, Existing::Replace).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(Pte::open(&fs::read(&path).unwrap()).unwrap().named_data(b"metadata.a").unwrap(), Some(&b"a"[..]));
}

#[test]
fn data_is_read_in_parts_of_any_size() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    fs::write(&path, b"0123456789").unwrap();
    let file = Data::File { path, span: torchproof::Span::new(2, 3) };
    let fill = Data::Fill { pattern: b"abc".to_vec(), len: 7 };
    let all = Data::Joined(vec![file, Data::zeros(2), Data::Joined(vec![]), fill, Data::Bytes(b"z".to_vec())]);
    assert_eq!(all.len(), 13);
    for size in [1, 2, 5, 100] {
        let mut reader = all.reader();
        let (mut bytes, mut buffer) = (Vec::new(), vec![0; size]);
        loop {
            match std::io::Read::read(&mut reader, &mut buffer).unwrap() {
                0 => break,
                count => bytes.extend_from_slice(&buffer[..count]),
            }
        }
        assert_eq!(bytes, b"234\0\0abcabcaz");
    }
    for start in 0..=14_usize {
        for len in 0..=14_usize {
            let mut bytes = Vec::new();
            let part = all.slice(torchproof::Span::of(start, len));
            std::io::Read::read_to_end(&mut part.reader(), &mut bytes).unwrap();
            let whole = &b"234\0\0abcabcaz"[start.min(13)..];
            assert_eq!((&bytes[..], part.len()), (&whole[..len.min(whole.len())], bytes.len() as u64));
        }
    }
}

/// Of the file, of what it is changed to, of where it goes, and of nobody.
#[test]
fn an_error_is_by_whose_fault_it_is() {
    let corpus = Path::new("../corpus");
    let opened = |name: &str| Document::open_accepted(&corpus.join(name), &[]).unwrap_err().fault();
    assert_eq!(opened("nowhere.pte"), Fault::Input);
    // One is broken in its header, the other in what only the check finds.
    assert_eq!(opened("files/pte/header/length-23.pte"), Fault::Broken);
    assert_eq!(opened("files/pte/named-data/key-twice.pte"), Fault::Broken);
    assert_eq!(opened("files/bpte/valid/one-case.bpte"), Fault::Specification);

    let linear = || Document::open(&corpus.join("real/linear.pte")).unwrap();
    let put =
        |alignment| linear().set_named_data("key", Data::Bytes(vec![1]), alignment).map_err(|error| error.fault());
    assert_eq!((put(3), put(1)), (Err(Fault::Specification), Ok(())));
    let saved = |mut document: Document, to: &Path| document.save(to, Existing::Keep).unwrap_err().fault();
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(saved(linear(), &folder.path().join("nowhere/linear.pte")), Fault::Output);
    let mut twice = linear();
    let entry = |index: u32| TableTree::new(NamedData::TYPE).with("key", "key").with("segment_index", index);
    twice.root_mut().set("named_data", [entry(0), entry(0)]).unwrap();
    assert_eq!(saved(twice, &folder.path().join("twice.pte")), Fault::Specification);
    let mut wide = linear();
    wide.layout_mut().flatbuffer_end = u64::MAX;
    assert_eq!(saved(wide, &folder.path().join("wide.pte")), Fault::Limit);
}
