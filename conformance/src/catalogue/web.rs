//! The pages of the book, and the web addresses of public references.

pub(crate) use torchproof_harness::run::case_facts::case_page;

/// The published book's address. If a package sets it when it builds the command, the command prints links instead of paths.
const DOCS_URL: Option<&str> = option_env!("TORCHPROOF_DOCS_URL");

/// The path of a rule's page in the book.
pub(crate) fn rule_page(id: &str) -> String {
    format!("rules/{id}.html")
}

/// A page's web address; `None` while the book is not published.
pub(crate) fn book_address(page: &str) -> Option<String> {
    address_below(DOCS_URL?, page)
}

/// A page's web address, or its path in the book.
pub(crate) fn address_or_path(page: String) -> String {
    book_address(&page).unwrap_or(page)
}

fn address_below(base: &str, page: &str) -> Option<String> {
    (!base.is_empty()).then(|| format!("{}/{page}", base.trim_end_matches('/')))
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
        let page = rule_page("eh-length-min");
        assert_eq!(address_below("", &page), None);
        for base in ["https://example.org/book", "https://example.org/book/"] {
            assert_eq!(address_below(base, &page).unwrap(), "https://example.org/book/rules/eh-length-min.html");
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
