//! `torchproof pack` and `dump --with-data`.

mod bundle;
testkit::command_in!("pack");
mod layout;
mod memory;
mod mistakes;
mod outside;
mod parts;
mod round_trip;

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::Stdio;

use command::{Outcome, file, real, run, scratch, torchproof};
use serde_json::{Value, json};
use torchproof::{Image, view};

fn all_real() -> Vec<PathBuf> {
    let entries = fs::read_dir(real("")).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<_> = entries.filter(|path| path.extension().is_some_and(|ending| ending != "md")).collect();
    assert!(files.len() >= 13);
    files
}

/// Runs the command with this on stdin.
fn run_with(args: &[&str], stdin: &[u8]) -> Outcome {
    let mut command = torchproof(args);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(stdin).unwrap();
    let output = child.wait_with_output().unwrap();
    Outcome {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A folder of its own for a test, empty.
fn folder(name: &str) -> PathBuf {
    let folder = scratch().join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// The JSON of a file, with the bytes of each segment in it; `None` when it has none.
fn with_data(bytes: &[u8]) -> Option<Value> {
    let image = Image::whole(bytes);
    let mut file = view::File::open(image).ok()?;
    let of = |span: torchproof::Span| if span.len == 0 { &[][..] } else { image.slice(span, "").unwrap() };
    file.hash(|span, sink| {
        sink(of(span));
        Ok::<_, view::Error>(())
    })
    .ok()?;
    let data = file.segments().ok()?.into_iter();
    let data = data.map(|span| json!({ "hex": data_encoding::HEXLOWER.encode(of(span)) })).collect();
    file.set_data(data);
    Some(serde_json::to_value(&file).unwrap())
}

/// The specification of a program with the constants 1 2 3 4.
fn linear() -> Value {
    with_data(&fs::read(real("linear.pte")).unwrap()).unwrap()
}

fn packed(name: &str, spec: &Value, args: &[&str]) -> Outcome {
    file(name, &serde_json::to_vec(spec).unwrap());
    let out = format!("{name}.out");
    let _ = fs::remove_file(scratch().join(&out));
    run(&[&["pack", name, "-o", &out], args].concat())
}

fn segment_of(name: &str, index: usize) -> Vec<u8> {
    let bytes = fs::read(scratch().join(format!("{name}.out"))).unwrap();
    let file = view::File::open(Image::whole(&bytes)).unwrap();
    let span = file.segments().unwrap()[index];
    Image::whole(&bytes).slice(span, "").unwrap().to_vec()
}

#[test]
fn data_is_taken_from_files_digits_base64_and_patterns() {
    let folder = folder("forms");
    fs::write(folder.join("data.bin"), b"0123456789").unwrap();
    for (name, segment, bytes) in [
        ("file", json!({ "data": { "file": "data.bin" } }), &b"0123456789"[..]),
        ("range", json!({ "size": 4, "data": { "file": "data.bin", "offset": 3, "len": 4 } }), b"3456"),
        ("rest", json!({ "size": 2, "data": { "file": "data.bin", "offset": 8 } }), b"89"),
        ("hex", json!({ "data": { "hex": "00fF" } }), b"\0\xff"),
        ("base64", json!({ "data": { "base64": "AP9h" } }), b"\0\xffa"),
        ("fill", json!({ "size": 5, "data": { "fill": "0102" } }), b"\x01\x02\x01\x02\x01"),
        ("aligned", json!({ "alignment": 4096, "data": { "hex": "07" } }), b"\x07"),
    ] {
        let spec = json!({ "kind": "ptd", "flat_tensor": { "named_data": [
            { "key": "a", "segment_index": 0 }, { "key": "b", "segment_index": 1 }
        ] }, "segments": [{ "data": { "hex": "41" } }, segment] });
        // The files are beside the specification, wherever the command is run.
        fs::write(folder.join(name), serde_json::to_vec(&spec).unwrap()).unwrap();
        let out = format!("forms/{name}.out");
        let outcome = run(&["pack", &format!("forms/{name}"), "-o", &out]);
        assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""), "{name}");
        assert_eq!(segment_of(&format!("forms/{name}"), 1), bytes, "{name}");
        let quiet = run(&["check", "--quiet", "--strict", &out]);
        assert_eq!(quiet.stdout, format!("{out}: accept\n"));
    }
    let bytes = fs::read(scratch().join("forms/aligned.out")).unwrap();
    assert_eq!(bytes.len() % 4096, 1);
}

/// What is left out is as the official writer has it.
#[test]
fn a_header_that_is_left_out_is_the_official_one() {
    let mut spec = linear();
    spec.as_object_mut().unwrap().remove("header");
    spec["program"].as_object_mut().unwrap().remove("segments");
    for segment in spec["segments"].as_array_mut().unwrap() {
        segment.as_object_mut().unwrap().retain(|name, _| name == "data");
    }
    assert_eq!(packed("bare", &spec, &[]).code, Some(0));
    assert!(fs::read(scratch().join("bare.out")).unwrap() == fs::read(real("linear.pte")).unwrap());
}

#[test]
fn a_file_that_is_there_is_replaced_only_when_asked_to() {
    file("keep.pte", b"precious");
    file("keep.json", &serde_json::to_vec(&linear()).unwrap());
    let outcome = run(&["pack", "keep.json", "-o", "keep.pte"]);
    assert_eq!(
        (outcome.code, outcome.stderr.as_str()),
        (Some(2), "torchproof: keep.pte: exists already; --force replaces it\n")
    );
    assert_eq!(fs::read(scratch().join("keep.pte")).unwrap(), b"precious");
    assert_eq!(run(&["pack", "keep.json", "-o", "keep.pte", "--force"]).code, Some(0));
    assert!(fs::read(scratch().join("keep.pte")).unwrap() == fs::read(real("linear.pte")).unwrap());
    let data = folder("kept-data");
    let dump = ["dump", "--with-data", "kept-data", "keep.pte"];
    assert_eq!(run(&dump).code, Some(0));
    let again = run(&dump);
    let line = "torchproof: kept-data/segment-0.bin: exists already; --force replaces it\n";
    assert_eq!((again.code, again.stdout.as_str(), again.stderr.as_str()), (Some(2), "", line));
    assert_eq!(fs::read_dir(data).unwrap().count(), 1);
}

#[test]
fn a_raw_specification_is_written_as_it_stands() {
    let mut spec = linear();
    spec["header"]["segment_data_size"] = json!(1_u64 << 40);
    spec["program"]["segments"][0]["size"] = json!(1_u64 << 39);
    let outcome = packed("raw", &spec, &["--raw"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    let bytes = fs::read(scratch().join("raw.out")).unwrap();
    let header = torchproof::pte::Pte::open(&bytes).unwrap().header().unwrap();
    assert_eq!(header.segment_data_size, Some(1 << 40));
    let quiet = run(&["check", "--quiet", "raw.out"]);
    assert_eq!((quiet.code, quiet.stdout.contains("reject eh-sum-le-file")), (Some(1), true), "{}", quiet.stdout);
    spec["header"]["length"] = json!(8);
    assert_eq!(packed("short", &spec, &["--raw"]).code, Some(0));
    assert!(run(&["check", "--quiet", "short.out"]).stdout.contains("reject eh-length-min"));
    spec["header"]["length"] = json!(32);
    // Without being asked for, a number comes out or is an error.
    spec["program"]["segments"][0]["size"] = spec["segments"][0]["size"].clone();
    let outcome = packed("unraw", &spec, &[]);
    let line = "header.segment_data_size: 1099511627776 makes the file larger than 16 GiB; --max-size allows more";
    assert_eq!((outcome.code, outcome.stderr), (Some(2), format!("torchproof: unraw: {line}\n")));
}

#[test]
fn stdout_gets_the_file_when_it_is_whole() {
    let spec = serde_json::to_vec(&linear()).unwrap();
    let pack = |spec: &[u8], stdout: Stdio| {
        let mut command = torchproof(&["pack", "-o", "-"]);
        let mut child = command.stdin(Stdio::piped()).stdout(stdout).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(spec).unwrap();
        child.wait_with_output().unwrap()
    };
    let output = pack(&spec, Stdio::piped());
    assert!(output.stdout == fs::read(real("linear.pte")).unwrap());
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
    let output = pack(b"{}", Stdio::piped());
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    // Neither is there anything of one that is rejected, or of which a later segment is not what it must be.
    let mut wrong = linear();
    wrong["program"]["constant_segment"]["segment_index"] = json!(9);
    let output = pack(&serde_json::to_vec(&wrong).unwrap(), Stdio::piped());
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    assert!(String::from_utf8(output.stderr).unwrap().contains("(breaks const-seg-index)"));
    let mut wrong = linear();
    wrong["segments"][0]["sha256"] = json!("00".repeat(32));
    let output = pack(&serde_json::to_vec(&wrong).unwrap(), Stdio::piped());
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    // What it breaks all the same is told beside it.
    let mut warned = linear();
    warned["header"]["length"] = json!(4_294_967_295_u32);
    let output = pack(&serde_json::to_vec(&warned).unwrap(), Stdio::piped());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("warning[eh-length-bounded]") && said.ends_with("stdout: accept (pte; 1 should)\n"),
        "{said}"
    );
    assert!(view::to_value(&output.stdout).is_ok());
    let Ok(full) = fs::File::options().write(true).open("/dev/full") else {
        eprintln!("NOT RUN: there is no /dev/full");
        return;
    };
    let output = pack(&spec, full.into());
    let line = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), line.as_str()), (Some(2), "torchproof: stdout: the disk is full\n"));
}

/// The limit on a file's size stands for a disk that is full: writing on fails, with another error number.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_what_was_there() {
    let folder = folder("full");
    let mut spec = linear();
    spec["program"].as_object_mut().unwrap().remove("segments");
    spec["segments"][0]["data"] = json!({ "fill": "01" });
    spec["segments"][0].as_object_mut().unwrap().remove("sha256");
    spec["header"].as_object_mut().unwrap().remove("segment_data_size");
    spec["segments"][0]["size"] = json!(1 << 20);
    fs::write(folder.join("spec.json"), serde_json::to_vec(&spec).unwrap()).unwrap();
    fs::write(folder.join("there.pte"), b"what was there").unwrap();
    for (target, args) in [("there.pte", "--force"), ("new.pte", "")] {
        // Without the trap, the signal of the limit would end the command before it could clean up.
        let script = format!("trap '' XFSZ; ulimit -f 64; exec \"$0\" pack spec.json -o {target} {args}");
        let mut command = std::process::Command::new("sh");
        let output =
            command.args(["-c", &script, env!("CARGO_BIN_EXE_torchproof")]).current_dir(&folder).output().unwrap();
        let line = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert!(line.starts_with(&format!("torchproof: {target}: ")) && line.matches('\n').count() == 1, "{line}");
    }
    assert_eq!(fs::read(folder.join("there.pte")).unwrap(), b"what was there");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
}

/// Raw segments may overlap where their bytes are the same; the digest of each is of all its bytes.
#[test]
fn raw_segments_overlap_where_their_bytes_are_the_same() {
    let at = |offset: u64, hex: &str| json!({ "offset": offset, "data": { "hex": hex } });
    let pack = |name: &str, segments: &[Value]| {
        let keys: Vec<_> =
            (0..segments.len()).map(|at| json!({ "key": format!("k{at}"), "segment_index": at })).collect();
        let spec = json!({ "kind": "ptd", "flat_tensor": { "named_data": keys }, "segments": segments });
        let outcome = packed(name, &spec, &["--raw"]);
        assert_eq!(outcome.code == Some(0), scratch().join(format!("{name}.out")).exists());
        outcome.stderr
    };
    let long = |pattern: &str| json!({ "offset": 0, "size": 200_001, "data": { "fill": pattern } });
    let mut digested = at(1, "0203");
    digested["sha256"] = json!("ee9040f65c341855e070ff438eb0ea9d5b831b2a2c270fb7ef592d750408e3b3");
    assert_eq!(pack("same", &[at(0, "01020304"), at(2, "03040506"), at(4, "0506"), at(3, "")]), "");
    assert!(fs::read(scratch().join("same.out")).unwrap().ends_with(&[1, 2, 3, 4, 5, 6]));
    assert_eq!(pack("long", &[long("0707"), long("07")]), "");
    assert_eq!(pack("digested", &[at(0, "01020304"), digested.clone()]), "");
    digested["sha256"] = json!("00".repeat(32));
    let shown = [
        pack("first", &[at(0, "01020304"), at(2, "07040506")]),
        pack("last", &[at(0, "01020304"), at(2, "03070506")]),
        pack("third", &[at(0, "0102"), at(0, "01020304"), at(3, "07")]),
        pack("far", &[long("0707"), json!({ "offset": 200_000, "data": { "hex": "08" } })]),
        pack("zero", &[at(0, "0102"), at(1, "00")]),
        pack("wrong-digest", &[at(0, "01020304"), digested]),
    ];
    insta::assert_snapshot!(shown.concat());
}
