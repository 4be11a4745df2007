//! `torchproof inspect`: what people see of every real file, and of files that are broken or hostile.

testkit::command_in!("inspect");

use std::fs;

use command::{file, patched, real, run};
use serde_json::Value;
use torchproof::annotate::{ByteMap, PartKind};
use torchproof::cases;
use torchproof::corpus::{Role, Verdict};
use torchproof::flatbuffer::Table;
use torchproof::flatbuffer::schema::TableView;
use torchproof::pte::Pte;
use torchproof_cli::byte_map;

#[test]
fn every_real_file_is_shown_whole() {
    insta::glob!("../../../corpus/real", "*.pt[ed]", |path| {
        let shown = run(&["inspect", path.to_str().unwrap()]);
        assert_eq!((shown.code, shown.stderr.as_str()), (Some(0), ""));
        assert!(shown.stdout.lines().all(|line| line.chars().count() <= 100));
        insta::assert_snapshot!(shown.stdout);
    });
}

#[test]
fn all_means_all() {
    let path = real("conv.pte");
    let first = run(&["inspect", path.to_str().unwrap()]).stdout;
    let all = run(&["inspect", "--all", path.to_str().unwrap()]).stdout;
    assert!(first.contains("… and 8 more; --all lists them"));
    assert_eq!(all.lines().count(), first.lines().count() + 7);
}

/// Of a broken file, what can be read is shown, and what cannot is listed.
#[test]
fn a_broken_file_is_shown_as_far_as_it_goes() {
    let whole = fs::read(real("linear.pte")).unwrap();
    let program = Pte::open(&whole).unwrap().program();
    let plan = program.execution_plan().unwrap().unwrap().get(0).unwrap().unwrap();
    let first_value = plan.values().unwrap().unwrap().get(0).unwrap().unwrap().table();
    let first_input = plan.inputs().unwrap().unwrap().span().offset;
    let segment = program.segments().unwrap().unwrap().get(0).unwrap().unwrap().table();
    let place = |table: Table<'_>, slot| table.field(slot).unwrap() as u64;

    let mut shown = String::new();
    for (name, bytes) in [
        ("text.pte", b"This is not a program, and not a data file either.".to_vec()),
        ("cut-in-header.ptd", fs::read(real("linear_external.ptd")).unwrap()[..40].to_vec()),
        ("size-past-end.pte", patched("linear.pte", 16, &u64::MAX.to_le_bytes())),
        ("segment-past-end.pte", patched("linear.pte", place(segment, 1), &[0xff])),
        ("value-nowhere.pte", patched("linear.pte", place(first_value, 1), &[0xff; 4])),
        ("no-such-input.pte", patched("linear.pte", first_input, &[10])),
    ] {
        let outcome = run(&["inspect", file(name, &bytes)]);
        assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(1), ""), "{name}");
        shown += &outcome.stdout;
        shown += "\n=====\n\n";
    }
    insta::assert_snapshot!(shown);
}

/// No case of the corpus stops the two commands, and they have no complaint about the accepted ones.
#[test]
fn every_case_is_shown_and_dumped() {
    for case in cases::all() {
        let built = case.build().unwrap();
        let name = format!("{}.{}", case.id.replace('/', "-"), case.role().extension());
        let name = file(&name, &built.bytes);
        for command in ["inspect", "dump"] {
            let outcome = run(&[command, name]);
            match case.verdict {
                _ if case.role() == Role::Bundled && command == "inspect" => {
                    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{command} of {}", case.id);
                    let line = "is a bundled program (.bpte), which `torchproof check` checks and `torchproof dump` prints, and not shown\n";
                    assert!(outcome.stderr.ends_with(line), "{command} of {}: {outcome:?}", case.id);
                }
                Verdict::Accept => assert_eq!(outcome.code, Some(0), "{command} of {}: {outcome:?}", case.id),
                _ => assert!(matches!(outcome.code, Some(0..=2)), "{command} of {}: {outcome:?}", case.id),
            }
        }
    }
}

/// A file's text can say anything to a terminal, unless it is escaped.
#[test]
fn hostile_text_is_escaped() {
    let bytes = fs::read(real("linear_external.ptd")).unwrap();
    let at = bytes.windows(8).position(|window| window == b"l.weight").unwrap() as u64;
    for (text, shown) in [
        (b"\x1b[2Jabcd", r#""\u{1b}[2Jabcd""#),
        (b"a\r\n\x08\x07\x00\x7fb", r#""a\r\n\u{8}\u{7}\0\u{7f}b""#),
        (b"\xe2\x80\xaetxt.e", r#""\u{202e}txt.e""#),
        (b"\xff\xfe\x9b31mxy", r#""\xff\xfe\x9b31mxy""#),
    ] {
        let outcome = run(&["inspect", file("hostile.ptd", &patched("linear_external.ptd", at, text))]);
        assert_eq!(outcome.code, Some(0));
        assert!(outcome.stdout.contains(shown), "{}", outcome.stdout);
        assert!(!outcome.stdout.contains(|char: char| char.is_control() && char != '\n'));
    }
}

#[test]
fn what_cannot_be_read_ends_with_code_2_and_one_line() {
    let outcome = run(&["inspect", "missing.pte"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""));
    assert_eq!(outcome.stderr, "torchproof: missing.pte: no such file\n");
}

/// The map of a small file, whole.
#[test]
fn every_byte_is_annotated() {
    let shown = run(&["inspect", "--annotate", real("linear_external.ptd").to_str().unwrap()]);
    assert_eq!((shown.code, shown.stderr.as_str()), (Some(0), ""));
    insta::assert_snapshot!(shown.stdout);
}

/// Of every case, real file and kind of file that is not known: each byte is in one part, and parts overlap in broken files alone.
#[test]
fn the_map_in_json_is_of_every_byte_once() {
    let schema = testkit::schema::schema("annotate.schema.json");
    let mut files: Vec<(String, Vec<u8>, bool)> = cases::all()
        .map(|case| (case.id.replace('/', "-"), case.build().unwrap().bytes, case.verdict == Verdict::Accept))
        .collect();
    for entry in fs::read_dir(real("linear.pte").parent().unwrap()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension != "md") {
            files.push((path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(&path).unwrap(), true));
        }
    }
    files.push(("text".to_owned(), b"This is not a program, and not a data file either.".to_vec(), false));
    files.push(("empty".to_owned(), Vec::new(), false));
    for (name, bytes, valid) in &files {
        let annotated = byte_map::Annotated::of(name.clone(), bytes, &ByteMap::of(bytes));
        let map = serde_json::to_value(&annotated).unwrap();
        testkit::schema::expect_valid(&schema, &map);
        let mut at = 0;
        for part in map["parts"].as_array().unwrap() {
            assert_eq!(part["offset"], at, "{name}: {part}");
            at += part["len"].as_u64().unwrap();
        }
        assert_eq!((at, &map["size"]), (bytes.len() as u64, &Value::from(at)), "{name}");
        assert!(!valid || annotated.overlaps.is_empty(), "{name}: {:?}", annotated.overlaps);
    }
}

#[test]
fn a_file_of_any_kind_is_annotated_as_far_as_it_goes() {
    let bundled = cases::find("bpte/valid/one-case").unwrap().build().unwrap().bytes;
    let overlap = cases::find("ptd-legacy/segments/overlap").unwrap().build().unwrap().bytes;
    let mut hidden = fs::read(real("linear.pte")).unwrap();
    hidden.extend(b"something behind the end");
    let not_complete = "the map is not complete: identifier: breaks fb-identifier-exact: found \" is \", not \"ET12\" \
        (stage header, at offset 0x4)\n";
    for (name, bytes, code, said) in [
        ("bundled.bpte", bundled, 0, ""),
        ("text.pte", b"This is not a program.".to_vec(), 1, not_complete),
        ("overlap.ptd", overlap, 0, ""),
        ("hidden.pte", hidden, 0, ""),
    ] {
        let name = file(name, &bytes);
        let said = if said.is_empty() { String::new() } else { format!("torchproof: {name}: {said}") };
        let text = run(&["inspect", "--annotate", name]);
        assert_eq!((text.code, text.stderr.as_str()), (Some(code), said.as_str()), "{name}");
        let json = run(&["inspect", "--annotate", name, "--format", "json"]);
        assert_eq!((json.code, json.stderr.as_str()), (Some(code), said.as_str()), "{name}");
        let map: Value = serde_json::from_str(&json.stdout).unwrap();
        assert_eq!(map["complete"], said.is_empty(), "{name}");
        assert_eq!(map["faults"].as_array().unwrap().is_empty(), said.is_empty(), "{name}");
        assert_eq!((&map["path"], &map["size"]), (&Value::from(name), &Value::from(bytes.len())));
        match name {
            "bundled.bpte" => assert!(text.stdout.contains("program.execution_plan[0].name"), "{}", text.stdout),
            "overlap.ptd" => assert!(!map["overlaps"].as_array().unwrap().is_empty(), "{map}"),
            _ => assert!(text.stdout.contains("unowned") && json.stdout.contains("\"unowned\""), "{}", text.stdout),
        }
    }
    let refused = run(&["inspect", "--format", "json", "text.pte"]);
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(2), ""));
}

/// A map that stops says where, for people and for programs.
#[test]
fn a_map_that_is_not_complete_says_where_it_stopped() {
    let bytes = cases::find("pte/segments/past-file").unwrap().build().unwrap().bytes;
    let name = file("past-file.pte", &bytes);
    let text = run(&["inspect", "--annotate", name]);
    assert!(text.stderr.starts_with(&format!("torchproof: {name}: the map is not complete: segments[0]: ")));
    assert_eq!(text.stderr.lines().count(), 1, "{}", text.stderr);
    let json = run(&["inspect", "--annotate", name, "--format", "json"]);
    let map: Value = serde_json::from_str(&json.stdout).unwrap();
    let fault = &map["faults"][0];
    assert_eq!(
        (&fault["path"], &fault["rule"]),
        (&Value::from("segments[0]"), &Value::from("seg-within-data")),
        "{map}"
    );
}

/// Numbers, names, short lists and strings are told, and where references lead.
#[test]
fn parts_are_shown_with_their_values() {
    let bytes = fs::read(real("linear.pte")).unwrap();
    let annotated = byte_map::Annotated::of("linear.pte".to_owned(), &bytes, &ByteMap::of(&bytes));
    let map = serde_json::to_value(&annotated).unwrap();
    let parts = map["parts"].as_array().unwrap();
    let find = |path: &str, what: &str| parts.iter().find(|part| part["path"] == path && part["what"] == what).unwrap();
    let plan = "execution_plan[0]";
    let values = format!("{plan}.values[0]");
    for (path, what, value) in [
        (format!("{plan}.name"), "elements", Value::from("forward")),
        (format!("{values}.val_type"), "value", Value::from("Tensor")),
        (format!("{values}.val.scalar_type"), "value", Value::from("FLOAT")),
        (format!("{values}.val.sizes"), "elements", Value::from(vec![4, 8])),
        (format!("{values}.val.dim_order"), "elements", Value::from(vec![0, 1])),
    ] {
        assert_eq!(find(&path, what)["value"], value, "{path}");
    }
    // What a reference leads to is there, and of a table the vtable.
    let table = find(&values, "table");
    assert_eq!(find(&values, "reference")["target"], table["offset"]);
    assert!(parts.iter().any(|part| part["what"] == "vtable" && part["offset"] == table["target"]));
    let text = run(&["inspect", "--annotate", real("linear.pte").to_str().unwrap()]).stdout;
    for line in [".val_type = Tensor (5)", ".scalar_type = FLOAT (6)", "elements [4, 8]", "segments[0]: segment"] {
        assert!(text.contains(line), "{line}");
    }
    assert!(!text.contains("  : segment"), "{text}");
}

/// Of what is near a change, the table that it is in is shown too, however far in front it begins.
#[test]
fn what_was_changed_is_shown_with_its_table() {
    let bytes = fs::read(real("linear.pte")).unwrap();
    let map = ByteMap::of(&bytes);
    let list = "execution_plan[0].values[0].val.sizes";
    let span = map.find(list, PartKind::Elements).unwrap().span;
    let table = map.find("execution_plan[0].values[0].val", PartKind::Table).unwrap().span;
    assert!(span.offset > table.end() + 16, "{table} {span}");
    let change = byte_map::Change { span, longer: 0 };
    let text = byte_map::render(&bytes, &map, &[change], byte_map::Shown::Changed("base"));
    assert!(text.contains("execution_plan[0].values[0].val: table Tensor"), "{text}");
    assert!(text.lines().count() < 20, "{text}");
}
