//! Tests the form of each rule in the catalogue.

use alloc::borrow::ToOwned;
use std::fs::{read_dir, read_to_string};

use super::*;

#[test]
fn ids_are_unique() {
    for (index, rule) in all().enumerate() {
        assert!(!all().skip(index + 1).any(|other| other.id == rule.id), "{rule} is declared twice");
        assert_eq!(get(rule.id), Some(rule));
    }
}

#[test]
fn ids_are_kebab_case() {
    for rule in all() {
        let word = |word: &str| {
            !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        };
        assert!(rule.id.starts_with(|first: char| first.is_ascii_lowercase()), "{rule}");
        assert!(rule.id.split('-').all(word), "{rule}");
    }
}

#[test]
fn every_text_is_sentences() {
    for rule in all() {
        let Explanation { rationale, source, .. } = *rule.explanation();
        for text in [rule.statement, rationale, source] {
            assert!(text.ends_with('.'), "{rule}: {text}");
            assert!(!text.contains("  ") && !text.contains('\n'), "{rule}: {text}");
            assert!(text.matches('`').count() % 2 == 0, "{rule}: {text}");
        }
        let first = rule.statement.chars().next();
        assert!(first.is_some_and(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '`'), "{rule}");
        assert!(!rule.statement.contains(". "), "{rule} has one sentence");
    }
}

#[test]
fn each_file_declares_the_rules_of_one_section_with_its_own_prefixes() {
    let prefix = |rule: &Rule| rule.id.split('-').next();
    for (area, rules) in AREAS {
        assert!(!rules.is_empty());
        for rule in *rules {
            assert_eq!(rule.section, area.replace('_', "-"), "{rule}");
            assert!(all().all(|other| other.section == rule.section || prefix(other) != prefix(rule)), "{rule}");
        }
    }
}

#[test]
fn references_are_public_ids() {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    for rule in all() {
        let refs = rule.explanation().refs;
        for (index, reference) in refs.iter().enumerate() {
            let pattern = reference.split_once('-').is_some_and(|(letter, number)| {
                letter.len() == 1 && letter.bytes().all(|byte| byte.is_ascii_uppercase()) && digits(number)
            });
            let thread = reference.split_once('#').is_some_and(|(place, number)| place.contains('/') && digits(number));
            let advisory = reference.starts_with("CVE-") || reference.starts_with("GHSA-");
            assert!(pattern || thread || advisory, "{rule}: {reference}");
            assert!(!refs[index + 1..].contains(reference), "{rule}: {reference} is named twice");
        }
    }
}

#[test]
fn texts_cite_references_in_full() {
    for rule in all() {
        let Explanation { rationale, source, refs, .. } = *rule.explanation();
        for text in [rule.statement, rationale, source] {
            for (at, _) in text.match_indices('#') {
                let cited = refs.iter().any(|reference| {
                    reference.find('#').is_some_and(|hash| at >= hash && text[at - hash..].starts_with(reference))
                });
                assert!(cited || !text[at + 1..].starts_with(|c: char| c.is_ascii_digit()), "{rule}: {text}");
            }
            let public = refs.iter().any(|reference| crate::rules::pattern(reference).is_none());
            assert!(public || !text.to_lowercase().contains("public report"), "{rule} names no public report");
        }
    }
}

#[test]
fn texts_are_short_and_statements_name_the_strength() {
    for rule in all() {
        let Explanation { rationale, source, .. } = *rule.explanation();
        for sentence in [rule.statement, rationale, source].into_iter().flat_map(|text| text.split(". ")) {
            let words = sentence.split_whitespace().count();
            assert!(words <= 30, "{rule}: {words} words: {sentence}");
        }
        assert!(rationale.split_whitespace().count() <= 60, "{rule}: more than 60 words: {rationale}");
        assert!(rule.statement.contains(&rule.strength.name().to_uppercase()), "{rule}: {}", rule.statement);
    }
}

#[test]
fn weaknesses_are_cwe_ids() {
    for rule in all() {
        for id in rule.explanation().cwe {
            let number = id.strip_prefix("CWE-").unwrap_or_default();
            assert!(!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()), "{rule}: {id}");
        }
    }
}

#[test]
fn a_must_rule_for_files_rests_on_more_than_the_habits_of_writers() {
    for rule in all().filter(|rule| rule.subject == Subject::File && rule.strength == Strength::Must) {
        assert_ne!(rule.basis, Basis::Writer, "{rule}");
    }
}

#[test]
fn rules_that_no_file_can_break_name_who_does() {
    for rule in all().filter(|rule| rule.subject != Subject::File) {
        let who = if rule.subject == Subject::Reader { "A reader " } else { "A writer " };
        assert!(rule.statement.starts_with(who), "{rule}");
    }
}

#[test]
fn reading_names_rules_and_stages_of_the_catalogue() {
    for crate::error::ReadRule(id, stage) in crate::error::broken::ALL {
        assert_eq!(get(id).map(|rule| rule.stage), Some(*stage), "{id}");
    }
    use crate::flatbuffer::Code;
    for code in Code::ALL {
        let error = crate::Error::from(crate::flatbuffer::Fault::new(code, crate::Span::new(0, 0), 0, 0));
        assert_eq!(of_fault(code).stage, error.stage, "{code:?}");
    }
}

/// Without a check, a rule would seem to hold for every file, so look for its name in the checker's source.
#[test]
fn every_rule_of_files_has_a_check() {
    let mut code = include_str!("mod.rs").to_owned();
    let mut paths = std::vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/check")];
    while let Some(path) = paths.pop() {
        match read_dir(&path) {
            _ if path.file_stem().is_some_and(|name| name == "tests") => {}
            Ok(entries) => paths.extend(entries.map(|entry| entry.unwrap().path())),
            Err(_) => {
                let text = read_to_string(&path).unwrap();
                // A comment or an import checks nothing.
                let is_code = |line: &&str| !["//", "use "].iter().any(|start| line.trim_start().starts_with(start));
                code.extend(text.split_inclusive('\n').filter(is_code));
            }
        }
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    for rule in all().filter(|rule| rule.subject == Subject::File) {
        let name = rule.id.to_uppercase().replace('-', "_");
        let is_checked = code.split(|c| !is_part(c)).any(|word| word == name);
        assert!(is_checked, "no file of src/check reports {name}: check the rule {rule} there");
    }
}
