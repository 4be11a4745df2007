//! **The JSON schemas** of the command's input and output, `conformance/schema/*.schema.json`, generated from the
//! types.
//!
//! The `schema` feature, which only the tests enable, derives `schemars::JsonSchema`. A test compares the schemas with
//! the files, which `.ci/regenerate` writes.
#![allow(dead_code, reason = "the wrapper types exist only for their schema")]

use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value};
use torchproof::FileKind;
use torchproof::prediction::BuildProfile;
use torchproof_harness::corpus::Manifest;
use torchproof_harness::hunt::{Cluster, Head};
use torchproof_harness::labeled::Line;
use torchproof_harness::run::known::KnownFile;
use torchproof_harness::run::record::{Record, RunReport};
use torchproof_harness::run::score::MutationScore;
use torchproof_harness::run::{ResultsEnd, ResultsHead};
use torchproof_model::check::FileResult;
use torchproof_model::diff::DiffOutput;
use torchproof_model::inspect::{ConstantMethod, InspectOutput};
use torchproof_model::needs::NeedsOutput;

use crate::byte_map::AnnotateOutput;
use crate::catalogue::{AttackListing, Coverage, RuleListing};
use crate::document::meta::Row;
use crate::explain::ExplainOutput;
use crate::gate::files::FilesComparison;
use crate::gate::results::ResultsComparison;
use crate::gate::schema::SchemaComparison;
use crate::report::ReaderMatrix;
use crate::settings::SettingsFile;

/// Returns all schemas, each with its file name without `.schema.json`.
pub fn all() -> Vec<(&'static str, Value)> {
    vec![
        ("annotate", printed::<AnnotateOutput<'_>>("torchproof inspect --annotate --format json")),
        ("attacks", printed::<AttackListing>("torchproof attack --list --format json")),
        ("build_profile", read::<BuildProfile>("torchproof check --build")),
        ("check", printed::<CheckOutput>("torchproof check --format json")),
        ("coverage", printed::<Coverage>("torchproof corpus coverage --format json")),
        ("diff", printed::<DiffOutput>("torchproof diff --format json")),
        ("explain", printed::<ExplainOutput>("torchproof explain ID --format json")),
        ("gate_files", printed::<FilesComparison>("torchproof gate files --report json=FILE")),
        ("gate_results", printed::<ResultsComparison>("torchproof gate results --report json=FILE")),
        ("gate_schema", printed::<SchemaComparison>("torchproof gate schema --report json=FILE")),
        ("hunt", printed::<Hunt>("torchproof hunt --format json")),
        ("inspect", printed::<InspectOutput>("torchproof inspect --format json")),
        ("known", read::<KnownFile>("torchproof run --known-failures")),
        ("label", printed::<Line>("a line of labels.jsonl, written by torchproof attack")),
        ("manifest", printed::<Manifest>("corpus/manifest.json")),
        ("matrix", printed::<ReaderMatrix>("torchproof report --report json=FILE, for several runs")),
        ("meta", printed::<Metadata>("torchproof meta list --format json")),
        ("needs", printed::<NeedsOutput>("torchproof needs --format json")),
        ("protocol", message::<ProtocolLine>("a line of the reader protocol, version 1")),
        ("rules", printed::<RuleListing>("torchproof explain --format json")),
        ("run", printed::<RunReport>("torchproof run --report json=FILE")),
        ("run_line", printed::<RunLine>("a line of torchproof run --results")),
        ("score", printed::<MutationScore>("torchproof corpus score --format json")),
        ("settings", read::<SettingsFile>("torchproof.toml")),
    ]
}

/// The result of each file, in the order of the arguments.
#[derive(JsonSchema)]
struct CheckOutput {
    files: Vec<FileResult>,
}

/// A campaign and its clusters of findings.
#[derive(JsonSchema)]
struct Hunt {
    /// The content of hunt.json in the campaign folder.
    campaign: Head,
    /// The campaign folder.
    folder: String,
    /// The number of files that the readers have run on, across all calls of `hunt`.
    files: u64,
    /// The clusters, ordered by reader, kind, family, rule and signature.
    clusters: Vec<Cluster>,
}

/// A file's metadata entries, in the order in which the file stores them. `meta get --format json` prints a single entry.
#[derive(JsonSchema)]
struct Metadata {
    kind: FileKind,
    metadata: Vec<Row>,
    /// The methods without inputs that return constants; absent if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    constant_methods: Vec<ConstantMethod>,
}

/// A reader protocol message: a request by the runner, or a reply by the adapter.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum ProtocolLine {
    Request(torchproof_protocol::Request),
    Hello(torchproof_protocol::Hello),
    Reply(torchproof_protocol::Reply),
}

/// A line of the results file. The first line lists the corpus, the options and the readers. The lines after it are
/// results, in order of completion. The last line, which is absent or incomplete if the run was killed, repeats the
/// readers with all notes.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum RunLine {
    Head(ResultsHead),
    Result(Box<Record>),
    End(ResultsEnd),
}

fn printed<T: JsonSchema>(title: &str) -> Value {
    finish(SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>(), title)
}

fn read<T: JsonSchema>(title: &str) -> Value {
    finish(SchemaSettings::draft2020_12().for_deserialize().into_generator().into_root_schema_for::<T>(), title)
}

/// Returns the schema of a protocol message, which can have unknown members.
fn message<T: JsonSchema>(title: &str) -> Value {
    let schema = SchemaSettings::draft2020_12().for_deserialize().into_generator().into_root_schema_for::<T>();
    transform(schema, title, tidy)
}

fn finish(schema: Schema, title: &str) -> Value {
    let mut closed = transform(schema, title, close);
    open_parts(&mut closed);
    closed
}

/// An object's schema disallows unknown members, so the schema for a part of the object, such as a flattened enum, must
/// permit them.
fn open_parts(schema: &mut Value) {
    if let Value::Object(members) = schema
        && members.contains_key("unevaluatedProperties")
    {
        for list in ["allOf", "anyOf", "oneOf"] {
            let parts = members.get_mut(list).and_then(Value::as_array_mut);
            for part in parts.into_iter().flatten().filter_map(Value::as_object_mut) {
                part.remove("additionalProperties");
            }
        }
    }
    match schema {
        Value::Object(members) => members.values_mut().for_each(open_parts),
        Value::Array(items) => items.iter_mut().for_each(open_parts),
        _ => {}
    }
}

fn transform(mut schema: Schema, title: &str, change: fn(&mut Schema)) -> Value {
    RecursiveTransform(change).transform(&mut schema);
    schema.insert("title".to_owned(), title.into());
    schema.to_value()
}

/// Makes descriptions plain text, and disallows unknown members, and `null` for optional members.
fn close(schema: &mut Schema) {
    tidy(schema);
    let Some(object) = schema.as_object_mut().filter(|object| object.contains_key("properties")) else { return };
    if !object.contains_key("allOf") && !object.contains_key("anyOf") && !object.contains_key("oneOf") {
        object.insert("additionalProperties".to_owned(), false.into());
    } else {
        object.insert("unevaluatedProperties".to_owned(), false.into());
    }
}

/// Makes descriptions plain text, and disallows `null` for optional members.
fn tidy(schema: &mut Schema) {
    let Some(object) = schema.as_object_mut() else { return };
    if let Some(Value::String(description)) = object.get_mut("description") {
        *description = plain(description);
    }
    let required: Vec<Value> = object.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let Some(Value::Object(properties)) = object.get_mut("properties") else { return };
    for (name, property) in properties {
        if let Value::Object(property) = property
            && !required.iter().any(|required| required == name.as_str())
        {
            without_null(property);
        }
    }
}

/// Converts a doc comment to plain text with one line per paragraph, without code examples and links to Rust items.
fn plain(doc: &str) -> String {
    let prose: Vec<&str> = doc.split("```").step_by(2).map(str::trim).filter(|part| !part.is_empty()).collect();
    let text = prose.join("\n\n").replace("\n\n", "\0").replace('\n', " ").replace('\0', "\n\n");
    let (mut out, mut rest) = (String::new(), text.as_str());
    while let Some((before, from)) = rest.split_once('[') {
        out += before;
        let (shown, after) = match from.split_once(']') {
            Some((label, after)) if after.starts_with('(') && !after.starts_with("(http") => {
                (label.to_owned(), after.split_once(')').map_or("", |(_, after)| after))
            }
            // [`Type::MEMBER`] becomes `MEMBER`.
            Some((label, after)) if label.starts_with('`') && label.ends_with('`') => {
                let path = label.trim_matches('`');
                (format!("`{}`", path.rsplit("::").next().unwrap_or(path)), after)
            }
            _ => ("[".to_owned(), from),
        };
        out += &shown;
        rest = after;
    }
    out + rest
}

fn without_null(property: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = property.get_mut("type") {
        types.retain(|name| name != "null");
    }
    if let Some(Value::Array(choices)) = property.get_mut("anyOf") {
        choices.retain(|choice| choice["type"] != "null");
    }
}
