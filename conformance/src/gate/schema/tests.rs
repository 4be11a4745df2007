use std::fmt::Write;

use super::compare::compare;
use super::error::Place;
use super::model::Schema;
use super::parse::parse;
use super::resolve::resolve;

fn schema(text: &str) -> Schema {
    try_schema(text).unwrap_or_else(|(place, error)| panic!("{}:{}: {error}: {text}", place.line, place.column))
}

fn try_schema(text: &str) -> Result<Schema, (Place, String)> {
    parse(text, 0).and_then(|source| resolve(&[source])).map_err(|error| (error.place, error.message))
}

fn differences(old: &str, new: &str) -> String {
    let mut lines = String::new();
    for found in compare(&schema(old), &schema(new)) {
        writeln!(
            lines,
            "{} {}: {} | {} | {}",
            found.kind.id(),
            found.subject,
            found.change,
            found.breaks,
            found.example
        )
        .unwrap();
    }
    lines
}

/// `old` and `new` contain the fields' declarations.
fn fields(old: &str, new: &str) -> String {
    let table = |fields: &str| {
        format!(
            "enum E : int8 {{ A, B }} enum F : int8 {{ A, B }} enum G : int8 {{ B, A }} enum H : int8 {{ A }} table U {{}} union V {{ U }} union W : int {{ U }} struct S {{ a: int8; }} table T {{ {fields} }} root_type T;"
        )
    };
    differences(&table(old), &table(new))
}

#[test]
fn a_schema_equals_itself() {
    for text in [
        "",
        "namespace a.b; table T { x: [T]; y: T; } root_type T; file_identifier \"ABCD\";",
        "union U { A, b: A, s: string } table A {} table T { us: [U]; u: U; }",
        "struct S { a: int8; b: [int16:3]; c: R; } struct R (force_align: 16) { d: double; }",
        "attribute \"x\"; enum E : uint64 (bit_flags) { A, B = 63 } table T { e: E = A | B; f: float = -1.5e3; g: bool = true; n: int = null; }",
        "table T { a: float = 0x1.8p-3; b: double = -0x.8P+1; c: float = nan; d: int = \"E.B\"; e: int = n.F.C; f: E = B (deprecated); } enum E : int8 { A, B } namespace n; enum F : int8 { C = 0x7 }",
        "struct S { a: [int8:0xF]; } table T { a: int (id: 0x0, \"key\"); b: string (\"native_inline\", id: 1); }",
        "table T { a: int; } root_type T; { \"a\": 1, ? }",
        "table A {} union U : int { A = 1000 } table T { u: U; }",
        "table T { a: string = \"\\u00e9\\n\"; }",
        "rpc_service R { call(A): B (streaming: \"server\"); } table A {} table B {}",
    ] {
        assert_eq!(differences(text, text), "", "{text}");
    }
}

#[test]
fn changes_of_fields() {
    let mut report = String::new();
    for (old, new) in [
        ("a: int;", "a: int; b: int;"),
        ("a: int;", "a: int; b: string (required);"),
        ("a: int; b: int;", "a: int;"),
        ("a: int; b: string (required);", "a: int;"),
        ("a: int; b: int;", "a: int (deprecated); b: int;"),
        ("a: int; b: int;", "b: int; a: int;"),
        ("a: int; b: int;", "b: int (id: 1); a: int (id: 0);"),
        ("a: int; b: int;", "b: int;"),
        ("a: int; b: string;", "a: int; n: int; b: string;"),
        ("a: int;", "b: int;"),
        ("a: int;", "b: string;"),
        ("a: int;", "a: uint;"),
        ("a: int;", "a: long;"),
        ("a: long;", "a: int;"),
        ("a: float;", "a: int;"),
        ("a: bool;", "a: ubyte;"),
        ("a: int8;", "a: E;"),
        ("a: int16;", "a: E;"),
        ("a: [int];", "a: [long];"),
        ("a: string;", "a: [ubyte];"),
        ("a: [ubyte];", "a: string;"),
        ("a: S;", "a: U;"),
        ("a: [S];", "a: [U];"),
        ("a: V;", "a: U;"),
        ("a: int = 1;", "a: int = 2;"),
        ("a: int = null;", "a: int;"),
        ("a: E;", "a: E = B;"),
        ("a: string;", "a: string (required);"),
        ("a: string (required);", "a: string;"),
        ("a: string;", "a: string (key);"),
        ("a: [ubyte];", "a: [ubyte] (force_align: 16);"),
        ("a: [ubyte] (force_align: 32);", "a: [ubyte] (force_align: 16);"),
        ("a: [double];", "a: [double] (force_align: 8);"),
        ("a: [ubyte] (nested_flatbuffer: \"T\");", "a: [ubyte] (nested_flatbuffer: \"U\");"),
        ("a: [ubyte];", "a: [ubyte] (nested_flatbuffer: \"U\");"),
        ("a: [ubyte] (flexbuffer);", "a: [ubyte];"),
        ("a: [ubyte];", "a: [ubyte] (vector64);"),
        ("a: string (offset64);", "a: string;"),
        ("a: float = nan;", "a: float = -nan;"),
        ("a: float = 0;", "a: float = -0.0;"),
        ("a: int;", "a: int; b: string (key);"),
        ("a: int;", "a: int; b: int (key);"),
        ("a: int; b: int (key);", "a: int;"),
        ("a: string (required);", "a: string (required, deprecated);"),
        ("a: string;", "a: string (required, deprecated);"),
        ("a: int (deprecated);", "b: int;"),
        ("a: int (deprecated);", "b: int (deprecated);"),
        ("a: U;", "a: V;"),
        ("a: E;", "a: F;"),
        ("a: E;", "a: G;"),
        ("a: E;", "a: H;"),
        ("a: int; v: V;", "a: int; b: int;"),
        ("a: int; v: V;", "a: int; b: int; c: int;"),
        ("a: int; v: [V];", "b: int (id: 1); a: int (id: 0);"),
        ("a: int; b: int;", "a: int; v: V;"),
        ("a: int; b: int;", "a: int; v: V; b: int;"),
        ("v: V; a: int;", "b: ubyte; c: string; a: int;"),
        ("v: V;", "v: int;"),
        ("v: V;", "v: int; a: int;"),
        ("v: V;", "w: W;"),
        ("v: V;", "w: V;"),
        ("a: float = 1.5;", "a: float = 0x1.8p0;"),
        ("a: double = 0x1p4;", "a: double = -0x.8p+1;"),
    ] {
        writeln!(report, "{old}\n{new}\n{}", fields(old, new)).unwrap();
    }
    insta::assert_snapshot!(report);
}

#[test]
fn changes_of_types_and_of_the_file() {
    let mut report = String::new();
    for (old, new) in [
        ("enum E : int8 { A, B }", "enum E : int8 { A, B, C }"),
        ("enum E : int8 { A, B }", "enum E : int8 { A }"),
        ("enum E : int8 { A, B }", "enum E : int8 { B, A }"),
        ("enum E : int8 { A, B }", "enum E : int8 { A, C }"),
        ("enum E : int8 { A, B }", "enum E : int8 { A, X, B }"),
        ("enum E : int8 { A, B }", "enum E : int16 { A, B }"),
        ("enum E : uint8 { A, B }", "enum E : uint8 (bit_flags) { A, B }"),
        ("table A {} table B { x: int; } union U { A, B }", "table A {} table B { x: int; } union U { A }"),
        ("table A {} table B { x: int; } union U { A, B }", "table A {} table B { x: int; } union U { B, A }"),
        ("table A {} table B { x: int; } union U { A }", "table A {} table B { x: int; } union U { A, B }"),
        ("table A {} table B { x: int; } union U { x: A }", "table A {} table B { x: int; } union U { x: B }"),
        ("struct S { a: int8; b: int8; }", "struct S { b: int8; a: int8; }"),
        ("struct S { a: int8; }", "struct S { a: int8; b: int8; }"),
        ("struct S { a: int8; b: int32; }", "struct S { a: int16; b: int32; }"),
        ("struct S { a: int8; }", "struct S { c: int8; }"),
        ("struct S { a: int32; b: int8; }", "struct S { a: int32; b: int8; c: int8; }"),
        ("struct S { a: [int16:3]; }", "struct S { a: [int16:4]; }"),
        ("struct S { a: [int16:3]; }", "struct S { a: [uint16:3]; }"),
        ("struct S { a: [R:2]; } struct R { b: int8; }", "struct S { a: [Q:2]; } struct Q { c: int8; }"),
        ("struct S { a: int8; } enum E : int8 { A }", "struct S { a: E; } enum E : int8 { A }"),
        ("struct S { a: int8; }", "struct S { a: int8 (key); }"),
        ("struct S (force_align: 4) { a: int; }", "struct S (force_align: 16) { a: int; b: int; c: int; d: int; }"),
        ("struct S { a: int8; }", "table S { a: int8; }"),
        ("enum S : int8 { A }", "struct S { a: int8; }"),
        ("table A {} union U { A }", "table A {} union U : int { A }"),
        (
            "table R { a: A; b: A; } table A { x: int; } root_type R;",
            "table R { a: B; b: C; } table B { x: int; } table C { x: int; } root_type R;",
        ),
        ("namespace a; table T {} root_type T;", "namespace b; table T {} root_type T;"),
        ("table A {} table B {} root_type A;", "table A {} table B {} root_type B;"),
        ("table A { x: B; } table B { y: int; } root_type A;", "table A { x: C; } table C { y: long; } root_type A;"),
        ("table A {} file_identifier \"AAAA\";", "table A {} file_identifier \"BBBB\";"),
        ("table A {}", "table A {} file_identifier \"BBBB\";"),
        ("table A {} file_identifier \"AAAA\";", "table A {}"),
        ("table A {} file_extension \"a\";", "table A {} file_extension \"b\";"),
        ("table A {} table B {}", "table A {} table C {}"),
        ("table A {} enum E : int8 { A }", "table A {}"),
        ("table A {} table B {} root_type A;", "table B {}"),
        ("table A {} root_type A;", "table A {}"),
        ("table A {}", "table A {} root_type A;"),
        ("table A {} table B {} root_type A;", "table A {} root_type A;"),
        (
            "namespace a; table T { x: E; u: U; } enum E : int8 { A } union U { T } root_type T;",
            "namespace b; table T { x: E; u: U; y: int; } enum E : int8 { A, B } union U { T, S } struct S { a: int8; } root_type T;",
        ),
        (
            "table R { a: A; b: B; } table A { x: int; } table B { x: int; } root_type R;",
            "table R { a: C; b: C; } table C { x: int; } root_type R;",
        ),
    ] {
        writeln!(report, "{old}\n{new}\n{}", differences(old, new)).unwrap();
    }
    insta::assert_snapshot!(report);
}

#[test]
fn errors_have_a_line_and_a_column() {
    let mut report = String::new();
    for text in [
        "table T {\n  a int;\n}",
        "table T { a: Missing; }",
        "table T { a: int; a: int; }",
        "table T {} table T {}",
        "table T { a: int (id: 1); }",
        "table T { a: int (id: 0); b: int; }",
        "table T { a: int (id: 0); b: int (id: 0); }",
        "table T { a: int = x; }",
        "table T { a: byte = 300; }",
        "enum E { A }",
        "enum E : int8 { A = 200 }",
        "enum E : int8 { A, B = 0 }",
        "enum E : float { A }",
        "struct S { a: string; }",
        "struct S { a: S; }",
        "file_identifier \"ABC\";",
        "root_type Missing;",
        "table T { a: [[int]]; }",
        "table T { a: int",
        "tabel T {}",
        "table T { a: int (force_align: 3); }",
        "union U { A } table A {} table T { u: U (id: 0); }",
        "\u{1b}[31m",
        "enum E : int8 { A, A }",
        "table A {} union U { x: A, x: A }",
        "struct S { a: int8; a: int8; }",
        "table T { a: int (required); }",
        "table T { a: int (key); b: int (key); }",
        "table T { a: [int:3]; }",
        "enum E : int8 { A } union U { E }",
        "table T { a: float = sin(rad(180)); }",
        "table T { a: float = sqrt(2); }",
        "table T { a: float = 0x1.8q3; }",
        "table T { a: int = \"E.C\"; } enum E : int8 { A }",
        "union U : float { A } table A {}",
        "table T { a: string = \"\\q\"; }",
    ] {
        let (place, error) = try_schema(text).err().unwrap_or_else(|| panic!("{text} is accepted"));
        writeln!(report, "{text:?}\n  {}:{}: {error}", place.line, place.column).unwrap();
    }
    insta::assert_snapshot!(report);
}

#[test]
fn hostile_names_are_errors_and_not_copied() {
    let deep = "a.".repeat(40) + "a";
    for text in [
        format!("namespace {deep};"),
        format!("namespace {}; table T {{}}", "a".repeat(600)),
        format!("table {} {{}}", "a".repeat(600)),
    ] {
        assert!(try_schema(&text).is_err(), "{text}");
    }
}

#[test]
fn each_type_is_compared_with_one_type() {
    // The tables of each schema form a cycle. If a type could have several partners, all old tables would be compared
    // with all new ones.
    let cycle = |prefix: char, count: usize, ty: &str| {
        let table = |at: usize| format!("table {prefix}{at} {{ next: {prefix}{}; x: {ty}; }} ", (at + 1) % count);
        (0..count).map(table).collect::<String>() + &format!("root_type {prefix}0;")
    };
    let found = compare(&schema(&cycle('A', 31, "int")), &schema(&cycle('B', 30, "long")));
    assert!((60..=122).contains(&found.len()), "{}", found.len());
}
