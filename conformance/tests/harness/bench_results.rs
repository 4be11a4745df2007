//! The figures last recorded: they are what their schema says, and what is written of them is written out of them.

use std::collections::BTreeMap;
use std::fs;

use crate::figure::Figure;
use crate::report::names::{CHECK, CPP, LINEAR, LOOK_UP, TORCHPROOF};

fn recorded(name: &str) -> String {
    fs::read_to_string(testkit::repository().join("benches").join(name)).unwrap()
}

#[test]
fn what_is_recorded_is_what_was_measured() {
    let json = recorded("results.json");
    let value = serde_json::from_str(&json).unwrap();
    testkit::schema::expect_valid(&testkit::schema::schema("bench.schema.json"), &value);
    let figures: Vec<Figure> = serde_json::from_value(value).unwrap();
    assert_eq!(crate::report::as_json(&figures), json);
    assert_eq!(
        crate::report::as_markdown(&figures),
        recorded("RESULTS.md"),
        "RESULTS.md is written by `compare -- --record`"
    );
    assert_eq!(crate::chart::svg(&figures), recorded("results.svg"), "results.svg is written by `compare -- --record`");
    // Whoever records has everything there that is to be measured.
    let absent: Vec<&Figure> = figures.iter().filter(|figure| figure.median_ns.is_none()).collect();
    assert!(absent.is_empty(), "{absent:?}");
}

fn figure(name: &str, input: &str, tables: u64, subject: &str, median_ns: f64, ratio: (&str, f64)) -> Figure {
    let (name, input, subject) = (name.to_owned(), input.to_owned(), subject.to_owned());
    let ratio_to = BTreeMap::from([(ratio.0.to_owned(), ratio.1)]);
    let tables = Some(tables);
    Figure {
        name,
        input,
        tables,
        subject,
        median_ns: Some(median_ns),
        ratio_to,
        peak_bytes: None,
        allocations: None,
        beyond_tables: None,
    }
}

/// The line of the goal that begins so.
fn goal(figures: &[Figure], what: &str) -> String {
    let text = crate::report::goals_as_text(figures);
    text.lines().find(|line| line.contains(what)).unwrap().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_goal_is_held_against_the_worst_input() {
    let mut figures = vec![
        figure(CHECK, "pte, 1000 tables", 1000, TORCHPROOF, 9_000.0, (CPP, 0.9)),
        figure(CHECK, "ptd, 1000 tables", 1000, TORCHPROOF, 8_000.0, (CPP, 0.8)),
        // Too small a file for this goal.
        figure(CHECK, "ptd, 10 tables", 10, TORCHPROOF, 100.0, (CPP, 7.0)),
    ];
    assert!(goal(&figures, "C++ verifier").starts_with("met 0.90 of 1 full check"));
    assert!(goal(&figures, "time a table").starts_with("met 1.25 of 1.5"), "{}", goal(&figures, "time a table"));
    figures.push(figure(CHECK, "ptd, 10000 tables", 10_000, TORCHPROOF, 300_000.0, (CPP, 2.5)));
    assert!(goal(&figures, "C++ verifier").starts_with("not met 2.50 of 1 full check"));
    assert!(goal(&figures, "C++ verifier").ends_with("(ptd, 10000 tables)"));
    assert!(goal(&figures, "time a table").starts_with("not met 3.75 of 1.5"), "{}", goal(&figures, "time a table"));
    assert!(goal(&figures, "indexed").starts_with("not measured"));
    figures.push(figure(LOOK_UP, "x", 1, crate::report::names::INDEXED, 100.0, (LINEAR, 0.0001)));
    assert!(goal(&figures, "indexed").starts_with("met 0.00010"));
}
