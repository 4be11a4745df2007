//! `--format markdown`: what failed is in it, and nothing that readers say is markup.

use torchproof::Stage;

use testkit::corpus::{TestCorpus, faux};

/// The size from which on a step's summary is not shown.
const MIB: usize = 1 << 20;

#[test]
fn failures_are_listed_and_what_readers_say_is_no_markup() {
    let text = super::shown("markdown");
    // Of HTML there is nothing but what the report has itself.
    let tags = text.split('<').skip(1).map(|rest| rest.split('>').next().unwrap().trim_start_matches('/'));
    for tag in tags {
        assert!(["code", "details", "summary"].contains(&tag), "{tag}");
    }
    super::assert_report!(text);
}

#[test]
fn a_report_fits_a_step_s_summary_and_says_what_is_left_out() {
    let mut corpus = TestCorpus::new("markdown-large").accept("pte/a/control", "accept");
    for number in 0..1500 {
        let long = "long-".repeat(45);
        let id = format!("pte/a/{long}/{number}-{long}");
        corpus = corpus.reject(&id, "accept", Stage::Header, "pte/a/control");
    }
    let corpus = corpus.write();
    let readers = [faux("exec", "worker"), faux("exec", "worker pte-only")];
    let readers: Vec<&str> = readers.iter().map(String::as_str).collect();
    let text = corpus.text(&readers, &["--format", "markdown"]);
    assert!(text.len() < MIB, "{}", text.len());
    let mut left = 0;
    for line in
        text.lines().filter_map(|line| line.strip_suffix(" more failures are omitted; `--format json` lists all."))
    {
        left += line.parse::<usize>().unwrap();
    }
    let rows = text.lines().filter(|line| line.starts_with("| accepts-invalid |")).count();
    assert!(left > 0 && rows > 1500, "{left} {rows}");
    assert_eq!(rows + left, 3000);
    assert_eq!(text.matches("<details>").count(), text.matches("</details>").count());
}
