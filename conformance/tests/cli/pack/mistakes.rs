//! A specification that cannot be is refused in one line, by whose fault it is, and without a trace.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use torchproof::write::Fault;
use torchproof_cli::pack::{Options, read};

use super::{file, folder, linear, packed, run, run_with, scratch};

/// One change to a good specification, and all that is said of it.
pub(super) type Mistake = (&'static str, fn(&mut Value), &'static str);

const OF_TABLES: [Mistake; 8] = [
    ("field", |spec| spec["program"]["versoin"] = json!(1), "program.versoin: Program has no such field"),
    (
        "type",
        |spec| spec["program"]["execution_plan"][0]["inputs"][0] = json!("0"),
        "program.execution_plan[0].inputs[0]: a string is not an int",
    ),
    (
        "table",
        |spec| spec["program"]["execution_plan"][0] = json!([]),
        "program.execution_plan[0]: an array is not a table's object",
    ),
    (
        "index",
        |spec| spec["program"]["constant_segment"]["segment_index"] = json!(9),
        "program.constant_segment.segment_index: segment index 9 is not below 1 (breaks const-seg-index)",
    ),
    (
        "key",
        |spec| {
            let entry = json!({ "key": "k", "segment_index": 0 });
            spec["program"]["named_data"] = json!([entry, entry]);
        },
        "program.named_data[1].key: key is that of named_data[0] too (breaks nd-key-unique)",
    ),
    (
        "lists",
        |spec| spec["program"]["segments"][0]["offset"] = json!(128),
        "program.segments[0].offset: is 128, and `segments[0]` beside it has 0",
    ),
    (
        "listed-size",
        |spec| spec["program"]["segments"][0]["size"] = json!(128),
        "program.segments[0].size: is 128, and `segments[0]` beside it has 144",
    ),
    (
        "list-lengths",
        |spec| spec["program"]["segments"] = json!([]),
        "program.segments: has 0 entries, and `segments` beside it 1",
    ),
];

const OF_THE_WHOLE: [Mistake; 12] = [
    (
        "array",
        |spec| *spec = json!([spec]),
        "invalid type: sequence, expected the object of a specification at line 1 column 2",
    ),
    ("kind", |spec| spec["kind"] = json!("pet"), "kind: is \"pet\", and none of pte, ptd, ptd-legacy and bpte"),
    ("kind-word", |spec| spec["kind"] = json!("or"), "kind: is \"or\", and none of pte, ptd, ptd-legacy and bpte"),
    ("kind-type", |spec| spec["kind"] = json!(1), "kind: a number is not a string"),
    ("no-kind", |spec| remove(spec, "kind"), "kind: is missing: pte, ptd, ptd-legacy or bpte"),
    (
        "member",
        |spec| spec["extra"] = json!(1),
        "extra: is unknown there; known are kind, header, program, flat_tensor, bundled_program and segments",
    ),
    ("root", |spec| remove(spec, "program"), "program: is missing"),
    ("root-type", |spec| spec["program"] = json!(7), "program: a number is not a table's object"),
    ("other", |spec| spec["flat_tensor"] = json!({}), "flat_tensor: does not belong to a program"),
    ("bundle", |spec| spec["bundled_program"] = json!({}), "bundled_program: does not belong to a program"),
    ("list", |spec| spec["segments"] = json!({}), "segments: an object is not an array"),
    ("null", |spec| spec["segments"] = Value::Null, "segments: null is not an array"),
];

const OF_HEADERS: [Mistake; 15] = [
    (
        "header",
        |spec| spec["header"]["magic"] = json!(1),
        "header.magic: is unknown there; known are length, program_size, segment_base_offset and segment_data_size",
    ),
    ("header-type", |spec| spec["header"] = json!([1]), "header: an array is not a header's object"),
    ("data-header", |spec| spec["header"]["flatbuffer_size"] = json!(1), "header.flatbuffer_size: is not a program's"),
    (
        "no-header",
        |spec| spec["header"] = Value::Null,
        "header: 144 bytes of segment data need a header, and the layout has none",
    ),
    (
        "short-header",
        |spec| spec["header"]["length"] = json!(8),
        "header.length: 8 is given, and a header has at least 24 bytes",
    ),
    (
        "size-in-24",
        |spec| spec["header"]["length"] = json!(24),
        "header.segment_data_size: is given, and a header of 24 bytes does not hold it",
    ),
    ("length-type", |spec| spec["header"]["length"] = json!("32"), "header.length: a string is not a uint"),
    (
        "program-size",
        |spec| spec["header"]["program_size"] = json!(100),
        "header.program_size: 100 is given, and the FlatBuffer ends no earlier than at 1368",
    ),
    (
        "program-size-2g",
        |spec| spec["header"]["program_size"] = json!(1_u64 << 31),
        "header.program_size: 2147483648 is given, and a FlatBuffer ends before 2 GiB",
    ),
    (
        "base-in-flatbuffer",
        |spec| spec["header"]["segment_base_offset"] = json!(128),
        "header.segment_base_offset: 128 is given, and the FlatBuffer before the segments ends at 1464",
    ),
    (
        "base-0",
        |spec| spec["header"]["segment_base_offset"] = json!(0),
        "header.segment_base_offset: 0 is given, and the FlatBuffer before the segments ends at 1464",
    ),
    (
        "base-far",
        |spec| spec["header"]["segment_base_offset"] = json!(1_u64 << 63),
        "header.segment_base_offset: 9223372036854775808 makes the file larger than 16 GiB; --max-size allows more",
    ),
    (
        "data-size",
        |spec| spec["header"]["segment_data_size"] = json!(100),
        "header.segment_data_size: 100 is given, and the segments have 144 bytes",
    ),
    (
        "data-size-far",
        |spec| spec["header"]["segment_data_size"] = json!(1_u64 << 40),
        "header.segment_data_size: 1099511627776 makes the file larger than 16 GiB; --max-size allows more",
    ),
    (
        "data-size-wraps",
        |spec| spec["header"]["segment_data_size"] = json!(u64::MAX),
        "header.segment_data_size: 18446744073709551615 makes the file larger than 16 GiB; --max-size allows more",
    ),
];

const OF_SEGMENTS: [Mistake; 32] = [
    (
        "no-data",
        |spec| remove(&mut spec["segments"][0], "data"),
        "segments[0].data: is missing: a file, hex, base64 or fill",
    ),
    (
        "segment",
        |spec| spec["segments"][0]["extra"] = json!(1),
        "segments[0].extra: is unknown there; known are offset, alignment, size, sha256 and data",
    ),
    ("segment-type", |spec| spec["segments"][0] = json!(7), "segments[0]: a number is not an object"),
    ("size", |spec| spec["segments"][0]["size"] = json!(7), "segments[0].size: 7 is given, and the data has 144 bytes"),
    ("offset", |spec| spec["segments"][0]["offset"] = json!(-1), "segments[0].offset: -1 does not fit into a ulong"),
    ("offset-type", |spec| spec["segments"][0]["offset"] = json!("0"), "segments[0].offset: a string is not a ulong"),
    (
        "offset-far",
        |spec| spec["segments"][0]["offset"] = json!(1_u64 << 63),
        "segments[0].offset: 9223372036854775808 makes the file larger than 16 GiB; --max-size allows more",
    ),
    (
        "twice-placed",
        |spec| spec["segments"][0]["alignment"] = json!(16),
        "segments[0].alignment: offset says already where the segment is",
    ),
    ("align-0", |spec| align(spec, 0), "segments[0].alignment: 0 is not a power of two up to 65536"),
    ("align-48", |spec| align(spec, 48), "segments[0].alignment: 48 is not a power of two up to 65536"),
    ("align-128k", |spec| align(spec, 1 << 17), "segments[0].alignment: 131072 is not a power of two up to 65536"),
    (
        "align-62",
        |spec| align(spec, 1 << 62),
        "segments[0].alignment: 4611686018427387904 is not a power of two up to 65536",
    ),
    (
        "align-63",
        |spec| align(spec, 1 << 63),
        "segments[0].alignment: 9223372036854775808 is not a power of two up to 65536",
    ),
    (
        "align-listed",
        |spec| {
            align(spec, 4096);
            spec["program"]["segments"][0]["offset"] = json!(16);
        },
        "segments[0].alignment: 4096 is given, and the root table's list has it at 16",
    ),
    (
        "digest",
        |spec| spec["segments"][0]["sha256"] = json!("00".repeat(32)),
        "segments[0]: sha256 of the data is 6c35346403a7b9ff671b2c3f3e94042618fb923e75806a89a48bb5e11517e1f8, not \
         0000000000000000000000000000000000000000000000000000000000000000",
    ),
    (
        "no-digest",
        |spec| spec["segments"][0]["sha256"] = json!("xyz"),
        "segments[0].sha256: character 0, 'x', is no hexadecimal digit",
    ),
    (
        "short-digest",
        |spec| spec["segments"][0]["sha256"] = json!("00".repeat(31)),
        "segments[0].sha256: 62 hexadecimal digits, and a SHA-256 has 64",
    ),
    ("data-type", |spec| spec["segments"][0]["data"] = json!("00"), "segments[0].data: a string is not an object"),
    (
        "no-form",
        |spec| spec["segments"][0]["data"] = json!({ "text": "" }),
        "segments[0].data: has 0 of file, hex, base64 and fill, and not one",
    ),
    (
        "two-forms",
        |spec| spec["segments"][0]["data"] = json!({ "hex": "", "fill": "" }),
        "segments[0].data: has 2 of file, hex, base64 and fill, and not one",
    ),
    (
        "form-member",
        |spec| spec["segments"][0]["data"]["offset"] = json!(1),
        "segments[0].data.offset: is unknown there; known are one of file, hex, base64 and fill",
    ),
    (
        "missing",
        |spec| spec["segments"][0]["data"] = json!({ "file": "nowhere.bin" }),
        "segments[0].data.file: nowhere.bin: no such file",
    ),
    (
        "a-folder",
        |spec| spec["segments"][0]["data"] = json!({ "file": "." }),
        "segments[0].data.file: .: not a regular file",
    ),
    (
        "hex",
        |spec| spec["segments"][0]["data"] = json!({ "hex": "abc" }),
        "segments[0].data.hex: an odd number of hexadecimal digits, 3; a byte has two",
    ),
    (
        "hex-type",
        |spec| spec["segments"][0]["data"] = json!({ "hex": [1] }),
        "segments[0].data.hex: an array is not a string",
    ),
    (
        "base64",
        |spec| spec["segments"][0]["data"] = json!({ "base64": "AP9" }),
        "segments[0].data.base64: is not base64 with its padding",
    ),
    (
        "fill",
        |spec| spec["segments"][0]["data"] = json!({ "fill": "" }),
        "segments[0].data.fill: is empty, and makes none of 144 bytes",
    ),
    (
        "fill-size",
        |spec| {
            spec["segments"][0]["data"] = json!({ "fill": "00" });
            remove(&mut spec["segments"][0], "size");
        },
        "segments[0].data.fill: needs the segment's size",
    ),
    (
        "fill-far",
        |spec| {
            spec["segments"][0]["data"] = json!({ "fill": "00" });
            spec["segments"][0]["size"] = json!(1_u64 << 63);
        },
        "segments[0].size: 9223372036854775808 makes the file larger than 16 GiB; --max-size allows more",
    ),
    (
        "range",
        |spec| spec["segments"][0]["data"] = json!({ "file": "ten.bin", "offset": 1_u64 << 40 }),
        "segments[0].data.file: ten.bin: has 10 bytes, and not 0 from 1099511627776 on",
    ),
    (
        "range-len",
        |spec| spec["segments"][0]["data"] = json!({ "file": "ten.bin", "offset": 1, "len": u64::MAX }),
        "segments[0].data.file: ten.bin: has 10 bytes, and not 18446744073709551615 from 1 on",
    ),
    (
        "range-type",
        |spec| spec["segments"][0]["data"] = json!({ "file": "ten.bin", "len": 1.5 }),
        "segments[0].data.len: a number with a fraction is not a ulong",
    ),
];

fn align(spec: &mut Value, alignment: u64) {
    remove(&mut spec["segments"][0], "offset");
    spec["segments"][0]["alignment"] = alignment.into();
}

fn remove(object: &mut Value, member: &str) {
    object.as_object_mut().unwrap().remove(member);
}

/// A data file of one segment with a key.
fn keyed(segment: &Value) -> Value {
    json!({ "kind": "ptd", "flat_tensor": { "named_data": [{ "key": "k", "segment_index": 0 }] }, "segments": [segment] })
}

/// Each of these, made in a specification that `spec` makes, is told in its one line, and no file comes of it.
pub(super) fn expect_refused<'m>(mistakes: impl Iterator<Item = &'m Mistake>, spec: fn() -> Value) {
    let mut wrong = Vec::new();
    for (name, mistake, message) in mistakes {
        let mut spec = spec();
        mistake(&mut spec);
        let outcome = packed(name, &spec, &[]);
        let wanted = format!("torchproof: {name}: {message}\n");
        if (outcome.code, &outcome.stderr) != (Some(2), &wanted) {
            wrong.push(format!("{:?} {}  wanted {wanted}", outcome.code, outcome.stderr));
        }
        assert!(!scratch().join(format!("{name}.out")).exists(), "{name}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_mistake_is_one_line_with_its_place_and_leaves_no_file() {
    file("ten.bin", b"0123456789");
    expect_refused(OF_TABLES.iter().chain(&OF_THE_WHOLE).chain(&OF_HEADERS).chain(&OF_SEGMENTS), linear);
    let leftover = fs::read_dir(scratch()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(leftover.filter(|name| name.starts_with(".torchproof-")).count(), 0);
}

/// What is wrong with the text itself, and with data files.
#[test]
fn mistakes_in_the_text_have_their_places() {
    for (text, message) in [
        (r#"{ "kind": "pte", "program": {}, "kind": "pte" }"#, "kind: is there twice"),
        (r#"{ "kind": "pte", "program": { "version": 0, "version": 0 } }"#, "program.version: is there twice"),
        (
            r#"{ "kind": "pte", "header": { "length": 32, "length": 32 }, "program": {} }"#,
            "header: the member `length` is there twice at line 1 column 57",
        ),
        ("", "EOF while parsing a value at line 1 column 0"),
        ("{}", "kind: is missing: pte, ptd, ptd-legacy or bpte"),
        (r#"{ "kind": "pte", "program": {} } x"#, "trailing characters at line 1 column 34"),
        (
            r#"{ "kind": "pte", "program": { "execution_plan": [{}, { "inputs": [1,, 2] }] } }"#,
            "program.execution_plan[1].inputs[1]: expected value at line 1 column 69",
        ),
        (
            r#"{ "kind": "ptd", "header": null, "flat_tensor": {} }"#,
            "header: null is not a data file's, which always has one",
        ),
        (
            r#"{ "kind": "ptd", "header": { "program_size": 1 }, "flat_tensor": {} }"#,
            "header.program_size: is not a data file's",
        ),
        (r#"{ "kind": "ptd", "program": {}, "flat_tensor": {} }"#, "program: does not belong to a data file"),
        (r#"{ "flat_tensor": { "version": -1 }, "kind": "ptd" }"#, "flat_tensor.version: -1 does not fit into a uint"),
        (
            r#"{ "kind": "ptd", "flat_tensor": {}, "header": { "length": 39 } }"#,
            "header.length: 39 is given, and a header has at least 40 bytes",
        ),
        (
            r#"{ "kind": "ptd", "flat_tensor": {}, "header": { "flatbuffer_size": 3 } }"#,
            "header.flatbuffer_size: 3 is given, and the FlatBuffer has at least 28 bytes",
        ),
        (
            r#"{ "kind": "ptd", "flat_tensor": {}, "header": { "flatbuffer_offset": 4096000 } }"#,
            "header.flatbuffer_offset: 4096000 is given, and the FlatBuffer ends at 76",
        ),
        (
            r#"{ "kind": "ptd", "flat_tensor": {}, "header": { "flatbuffer_offset": 48, "flatbuffer_size": 18446744073709551615 } }"#,
            "header.flatbuffer_size: 18446744073709551615 is given, and a FlatBuffer ends before 2 GiB",
        ),
    ] {
        let outcome = run_with(&["pack", "-o", "text.out"], text.as_bytes());
        assert_eq!(
            (outcome.code, outcome.stderr.as_str()),
            (Some(2), format!("torchproof: stdin: {message}\n").as_str())
        );
        assert!(!scratch().join("text.out").exists());
    }
    let outcome = run(&["pack", "none.json", "-o", "none.out"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(2), "torchproof: none.json: no such file\n"));
}

/// Whose fault it is can be asked without reading words.
#[test]
fn an_error_is_by_whose_fault_it_is() {
    let fault = |segment: Value| {
        let spec = json!({ "kind": "ptd", "flat_tensor": {}, "segments": [segment] });
        read(&serde_json::to_vec(&spec).unwrap()[..], &Options::new(Path::new(""))).unwrap_err().fault()
    };
    assert_eq!(fault(json!({ "data": { "hex": "0" } })), Fault::Specification);
    assert_eq!(fault(json!({ "data": { "file": "nowhere.bin" } })), Fault::Input);
    assert_eq!(fault(json!({ "size": 1_u64 << 40, "data": { "fill": "00" } })), Fault::Limit);
}

/// The limit is asked before anything is written, of the whole file too, and can be another.
#[test]
fn a_file_is_no_larger_than_it_may_be() {
    let mut spec = keyed(&json!({ "size": 3 << 20, "data": { "fill": "00" } }));
    let segment = spec["segments"][0].clone();
    spec["segments"] = json!([segment, segment]);
    spec["flat_tensor"]["named_data"] = json!([{ "key": "a", "segment_index": 0 }, { "key": "b", "segment_index": 1 }]);
    let outcome = packed("limit", &spec, &["--max-size", "4MiB"]);
    let line = "torchproof: limit: the file would have 6.0 MiB (6291712), and may have 4 MiB; --max-size allows more\n";
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(2), line));
    assert_eq!(packed("limit", &spec, &["--max-size", "6291712"]).code, Some(0));
    assert!(packed("limit", &spec, &["--max-size", "1XiB"]).stderr.contains("is not a number with KiB"));
    // Absurd numbers are written where they are only numbers, and are an error where they are places.
    let mut raw = linear();
    raw["header"]["segment_base_offset"] = json!(1_u64 << 63);
    raw["header"]["program_size"] = json!(u64::MAX);
    assert_eq!(packed("limit-raw", &raw, &["--raw"]).code, Some(0));
    assert!(fs::metadata(scratch().join("limit-raw.out")).unwrap().len() < 1 << 16);
    raw["segments"][0]["offset"] = json!(1_u64 << 63);
    let outcome = packed("limit-raw", &raw, &["--raw"]);
    assert!(
        outcome.stderr.contains("segments[0].offset: 9223372036854775808 makes the file larger"),
        "{}",
        outcome.stderr
    );
}

/// The library takes alignments that the command does not.
#[test]
fn an_alignment_that_no_file_has_room_for_is_refused() {
    let spec = json!({ "kind": "pte", "program": { "execution_plan": [] }, "segments": [{ "data": { "hex": "01" } }] });
    for alignment in [1_u64 << 62, 1 << 63] {
        let options = Options { segment_alignment: Some(alignment), ..Options::new(Path::new("")) };
        let read = read(&serde_json::to_vec(&spec).unwrap()[..], &options);
        assert!(read.is_err_and(|error| error.fault() == Fault::Limit), "{alignment}");
    }
}

/// A file that is sparse is as long as any; `memory` has it made where it is asked for.
#[cfg(target_os = "linux")]
#[test]
fn a_file_larger_than_the_usual_limit_is_not_begun() {
    let folder = folder("sparse");
    let len = 20_u64 << 30;
    fs::File::create(folder.join("data.bin")).unwrap().set_len(len).unwrap();
    let spec = json!({ "kind": "ptd", "flat_tensor": {}, "segments": [{ "data": { "file": "data.bin" } }] });
    fs::write(folder.join("spec.json"), serde_json::to_vec(&spec).unwrap()).unwrap();
    let outcome = run(&["pack", "sparse/spec.json", "-o", "sparse/out.ptd"]);
    let line = "torchproof: sparse/spec.json: segments[0].size: 21474836480 makes the file larger than 16 GiB; --max-size allows more\n";
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(2), line));
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
    fs::remove_dir_all(folder).unwrap();
}

/// Without `--allow-outside`, `pack` opens no file outside its folder, and prints nothing about one.
#[cfg(target_os = "linux")]
#[test]
fn outside_files_are_refused_before_they_are_opened() {
    use std::os::unix::fs::symlink;

    use rustix::fs::inotify;

    let folder = folder("stranger");
    fs::create_dir(folder.join("model")).unwrap();
    fs::write(folder.join("secret"), b"secret").unwrap();
    fs::write(folder.join("model/data"), b"data").unwrap();
    symlink("../secret", folder.join("model/link")).unwrap();
    symlink("..", folder.join("model/up")).unwrap();
    symlink("data", folder.join("model/alias")).unwrap();
    let digest = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";
    let wrong = digest.replace('2', "3");
    let pack = |data: Value, sha256: Option<&str>, args: &[&str]| {
        let mut entry = json!({ "data": data });
        if let Some(sha256) = sha256 {
            entry["sha256"] = sha256.into();
        }
        fs::write(folder.join("model/spec.json"), serde_json::to_vec(&keyed(&entry)).unwrap()).unwrap();
        let _ = fs::remove_file(folder.join("out.ptd"));
        run(&[&["pack", "stranger/model/spec.json", "-o", "stranger/out.ptd"], args].concat())
    };
    let secret = folder.join("secret");
    let watch = inotify::init(inotify::CreateFlags::NONBLOCK).unwrap();
    inotify::add_watch(&watch, &secret, inotify::WatchFlags::OPEN).unwrap();
    let opened = || {
        let mut buffer = [std::mem::MaybeUninit::uninit(); 512];
        inotify::Reader::new(&watch, &mut buffer).next().is_ok()
    };
    let outside = |file: &str| {
        let line = "is outside the data folder; pass --allow-outside to read it";
        format!("torchproof: stranger/model/spec.json: segments[0].data.file: {file}: {line}\n")
    };
    let absolute = secret.to_str().unwrap();
    let absent = folder.join("absent");
    for file in
        ["../secret", "link", "up/secret", "./../model/../secret", absolute, "../absent", absent.to_str().unwrap()]
    {
        for sha256 in [None, Some(digest), Some(&*wrong)] {
            for data in [json!({ "file": file }), json!({ "file": file, "offset": 2, "len": 2 })] {
                let outcome = pack(data, sha256, &[]);
                assert_eq!((outcome.code, outcome.stdout, outcome.stderr), (Some(2), String::new(), outside(file)));
                assert!(!folder.join("out.ptd").exists() && !opened(), "{file}");
            }
        }
    }
    for (file, args) in [
        ("data", &[][..]),
        ("alias", &[]),
        ("../model/data", &[]),
        ("../secret", &["--allow-outside"]),
        ("secret", &["--data-dir", "stranger"]),
    ] {
        assert_eq!(pack(json!({ "file": file }), None, args).code, Some(0), "{file}");
    }
    assert_eq!(pack(json!({ "file": "data" }), None, &["--data-dir", "stranger"]).code, Some(2));
    assert!(opened());
    // The digest of a file that `pack` may read is no secret.
    let outcome = pack(json!({ "file": "../secret" }), Some(&wrong), &["--allow-outside"]);
    let line =
        format!("torchproof: stranger/model/spec.json: segments[0]: sha256 of the data is {digest}, not {wrong}\n");
    assert_eq!((outcome.code, outcome.stderr, folder.join("out.ptd").exists()), (Some(2), line, false));
}

/// What a file is made of is not replaced by it.
#[test]
fn what_is_read_is_not_replaced() {
    let folder = folder("own");
    let spec = keyed(&json!({ "data": { "file": "data" } }));
    fs::write(folder.join("spec"), serde_json::to_vec(&spec).unwrap()).unwrap();
    fs::write(folder.join("data"), b"data").unwrap();
    for target in ["own/spec", "own/data", "own/../own/data"] {
        let outcome = run(&["pack", "own/spec", "-o", target, "--force"]);
        let line = format!("torchproof: {target}: is what the file is made of, and would be lost\n");
        assert_eq!((outcome.code, outcome.stderr), (Some(2), line));
    }
    assert_eq!(fs::read(folder.join("data")).unwrap(), b"data");
    assert_eq!(run(&["pack", "own/spec", "-o", "own/new", "--force"]).code, Some(0));
}
