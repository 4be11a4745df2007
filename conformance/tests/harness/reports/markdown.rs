//! Tests `--report markdown=FILE`, which lists failures and escapes readers' text.

use torchproof::Stage;

use testkit::corpus::{TestCorpus, faux};

/// CI sites hide summaries that are larger than this.
const MIB: usize = 1 << 20;

#[test]
fn lists_failures_and_escapes_markup_of_readers() {
    let text = super::shown("markdown");
    // Markup from readers must not become HTML tags.
    let tags = text.split('<').skip(1).map(|rest| rest.split('>').next().unwrap().trim_start_matches('/'));
    for tag in tags {
        assert!(["code", "details", "summary"].contains(&tag), "{tag}");
    }
    super::assert_report!(text);
}

#[test]
fn a_report_fits_the_summary_limit_and_counts_omitted_rows() {
    let mut corpus = TestCorpus::new("markdown-large").accept("pte/a/control", "accept");
    for number in 0..1500 {
        let long = "long-".repeat(45);
        let id = format!("pte/a/{long}/{number}-{long}");
        corpus = corpus.reject(&id, "accept", Stage::Header, "pte/a/control");
    }
    let corpus = corpus.write();
    let readers = [faux("exec", "worker"), faux("exec", "worker pte-only")];
    let readers: Vec<&str> = readers.iter().flat_map(|reader| ["--reader", reader]).collect();
    let (_, text, _) = corpus.reported("markdown", &readers);
    assert!(text.len() < MIB, "{}", text.len());
    let mut left = 0;
    for line in
        text.lines().filter_map(|line| line.strip_suffix(" more failures are omitted; `--report json=FILE` lists all."))
    {
        left += line.parse::<usize>().unwrap();
    }
    let rows = text.lines().filter(|line| line.starts_with("| accepts-invalid |")).count();
    assert!(left > 0 && rows > 1500, "{left} {rows}");
    assert_eq!(rows + left, 3000);
    assert_eq!(text.matches("<details>").count(), text.matches("</details>").count());
}
