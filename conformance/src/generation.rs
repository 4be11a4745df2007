//! **The generator's settings as a TOML file.**

use std::fmt::Write as _;

use toml::{Table, Value};
use torchproof::generate::{Config, SettingError};

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum TomlError {
    #[error("line {line}: {message}")]
    Syntax { line: usize, message: String },
    #[error(transparent)]
    Setting(SettingError),
    #[error("{setting}: found {given}, expected a number, a string or a list of strings")]
    Kind { setting: String, given: &'static str },
}

/// Applies the settings in a TOML file; settings that it omits keep their values. A count is a number or a string such
/// as `"1..8"`, a percentage is a number, and a choice is a string or a list of strings.
pub(crate) fn apply(toml: &str, config: &mut Config) -> Result<(), TomlError> {
    let table: Table = toml.parse().map_err(|error: toml::de::Error| {
        let before = error.span().and_then(|span| toml.get(..span.start)).unwrap_or_default();
        TomlError::Syntax { line: 1 + before.matches('\n').count(), message: error.message().to_owned() }
    })?;
    for (setting, value) in &table {
        let kind = |given| TomlError::Kind { setting: setting.clone(), given };
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Integer(number) => number.to_string(),
            Value::Array(all) => {
                let names: Option<Vec<&str>> = all.iter().map(Value::as_str).collect();
                names.ok_or_else(|| kind("a list of other values"))?.join(",")
            }
            other => return Err(kind(other.type_str())),
        };
        config.set(setting, &text).map_err(TomlError::Setting)?;
    }
    Ok(())
}

/// Returns a configuration as a TOML file with a description of each setting.
#[must_use]
pub(crate) fn to_toml(config: &Config) -> String {
    let mut toml = String::new();
    for setting in Config::SETTINGS {
        for line in setting.doc.lines() {
            let _ = writeln!(toml, "#{line}");
        }
        let value = config.get(setting.name).unwrap_or_default();
        let _ = match value.parse::<u32>() {
            Ok(number) => writeln!(toml, "{} = {number}\n", setting.name),
            Err(_) => writeln!(toml, "{} = \"{value}\"\n", setting.name),
        };
    }
    toml.truncate(toml.trim_end().len());
    toml + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_settings_parse_to_the_same_settings() {
        let mut config = Config::default();
        apply("methods = 3\nranks = \"0..2\"\nscalar_types = [\"FLOAT\", \"INT\"]\n", &mut config).unwrap();
        assert_eq!(config.get("scalar_types").unwrap(), "INT,FLOAT");
        let mut same = Config::default();
        apply(&to_toml(&config), &mut same).unwrap();
        assert_eq!(same, config);
    }

    #[test]
    fn errors_name_the_setting_or_the_line() {
        let files = ["method = 1", "methods = -1", "methods = 1.5", "generations = [1]", "methods = 1\nmethods = 2"];
        let errors = files.map(|toml| apply(toml, &mut Config::default()).unwrap_err());
        assert!(matches!(errors[0], TomlError::Setting(_)) && matches!(errors[4], TomlError::Syntax { line: 2, .. }));
        insta::assert_snapshot!(errors.map(|error| error.to_string()).join("\n"));
    }
}
