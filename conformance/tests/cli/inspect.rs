//! Tests `torchproof inspect` with real, broken and hostile files.

testkit::command_in!("inspect");

use std::fs;

use command::{file, patched, real, run, torchproof};
use torchproof::annotate::{ByteMap, PartKind};
use torchproof::corpus::{self, Verdict};
use torchproof_cli::byte_map;
use torchproof_model::inspect::{Digests, InspectOutput, inspect};
use torchproof_model::{ModelFile, html};

#[test]
fn shows_every_real_file() {
    insta::glob!("../../../corpus/real", "*.pt[ed]", |path| {
        let name = format!("corpus/real/{}", path.file_name().unwrap().to_str().unwrap());
        let shown = torchproof(&["inspect", &name]).current_dir(testkit::repository()).output().unwrap();
        assert!(shown.status.success() && shown.stderr.is_empty(), "{shown:?}");
        let text = String::from_utf8(shown.stdout).unwrap();
        testkit::command::assert_columns(&text);
        insta::assert_snapshot!(text);
    });
}

/// Tests only the schema, because the library's tests compare the printed parts with the file's bytes.
#[test]
fn json_of_the_byte_map_conforms_to_its_schema() {
    let schema = testkit::schema::schema("annotate.schema.json");
    for case in corpus::all() {
        let bytes = case.build().bytes;
        let map = ByteMap::of(&bytes);
        let annotated = byte_map::AnnotateOutput::of(case.id.to_owned(), &bytes, &map);
        testkit::schema::expect_valid(&schema, &serde_json::to_value(&annotated).unwrap());
    }
}

/// The table begins long before the change.
#[test]
fn shows_the_table_that_contains_a_change() {
    let bytes = fs::read(real("linear.pte")).unwrap();
    let map = ByteMap::of(&bytes);
    let list = "execution_plan[0].values[0].val.sizes";
    let span = map.find(list, PartKind::Elements).unwrap().span;
    let table = map.find("execution_plan[0].values[0].val", PartKind::Table).unwrap().span;
    assert!(span.offset > table.end() + 16, "{table} {span}");
    let change = byte_map::ChangedBytes { span, longer: 0 };
    let text = byte_map::render(&bytes, &map, &[change], byte_map::ShownRows::Changed("base"));
    insta::assert_snapshot!(text);
}

#[test]
fn inspects_every_case() {
    let schema = testkit::schema::schema("inspect.schema.json");
    for case in corpus::all() {
        let bytes = case.build().bytes;
        let name = format!("{}.{}", case.id.replace('/', "-"), case.role().extension());
        let output = inspected(&name, &bytes);
        testkit::schema::expect_valid(&schema, &serde_json::to_value(&output).unwrap());
        if case.verdict == Verdict::Accept {
            covers(&output, case.id);
        }
    }
}

/// In a file without overlapping segments, the parts cover each byte exactly once.
fn covers(output: &InspectOutput, name: &str) {
    let parts = &output.bytes.parts;
    let overlaps = (1..parts.rows()).any(|row| parts.span(row - 1).end() > parts.offset[row]);
    let sum: u64 = parts.bytes.iter().sum();
    assert!(overlaps || sum == output.bytes.total, "{name}: {sum} of {} bytes: {parts:?}", output.bytes.total);
    let roles: u64 = output.bytes.by_role.iter().map(|role| role.bytes).sum();
    assert_eq!(roles, sum, "{name}");
}

fn inspected(name: &str, bytes: &[u8]) -> InspectOutput {
    inspect(&ModelFile::open(name, &bytes).unwrap(), &[], &[], Digests::All)
}

#[test]
fn prints_cases_of_each_kind() {
    let ids = ["pte/valid/", "ptd/valid/", "ptd-legacy/valid/", "bpte/valid/", "pte/segments/", "bpte/program/"];
    for case in corpus::all().filter(|case| ids.iter().any(|start| case.id.starts_with(start))) {
        let name = format!("{}.{}", case.id.replace('/', "-"), case.role().extension());
        for more in [
            &[][..],
            &["--section", "memory", "--section", "bytes", "--section", "methods", "--section", "data", "--all"],
        ] {
            let outcome = run(&[&["inspect", file(&name, &case.build().bytes)], more].concat());
            testkit::command::assert_columns(&outcome.stdout);
            let expected = if case.verdict == Verdict::Accept { 0..=0 } else { 0..=1 };
            assert!(outcome.code.is_some_and(|code| expected.contains(&code)), "{}: {outcome:?}", case.id);
        }
    }
}

#[test]
fn sums_are_exact_for_real_files() {
    insta::glob!("../../../corpus/real", "*.pt[ed]", |path| {
        let output = inspected("file", &fs::read(path).unwrap());
        covers(&output, &path.display().to_string());
        for method in &output.methods {
            let planned: Vec<u64> = method.plan.buffers.iter().map(|buffer| buffer.peak).collect();
            for (planned, buffer) in planned.iter().zip(&method.plan.buffers) {
                assert!(*planned <= u64::try_from(buffer.buffer.bytes).unwrap(), "{}", path.display());
            }
            assert!(method.plan.overlaps.is_empty(), "{}: {:?}", path.display(), method.plan.overlaps);
        }
    });
}

#[test]
fn escapes_hostile_text() {
    let bytes = fs::read(real("linear_external.ptd")).unwrap();
    let at = bytes.windows(8).position(|window| window == b"l.weight").unwrap() as u64;
    let mut shown = String::new();
    for text in [b"\x1b[2Jabcd", b"a\r\n\x08\x07\x00\x7fb", b"\xe2\x80\xaetxt.e", b"\xff\xfe\x9b31mxy"] {
        let outcome = run(&["inspect", file("hostile.ptd", &patched("linear_external.ptd", at, text))]);
        assert_eq!(outcome.code, Some(0));
        assert!(!outcome.stdout.contains(|char: char| char.is_control() && char != '\n'));
        shown += outcome.stdout.lines().find(|line| line.contains("[4, 8]")).unwrap();
        shown.push('\n');
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn names_never_leave_the_data_of_a_page() {
    let bytes = fs::read(real("linear_external.ptd")).unwrap();
    let at = bytes.windows(8).position(|window| window == b"l.weight").unwrap() as u64;
    let hostile = patched("linear_external.ptd", at, b"</script");
    let output = inspected("<img src=x onerror=alert(1)>&\u{2028}.ptd", &hostile);
    let page = html::inspect_page(&output).unwrap();
    assert_eq!(page.matches("</script").count(), 2, "the data and the viewer");
    assert!(!page.contains("<img") && !page.contains('\u{2028}'));
    let data = page.split("id=\"data\">").nth(1).unwrap().split("</script>").next().unwrap();
    assert!(!data.contains(['<', '>', '&']) && data.is_ascii());
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    let names = &data["inspect"]["bytes"]["parts"]["name"];
    assert!(names.as_array().unwrap().iter().any(|name| name == "</script"), "{names}");
}
