//! `torchproof rules`: the page that is made of the catalogue.

use command::run;

testkit::command_in!("rules");

#[test]
fn the_page_is_what_the_catalogue_says() {
    let outcome = run(&["rules", "--format", "markdown"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    testkit::expect_file(&testkit::repository().join("conformance/RULES.md"), &outcome.stdout);
}
