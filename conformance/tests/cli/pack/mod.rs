//! Tests `torchproof pack` and `torchproof dump --with-data`.

mod bundle;
testkit::command_in!("pack");
mod layout;
mod memory;
mod mistakes;
mod round_trip;

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::Stdio;

use command::{Outcome, absent, file, real, run, scratch, torchproof};
use serde_json::{Value, json};
use torchproof::{FileBytes, view};
use torchproof_cli::document::pack::{self, PackOptions};

fn all_real() -> Vec<PathBuf> {
    let entries = fs::read_dir(real("")).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<_> = entries.filter(|path| path.extension().is_some_and(|ending| ending != "md")).collect();
    assert!(files.len() >= 13);
    files
}

fn run_with(args: &[&str], stdin: &[u8]) -> Outcome {
    let mut command = torchproof(args);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(stdin).unwrap();
    child.wait_with_output().unwrap().into()
}

fn folder(name: &str) -> PathBuf {
    let folder = absent(name);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Returns the dump with the bytes of the segments, or `None` if `dump` rejects the file.
fn with_data(bytes: &[u8]) -> Option<Value> {
    let file_bytes = FileBytes::whole(bytes);
    let mut file = view::File::open(file_bytes).ok()?;
    let of = |span: torchproof::Span| if span.len == 0 { &[][..] } else { file_bytes.slice(span, "").unwrap() };
    file.hash(|span, sink| {
        sink(of(span));
        Ok::<_, view::ViewError>(())
    })
    .ok()?;
    let data = file.segments().ok()?.into_iter();
    let data = data.map(|span| json!({ "hex": data_encoding::HEXLOWER.encode(of(span)) })).collect();
    file.set_data(data);
    Some(serde_json::to_value(&file).unwrap())
}

/// The specification of a program with the constants 1, 2, 3 and 4.
fn linear() -> Value {
    with_data(&fs::read(real("linear.pte")).unwrap()).unwrap()
}

/// The output file is `NAME.out`.
fn packed(name: &str, spec: &Value, args: &[&str]) -> Outcome {
    file(name, &serde_json::to_vec(spec).unwrap());
    let out = format!("{name}.out");
    let _ = fs::remove_file(scratch().join(&out));
    run(&[&["pack", name, "-o", &out], args].concat())
}

fn pack_bytes(spec: &Value, options: &PackOptions) -> Result<Vec<u8>, String> {
    let document = pack::read(&serde_json::to_vec(spec).unwrap()[..], options);
    let mut document = document.map_err(|error| error.to_string())?;
    let mut file = tempfile::NamedTempFile::new().unwrap();
    let written = document.write_unchecked(file.as_file_mut());
    let checked = written.and_then(|()| document.expect_accepted(file.path()));
    checked.map_err(|error| pack::in_specification(&document, &error))?;
    Ok(fs::read(file.path()).unwrap())
}

#[test]
fn omitted_members_default_to_what_the_official_writer_emits() {
    let mut spec = linear();
    spec.as_object_mut().unwrap().remove("header");
    spec["program"].as_object_mut().unwrap().remove("segments");
    for segment in spec["segments"].as_array_mut().unwrap() {
        segment.as_object_mut().unwrap().retain(|name, _| name == "data");
    }
    assert_eq!(packed("bare", &spec, &[]).code, Some(0));
    assert!(fs::read(scratch().join("bare.out")).unwrap() == fs::read(real("linear.pte")).unwrap());
}
