//! Checks the relative links in the Markdown files of the repository and the book.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use libtest_mimic::Trial;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::need::trials;
use crate::readme::pages;

pub(crate) fn trials() -> Vec<Trial> {
    trials![[]; every_link_leads_to_a_file_and_a_heading, only_the_page_for_rust_has_rust_programs]
}

#[derive(Default)]
struct Document {
    links: Vec<String>,
    anchors: BTreeSet<String>,
}

fn every_link_leads_to_a_file_and_a_heading() {
    let documents: BTreeMap<PathBuf, Document> = paths().into_iter().map(|path| (path.clone(), parse(&path))).collect();
    let book = testkit::repository().join("docs/src");
    let mut faults = Vec::new();
    for (path, document) in &documents {
        for link in &document.links {
            if let Some(fault) = fault(path, link, &documents, &book) {
                faults.push(format!("{}: `{link}` {fault}", path.display()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// `src/lib.rs` compiles the programs on the page for Rust as doctests.
fn only_the_page_for_rust_has_rust_programs() {
    let compiled = testkit::repository().join("docs/src/rust.md");
    for path in paths().into_iter().filter(|path| path.starts_with(testkit::repository().join("docs"))) {
        let has = fs::read_to_string(&path).unwrap().contains("\n```rust");
        assert_eq!(has, path == compiled, "{}", path.display());
    }
}

/// All Markdown files that users read.
fn paths() -> Vec<PathBuf> {
    let repository = testkit::repository();
    let mut paths: Vec<_> =
        ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "python/README.md", "web/README.md"]
            .map(|name| repository.join(name))
            .into();
    for folder in ["benches", "conformance", "corpus", "docs/src", "fuzz"] {
        pages(&repository.join(folder), &mut paths);
    }
    // The build copies the source of the corpus changelog into the corpus, and its links must work there.
    paths.retain(|path| !path.ends_with("corpus/build/CHANGELOG.md"));
    paths
}

fn parse(path: &Path) -> Document {
    let text = fs::read_to_string(path).unwrap();
    let mut document = Document::default();
    let mut heading: Option<String> = None;
    for event in Parser::new_ext(&text, Options::ENABLE_TABLES | Options::ENABLE_HEADING_ATTRIBUTES) {
        match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                document.links.push(dest_url.into_string());
            }
            Event::Start(Tag::Heading { id: Some(id), .. }) => {
                document.anchors.insert(id.into_string());
            }
            Event::Start(Tag::Heading { id: None, .. }) => heading = Some(String::new()),
            Event::Text(text) | Event::Code(text) => heading.iter_mut().for_each(|heading| *heading += &text),
            Event::End(TagEnd::Heading(_)) => {
                if let Some(anchor) = heading.take().map(|heading| anchor(&heading)) {
                    let numbered = (1..).map(|number| format!("{anchor}-{number}"));
                    let free = [anchor.clone()].into_iter().chain(numbered).find(|id| !document.anchors.contains(id));
                    document.anchors.extend(free);
                }
            }
            Event::Html(html) | Event::InlineHtml(html) => {
                let ids = html.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next());
                document.anchors.extend(ids.map(str::to_owned));
            }
            _ => {}
        }
    }
    document
}

/// The anchor that mdBook and code hosts generate for a heading without `{#id}`.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || c.is_whitespace() || matches!(c, '-' | '_'));
    kept.map(|c| if c.is_whitespace() { '-' } else { c }).flat_map(char::to_lowercase).collect()
}

/// Returns why a relative link is broken.
fn fault(from: &Path, link: &str, documents: &BTreeMap<PathBuf, Document>, book: &Path) -> Option<String> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (path, anchor) = link.split_once('#').map_or((link, None), |(path, anchor)| (path, Some(anchor)));
    let target = if path.is_empty() { from.to_owned() } else { resolve(from, path) };
    // `docs/pages.py` writes these pages.
    let rule = target.strip_prefix(book.join("rules")).ok().and_then(|name| name.to_str()?.strip_suffix(".md"));
    let is_index = ["cases.md", "stages.md"].iter().any(|name| target == book.join(name));
    if is_index || rule.is_some_and(|id| torchproof::rules::get(id).is_some()) {
        return None;
    }
    if !target.exists() {
        return Some("leads to no file".to_owned());
    }
    // The book is published without the rest of the repository.
    if from.starts_with(book) && !target.starts_with(book) {
        return Some("leads out of the book".to_owned());
    }
    let anchor = anchor?;
    let known = documents.get(&target).is_some_and(|document| document.anchors.contains(anchor));
    (!known).then(|| format!("leads to no heading of {}", target.display()))
}

fn resolve(from: &Path, link: &str) -> PathBuf {
    let mut path = from.parent().unwrap().to_owned();
    for part in link.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                path.pop();
            }
            name => path.push(name),
        }
    }
    path
}
