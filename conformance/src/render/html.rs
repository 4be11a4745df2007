//! Pages for a browser.

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Error, UndefinedBehavior, Value};

pub(crate) fn html(template: &str, values: Value) -> Result<String, Error> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    // The extension `.html` makes minijinja escape all values.
    environment.add_template("page.html", template)?;
    environment.get_template("page.html")?.render(values)
}
