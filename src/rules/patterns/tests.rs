//! Tests the patterns, and the rules that cite them.

use super::*;
use crate::rules;

/// Pattern ids look like `H-04`.
fn is_pattern(reference: &str) -> bool {
    reference.split_once('-').is_some_and(|(family, _)| family.len() == 1)
}

#[test]
fn ids_are_unique() {
    for (index, pattern) in patterns().enumerate() {
        assert!(is_pattern(pattern.id), "{}", pattern.id);
        assert!(!patterns().skip(index + 1).any(|other| other.id == pattern.id), "{} is declared twice", pattern.id);
    }
}

#[test]
fn a_rule_names_each_pattern_or_outside_states_why_not() {
    for pattern in patterns() {
        let named = rules::all().any(|rule| rule.explanation().refs.contains(&pattern.id));
        assert!(named != pattern.outside.is_some(), "{}: named by a rule: {named}", pattern.id);
    }
}

#[test]
fn rules_name_declared_patterns_only() {
    for rule in rules::all() {
        for reference in rule.explanation().refs.iter().filter(|reference| is_pattern(reference)) {
            assert!(pattern(reference).is_some(), "{rule}: {reference} is no pattern");
        }
    }
}

#[test]
fn texts_are_sentences() {
    for Pattern { id, title, text, outside, .. } in patterns() {
        assert!(!title.ends_with('.') && title.starts_with(|first: char| !first.is_ascii_lowercase()), "{id}: {title}");
        for text in [*text].into_iter().chain(*outside) {
            assert!(text.ends_with('.'), "{id}: {text}");
            assert!(text.starts_with(|first: char| !first.is_ascii_lowercase()), "{id}: {text}");
            assert!(!text.contains("  ") && !text.contains('\n'), "{id}: {text}");
            assert!(text.matches('`').count() % 2 == 0, "{id}: {text}");
        }
        assert!(text.matches(". ").count() < 3, "{id} has at most three sentences");
    }
}

#[test]
fn references_are_public_ids() {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    for Pattern { id, refs, .. } in patterns() {
        for (index, reference) in refs.iter().enumerate() {
            let thread = reference.split_once('#').is_some_and(|(place, number)| place.contains('/') && digits(number));
            assert!(thread || reference.starts_with("CVE-") || reference.starts_with("GHSA-"), "{id}: {reference}");
            assert!(!refs[index + 1..].contains(reference), "{id}: {reference} is named twice");
        }
    }
}
