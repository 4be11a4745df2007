//! Web addresses of the book's pages and of public references.

use crate::DOCS_URL;

/// `page` is the path of a page of the book without `.md`; `None` while the book is not published.
pub(crate) fn book_address(page: &str, id: &str) -> Option<String> {
    address_below(DOCS_URL, page, id)
}

fn address_below(base: &str, page: &str, id: &str) -> Option<String> {
    (!base.is_empty()).then(|| format!("{}/{page}.html#{id}", base.trim_end_matches('/')))
}

/// The address of an issue or pull request (`owner/name#1`), or of a CVE, GHSA or CWE id.
pub(crate) fn reference_address(reference: &str) -> Option<String> {
    if let Some((repository, number)) = reference.split_once('#') {
        return Some(format!("https://github.com/{repository}/issues/{number}"));
    }
    match reference.split_once('-')? {
        ("CVE", _) => Some(format!("https://www.cve.org/CVERecord?id={reference}")),
        ("GHSA", _) => Some(format!("https://github.com/advisories/{reference}")),
        ("CWE", number) => Some(format!("https://cwe.mitre.org/data/definitions/{number}.html")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn book_addresses_need_a_base() {
        assert_eq!(address_below("", "rules/pte-header", "eh-length-min"), None);
        for base in ["https://example.org/book", "https://example.org/book/"] {
            let address = address_below(base, "rules/pte-header", "eh-length-min").unwrap();
            assert_eq!(address, "https://example.org/book/rules/pte-header.html#eh-length-min");
        }
    }

    #[test]
    fn every_reference_of_a_rule_has_an_address_or_is_a_pattern() {
        for rule in torchproof::rules::all() {
            let known = rule.explanation();
            for reference in known.refs.iter().chain(known.cwe) {
                let pattern = torchproof::rules::pattern(reference).is_some();
                assert!(pattern != reference_address(reference).is_some(), "{rule}: {reference}");
            }
        }
    }
}
