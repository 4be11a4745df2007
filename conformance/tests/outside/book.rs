//! Checks that the generated parts of the book match the code.
//!
//! A generated block is the text between `<!-- generated: WHAT NAME -->` and `<!-- end -->`. If `TRYCMD=overwrite` is
//! set, the test updates the blocks.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use libtest_mimic::Trial;
use torchproof::ScalarType;
use torchproof::flatbuffer::schema::{EnumType, Field, Kind, Scalar, TableDoc, UnionTag, UnionType, ValueDoc};
use torchproof::rules;
use torchproof::{bundled, ptd, pte};
use torchproof_cli::catalogue::SECTIONS;
use torchproof_cli::catalogue::markdown;

use crate::need::trials;
use testkit::schema::scalar_name;

pub(crate) fn trials() -> Vec<Trial> {
    trials!([]; generated_blocks_are_current, each_chapter_has_the_rules_of_its_section, each_type_is_in_one_chapter, each_page_is_in_the_summary)
}

const BEGIN: &str = "<!-- generated: ";
const END: &str = "<!-- end -->";

fn generated_blocks_are_current() {
    for path in chapters().into_iter().chain(["not-loading.md", "rules.md"].map(|name| book().join(name))) {
        let text = fs::read_to_string(&path).unwrap();
        testkit::expect_file(&path, &regenerated(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display())));
    }
}

fn each_chapter_has_the_rules_of_its_section() {
    for (section, title) in SECTIONS {
        let text = fs::read_to_string(book().join(format!("formats/{section}.md"))).unwrap_or_default();
        assert_eq!(text.lines().next(), Some(format!("# {title}").as_str()), "formats/{section}.md");
        let block = format!("{BEGIN}rules {section} -->");
        assert_eq!(text.matches(&block).count(), 1, "formats/{section}.md: expected one line `{block}`");
        for rule in rules::all().filter(|rule| rule.section == section) {
            assert!(text.contains(&format!("<a id=\"{rule}\"></a>")), "formats/{section}.md has no row of {rule}");
        }
    }
}

fn each_type_is_in_one_chapter() {
    let text: String = chapters().into_iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    let tables = SCHEMAS.into_iter().flat_map(|(schema, tables)| {
        tables.iter().map(move |table| format!("{BEGIN}table {schema}/{} -->", table.ty.name))
    });
    let enums = ENUMS.into_iter().map(|(name, ..)| format!("{BEGIN}enum {name} -->"));
    let unions = UNIONS.into_iter().map(|(name, _)| format!("{BEGIN}union {name} -->"));
    for block in tables.chain(enums).chain(unions) {
        assert_eq!(text.matches(&block).count(), 1, "`{block}`");
    }
}

fn each_page_is_in_the_summary() {
    let summary = fs::read_to_string(book().join("SUMMARY.md")).unwrap();
    for folder in ["", "formats/"] {
        for entry in fs::read_dir(book().join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if name.ends_with(".md") && name != "SUMMARY.md" {
                assert_eq!(summary.matches(&format!("({folder}{name})")).count(), 1, "{folder}{name} in SUMMARY.md");
            }
        }
    }
}

fn book() -> PathBuf {
    testkit::repository().join("docs/src")
}

fn chapters() -> Vec<PathBuf> {
    let entries = fs::read_dir(book().join("formats")).unwrap().map(|entry| entry.unwrap().path());
    let mut chapters: Vec<PathBuf> =
        entries.filter(|path| path.extension() == Some(Path::new("md").as_os_str())).collect();
    chapters.sort();
    chapters
}

fn regenerated(text: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(BEGIN) {
        let (what, after) = after.split_once(" -->").ok_or("a marker without its end `-->`")?;
        let (old, after) = after.split_once(END).ok_or_else(|| format!("`{what}` has no `{END}`"))?;
        if old.contains(BEGIN) {
            return Err(format!("`{what}` has no `{END}`"));
        }
        let block = generate(what).ok_or_else(|| format!("`{what}`: nothing of this name"))?;
        let _ = write!(out, "{before}{BEGIN}{what} -->\n\n{}\n\n{END}", block.trim_end());
        rest = after;
    }
    Ok(out + rest)
}

fn generate(what: &str) -> Option<String> {
    match what.split_once(' ')? {
        ("errors", "all") => Some(markdown::errors()),
        ("patterns", "outside") => Some(markdown::outside_patterns()),
        ("rules", section) => SECTIONS.iter().any(|(name, _)| *name == section).then(|| markdown::table(section)),
        ("table", name) => table(name),
        ("enum", name) => enumeration(name),
        ("union", name) => union(name),
        _ => None,
    }
}

const SCHEMAS: [(&str, &[TableDoc]); 4] = [
    ("pte", pte::schema::TABLE_DOCS),
    ("ptd", ptd::schema::TABLE_DOCS),
    ("legacy", ptd::legacy_schema::TABLE_DOCS),
    ("bundled", bundled::schema::TABLE_DOCS),
];

fn table(name: &str) -> Option<String> {
    let (schema, name) = name.split_once('/')?;
    let (_, tables) = SCHEMAS.into_iter().find(|(known, _)| *known == schema)?;
    let table = tables.iter().find(|table| table.ty.name == name)?;
    let mut out = sentences(table.doc) + "\n";
    if !table.fields.is_empty() {
        out += "\n| slot | field | type | default | since | written by | meaning |\n|---|---|---|---|---|---|---|\n";
    }
    for (field, doc) in table.ty.fields.iter().zip(table.fields) {
        let Field { name, slot, .. } = field;
        let (ty, default) = described(field.kind);
        let writer = match field.kind {
            _ if !doc.writer.is_empty() => doc.writer,
            Kind::Scalar(_) | Kind::Enum(_) => "exporter, unless 0",
            _ => "exporter, always",
        };
        let (since, meaning) = (doc.since, sentences(doc.doc));
        let _ = writeln!(out, "| {slot} | `{name}` | {ty} | {default} | {since} | {writer} | {meaning} |");
    }
    Some(out)
}

/// The type in FlatBuffers notation, and the value that readers return if the field is absent.
fn described(kind: Kind) -> (String, &'static str) {
    match kind {
        Kind::Scalar(Scalar::Bool) => ("bool".to_owned(), "false"),
        Kind::Scalar(scalar) => (scalar_name(scalar).to_owned(), "0"),
        Kind::Enum(ty) => (format!("`{}` (int8)", ty.name), "0"),
        Kind::Tag(ty) => (format!("type of `{}` (uint8)", ty.name), "0 (`NONE`)"),
        Kind::Union(ty) => (format!("union `{}`", ty.name), "absent"),
        Kind::String => ("string".to_owned(), "absent"),
        Kind::Scalars(scalar, align) if align > scalar.width() => {
            (format!("[{}], aligned to {align}", scalar_name(scalar)), "absent")
        }
        Kind::Scalars(scalar, _) => (format!("[{}]", scalar_name(scalar)), "absent"),
        Kind::Table(ty) => (format!("`{}`", ty.name), "absent"),
        Kind::Tables(ty) => (format!("[`{}`]", ty.name), "absent"),
    }
}

/// The enums of the program schema. The other schemas use only `ScalarType`.
const ENUMS: [(&str, &EnumType, &[ValueDoc]); 5] = [
    ("pte/ScalarType", ScalarType::TYPE, ScalarType::DOCS),
    ("pte/DeviceType", pte::schema::DeviceType::TYPE, pte::schema::DeviceType::DOCS),
    ("pte/DataLocation", pte::schema::DataLocation::TYPE, pte::schema::DataLocation::DOCS),
    ("pte/TensorDataLocation", pte::schema::TensorDataLocation::TYPE, pte::schema::TensorDataLocation::DOCS),
    ("pte/TensorShapeDynamism", pte::schema::TensorShapeDynamism::TYPE, pte::schema::TensorShapeDynamism::DOCS),
];

fn enumeration(name: &str) -> Option<String> {
    let (_, ty, docs) = ENUMS.into_iter().find(|(known, ..)| *known == name)?;
    let mut out = "| value | name | since | meaning |\n|---|---|---|---|\n".to_owned();
    for ((name, value), doc) in ty.values.iter().zip(docs) {
        let _ = writeln!(out, "| {value} | `{name}` | {} | {} |", doc.since, sentences(doc.doc));
    }
    Some(out)
}

const UNIONS: [(&str, &UnionType); 3] = [
    ("pte/KernelTypes", <pte::schema::KernelTypes as UnionTag>::TYPE),
    ("pte/InstructionArguments", <pte::schema::InstructionArguments as UnionTag>::TYPE),
    ("bundled/ValueUnion", <bundled::schema::ValueUnion as UnionTag>::TYPE),
];

fn union(name: &str) -> Option<String> {
    let (_, ty) = UNIONS.into_iter().find(|(known, _)| *known == name)?;
    let mut out = "| type | table |\n|---|---|\n| 0 | `NONE`: no value |\n".to_owned();
    for (index, member) in ty.members.iter().enumerate() {
        let _ = writeln!(out, "| {} | `{}` |", index + 1, member.name);
    }
    Some(out)
}

/// Returns one line for a Markdown table, without links.
fn sentences(doc: &str) -> String {
    let words: Vec<&str> = doc.split_whitespace().collect();
    words.join(" ").replace("[`", "`").replace("`]", "`").replace('|', "\\|")
}
