//! `torchproof run --known`: what is known to fail does not fail a run, and the list is held to be true.

use std::fs;

use serde_json::{Value, json};
use testkit::corpus::{Run, TestCorpus, faux};
use torchproof::Stage;

/// A corpus of two areas, of which `builtin:accept-all` fails the cases called bad.
fn corpus(name: &str) -> TestCorpus {
    TestCorpus::new(&format!("known-{name}"))
        .accept("pte/header/control", "accept")
        .reject("pte/header/bad-1", "accept", Stage::Header, "pte/header/control")
        .reject("pte/header/bad-2", "signal 11", Stage::Header, "pte/header/control")
        .reject("pte/segments/bad", "accept", Stage::Structure, "pte/header/control")
        .either("pte/segments/doubtful", "accept")
        .write()
}

fn run(corpus: &TestCorpus, list: &str, args: &[&str]) -> Run {
    let list = corpus.beside("known.toml", list);
    corpus.run_with(&["builtin:accept-all"], &[&["--known", &list][..], args].concat())
}

fn entry(case: &str, expect: &str) -> String {
    format!("[[known]]\ncase = \"{case}\"\nexpect = \"{expect}\"\nreason = \"takes all\"\n\n")
}

/// All that `builtin:accept-all` fails here.
fn whole() -> String {
    entry("pte/header/bad-*", "accepts-invalid") + &entry("pte/segments/bad", "accept")
}

#[test]
fn what_fails_as_listed_fails_no_run() {
    let corpus = corpus("listed");
    let list = whole() + "reference = \"https://example.org/1\"\n";
    let all = run(&corpus, &list, &[]);
    assert_eq!(all.code, 0, "{all:?}");
    assert_eq!(all.report["readers"][0]["grades"], json!({"pass": 1, "info": 1, "known": 3}));
    let result = all.result("accept-all", "pte/segments/bad");
    assert_eq!((&result["outcome"], &result["grade"]), (&json!("accept"), &json!("known")));
    let listed = json!({"grade": "accepts-invalid", "entry": "pte/segments/bad", "line": 6, "reason": "takes all",
                        "reference": "https://example.org/1"});
    assert_eq!(result["listed"], listed);
    assert_eq!(all.report["known"]["entries"], 2);
    assert!(corpus.stream().contains(result));

    let known = corpus.beside("known.toml", &list);
    let text = corpus.text(&["builtin:accept-all"], &["--known", &known]);
    assert!(text.contains("known  accept-all  2 cases: accepts-invalid: takes all\n"), "{text}");
    assert!(text.contains("1 case: accepts-invalid: takes all (https://example.org/1)\n"), "{text}");
    assert!(text.ends_with(&format!("{known}: 2 entries\n")), "{text}");
}

#[test]
fn what_passes_or_fails_in_another_way_is_not_as_listed() {
    let corpus = corpus("fixed");
    let fixed = run(&corpus, &(whole() + &entry("pte/header/control", "rejects-valid")), &[]);
    let result = fixed.result("accept-all", "pte/header/control");
    assert_eq!((fixed.code, &result["grade"], &result["listed"]["grade"]), (1, &json!("fixed"), &json!("pass")));
    assert!(result["message"].as_str().unwrap().ends_with("known.toml:11 lists it as rejects-valid"), "{result}");

    // A glob has to hold for each of its cases.
    let wide = run(&corpus, &(entry("pte/header/*", "accepts-invalid") + &entry("pte/segments/bad", "accept")), &[]);
    assert_eq!((wide.code, wide.grade("accept-all", "pte/header/control")), (1, "fixed"));
    assert_eq!(wide.grade("accept-all", "pte/header/bad-1"), "known");

    let other = run(&corpus, &(entry("pte/header/bad-*", "crash") + &entry("pte/segments/bad", "accept")), &[]);
    assert_eq!((other.code, other.grade("accept-all", "pte/header/bad-1")), (1, "accepts-invalid"));
    let either = "[[known]]\ncase = \"pte/header/bad-*\"\nexpect = [\"crash\", \"accepts-invalid\"]\nreason = \"x\"\n";
    assert_eq!(run(&corpus, &(either.to_owned() + &entry("pte/segments/bad", "accept")), &[]).code, 0);
}

#[test]
fn an_entry_about_nothing_is_stale_unless_it_was_not_chosen() {
    let corpus = corpus("stale");
    for (gone, why) in [
        ("pte/header/gone", "no case of the corpus has such an id"),
        ("pte/segments/doubtful", "each of its cases is skipped, or graded by nobody"),
    ] {
        let stale = run(&corpus, &(whole() + &entry(gone, "crash")), &[]);
        let expected = json!([{"entry": gone, "line": 11, "message": why}]);
        assert_eq!((stale.code, &stale.report["known"]["stale"]), (1, &expected));
        let list = corpus.beside("known.toml", &(whole() + &entry(gone, "crash")));
        let text = corpus.text(&["builtin:accept-all"], &["--known", &list]);
        assert!(text.contains(&format!("stale  {list}:11  {gone}\n    {why}\n")), "{text}");
        assert!(text.contains(&format!("{list}: 3 entries, 1 stale\n")), "{text}");
    }
    // Not chosen: by case, and by reader.
    let part = run(&corpus, &(whole() + &entry("pte/segments/doubtful", "crash")), &["--cases", "pte/header/*"]);
    assert_eq!((part.code, &part.report["known"]["not_asked"]), (0, &json!(2)));
    let of_other = entry("pte/header/control", "crash").replace("reason", "reader = \"another\"\nreason");
    let part = run(&corpus, &(whole() + &of_other), &[]);
    assert_eq!((part.code, &part.report["known"]["not_asked"]), (0, &json!(1)));
    assert_eq!(part.grade("accept-all", "pte/header/control"), "pass");
    let others = json!([{"reader": "another", "entries": 1}]);
    assert_eq!(part.report["known"]["other_readers"], others);
    // What there is no such case of is stale whatever is chosen.
    assert_eq!(run(&corpus, &(whole() + &entry("pte/header/gone", "crash")), &["--cases", "pte/header/*"]).code, 1);
}

#[test]
fn entries_of_a_reader_that_is_none_of_the_run_are_told_with_the_name_that_was_meant() {
    let corpus = corpus("others");
    let of = |reader: &str, cases: &[&str]| -> String {
        let entries = cases.iter().map(|case| entry(case, "accepts-invalid"));
        entries.map(|entry| entry.replace("reason", &format!("reader = \"{reader}\"\nreason"))).collect()
    };
    let list = entry("pte/segments/bad", "accepts-invalid")
        + &of("acept-all", &["pte/header/bad-1", "pte/header/bad-2"])
        + &of("executorch", &["pte/header/bad-1"])
        + &of("accept-*", &["pte/header/bad-1", "pte/header/bad-2"]);
    let run = run(&corpus, &list, &[]);
    let others = json!([
        {"reader": "acept-all", "entries": 2, "near": "accept-all"},
        {"reader": "executorch", "entries": 1},
    ]);
    assert_eq!((&run.report["known"]["other_readers"], &run.report["known"]["not_asked"]), (&others, &json!(3)));
    let path = corpus.beside("known.toml", &list);
    let text = corpus.text(&["builtin:accept-all"], &["--known", &path]);
    let told = format!(
        "{path}: 6 entries, 3 not asked
{path}: 2 entries are of acept-all, and no reader of this run is called that: one is called accept-all
{path}: 1 entry is of executorch, and no reader of this run is called that
"
    );
    assert!(text.contains(&told), "{text}");
    let told = "2 entries are of acept-all, and no reader of this run is called that";
    let formats = [("markdown", format!("</code>: <code>{told}")), ("html", format!("</strong>: {told}: one"))];
    for (format, told) in formats {
        let page = corpus.text(&["builtin:accept-all"], &["--known", &path, "--format", format]);
        assert!(page.contains(&told), "{page}");
    }
}

#[test]
fn a_reader_is_named_as_reports_do_or_by_its_name_and_version() {
    let corpus = corpus("readers");
    let readers = ["builtin:accept-all", &faux("exec", "worker")];
    for (name, count) in [("accept-all", 2), ("accept-all 0*", 2), ("faux", 2), ("*", 4), ("faux 0", 2), ("accept", 0)]
    {
        let list = entry("pte/*/bad*", "accept").replace("pte/*/bad*", "pte/header/bad-1")
            + &entry("pte/segments/bad", "accept");
        let list = corpus.beside("known.toml", &list.replace("reason", &format!("reader = \"{name}\"\nreason")));
        let run = corpus.run_with(&readers, &["--known", &list]);
        let results = run.report["results"].as_array().unwrap();
        assert_eq!(results.iter().filter(|result| result["grade"] == "known").count(), count, "{name}");
    }
}

#[test]
fn lists_that_say_too_much_are_refused_before_the_run() {
    let corpus = corpus("refused");
    let told = |list: &str| {
        let list = corpus.beside("known.toml", list);
        let _ = fs::remove_file(corpus.beside("results.jsonl", ""));
        let (code, stdout, stderr) = corpus.torchproof(&["--reader", "builtin:accept-all", "--known", &list]);
        assert_eq!((code, stdout.as_str(), stderr.lines().count()), (2, "", 1), "{stderr}");
        assert!(corpus.stream().is_empty());
        stderr
    };
    let wide = told(&(whole() + &entry("pte/**", "accepts-invalid")));
    assert!(
        wide.ends_with("known.toml:11: `pte/**` covers too much: cases of 2 areas, as pte/header and pte/segments; an entry is about one\n"),
        "{wide}"
    );
    let twice = told(&(whole() + &entry("pte/header/bad-1", "crash")));
    assert!(twice.ends_with("known.toml:11: pte/header/bad-1 is listed already, in line 1\n"), "{twice}");
    assert!(told(&entry("pte/a/b", "crash").replace("takes all", "TODO: say why")).contains("nobody has written"));
    assert!(told("[[known]]\ncase = 7\n").contains("known.toml:2: "));
    let (code, _, stderr) = corpus.torchproof(&["--reader", "builtin:accept-all", "--known", "/nonexistent/x.toml"]);
    assert_eq!((code, stderr.as_str()), (2, "torchproof: /nonexistent/x.toml: no such file or folder\n"));
}

#[test]
fn an_update_keeps_what_holds_and_leaves_reasons_to_people() {
    let corpus = corpus("update");
    let before = "\
# Of the team.

# All of these.
[[known]]
case = \"pte/header/*\" # wide
expect = \"accepts-invalid\"
reason = \"takes all\"

[[known]]
case = \"pte/header/gone\"
expect = \"crash\"
reason = \"went\"

# Of somebody else.
[[known]]
case = \"pte/segments/bad\"
reader = \"another\" # not here
expect = \"crash\"
reason = \"theirs\"
";
    let list = corpus.beside("known.toml", before);
    let args = ["--reader", "builtin:accept-all", "--known", &list, "--update-known"];
    let (code, _, stderr) = corpus.torchproof(&args);
    assert_eq!(code, 1);
    assert_eq!(stderr, format!("torchproof: note: {list}: 1 kept, 2 dropped or narrowed, 1 added without a reason\n"));
    let after = "\
# Of the team.

# All of these.
[[known]]
case = \"pte/header/bad-1\" # wide
expect = \"accepts-invalid\"
reason = \"takes all\"

[[known]]
case = \"pte/header/bad-2\" # wide
expect = \"accepts-invalid\"
reason = \"takes all\"

# Of somebody else.
[[known]]
case = \"pte/segments/bad\"
reader = \"another\" # not here
expect = \"crash\"
reason = \"theirs\"

[[known]]
case = \"pte/segments/bad\"
reader = \"accept-all\"
expect = \"accepts-invalid\"
reason = \"TODO: say why\"
";
    assert_eq!(fs::read_to_string(&list).unwrap(), after);
    // A person has to write the reason; then the list holds, and an update changes nothing.
    assert_eq!(corpus.torchproof(&args[..4]).0, 2);
    let written = after.replace("TODO: say why", "takes all");
    fs::write(&list, &written).unwrap();
    assert_eq!(corpus.torchproof(&args[..4]).0, 0);
    assert_eq!(corpus.torchproof(&args).0, 0);
    assert_eq!(fs::read_to_string(&list).unwrap(), written);

    let whole: Value = serde_json::to_value(toml::from_str::<toml::Table>(&written).unwrap()).unwrap();
    let schema = testkit::schema::schema("known.schema.json");
    testkit::schema::expect_valid(&schema, &whole);
    for (member, wrong) in [("reason", "TODO: say why"), ("reason", " "), ("expect", "pass"), ("because", "x")] {
        let mut other = whole.clone();
        other["known"][0][member] = json!(wrong);
        assert!(!schema.is_valid(&other), "{member} {wrong}");
    }
}

#[test]
fn an_update_begins_a_list_and_does_not_of_a_reader_that_never_started() {
    let corpus = corpus("begun");
    let list = corpus.beside("known.toml", "");
    fs::remove_file(&list).unwrap();
    let (code, _, stderr) =
        corpus.torchproof(&["--reader", "once:./no-such-program", "--known", &list, "--update-known"]);
    assert_eq!((code, fs::metadata(&list).is_err()), (2, true), "{stderr}");

    let first = ["--reader", "builtin:accept-all", "--known", &list, "--update-known", "--cases", "pte/header/*"];
    assert_eq!(corpus.torchproof(&first).0, 1);
    let text = fs::read_to_string(&list).unwrap();
    assert!(text.starts_with("# What is known to fail, ") && text.ends_with("reason = \"TODO: say why\"\n"), "{text}");
    assert_eq!(text.matches("[[known]]").count(), 2);
    // What was not chosen stays; what is new comes behind it.
    let all = ["--reader", "builtin:accept-all", "--known", &list, "--update-known", "--cases", "pte/segments/*"];
    assert_eq!(corpus.torchproof(&all).0, 1);
    let grown = fs::read_to_string(&list).unwrap();
    assert!(grown.starts_with(&text) && grown.matches("[[known]]").count() == 3, "{grown}");
}
