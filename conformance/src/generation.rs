//! **The generator's settings as a TOML file.**

use std::fmt::Write as _;

use toml::{Table, Value};
use torchproof::generate::{Config, SettingError};

/// Why a file of settings cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum TomlError {
    /// It is no TOML, or a name is in it twice.
    #[error("line {line}: {message}")]
    Syntax {
        /// The line, from 1.
        line: usize,
        /// What is wrong there.
        message: String,
    },
    /// There is no such setting, or it cannot be that.
    #[error(transparent)]
    Setting(SettingError),
    /// A setting is given as a kind of value that none is written as.
    #[error("{setting}: a number, a string or a list of strings is expected, not {given}")]
    Kind {
        /// The setting.
        setting: String,
        /// What it is given as.
        given: &'static str,
    },
}

/// Sets what a TOML file sets, and leaves the rest as it is.
///
/// A count is a number or a string as `"1..8"`, a percentage a number, a choice a string or a list of strings.
///
/// # Errors
///
/// When it is no TOML, or something in it is no setting or no value of one.
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
                names.ok_or_else(|| kind("a list of something else"))?.join(",")
            }
            other => return Err(kind(other.type_str())),
        };
        config.set(setting, &text).map_err(TomlError::Setting)?;
    }
    Ok(())
}

/// A configuration as a TOML file, each setting with what it means.
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
    fn settings_are_read_back() {
        let mut config = Config::default();
        apply("methods = 3\nranks = \"0..2\"\nscalar_types = [\"FLOAT\", \"INT\"]\n", &mut config).unwrap();
        assert_eq!(config.get("scalar_types").unwrap(), "INT,FLOAT");
        let mut same = Config::default();
        apply(&to_toml(&config), &mut same).unwrap();
        assert_eq!(same, config);
    }

    #[test]
    fn what_is_no_setting_is_named() {
        let files = ["method = 1", "methods = -1", "methods = 1.5", "generations = [1]", "methods = 1\nmethods = 2"];
        let errors = files.map(|toml| apply(toml, &mut Config::default()).unwrap_err());
        assert!(matches!(errors[0], TomlError::Setting(_)) && matches!(errors[4], TomlError::Syntax { line: 2, .. }));
        insta::assert_snapshot!(errors.map(|error| error.to_string()).join("\n"));
    }
}
