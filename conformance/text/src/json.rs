//! **JSON from other people**: one strict reader, and its errors in words.

use std::collections::HashSet;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::error::Category;

use super::escape::plain_line;

/// Reads JSON that someone else wrote, such as a reply or a results file. A repeated member or a number beyond the
/// range of `f64` is an error anywhere, even in a member that `T` ignores: parsers disagree about both, so another
/// parser could read different values from the same text.
pub fn from_json<T: DeserializeOwned>(text: &[u8]) -> serde_json::Result<T> {
    serde_json::from_slice::<Unambiguous>(text)?;
    serde_json::from_slice(text)
}

/// JSON that means the same to every parser.
struct Unambiguous;

macro_rules! accept {
    ($($visit:ident($value:ty)),*) => { $(fn $visit<E>(self, _: $value) -> Result<Self, E> { Ok(self) })* };
}

impl<'de> Deserialize<'de> for Unambiguous {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        json.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for Unambiguous {
    type Value = Self;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    accept! { visit_bool(bool), visit_i64(i64), visit_u64(u64), visit_f64(f64), visit_str(&str) }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
        while items.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self, A::Error> {
        let mut names = HashSet::new();
        while let Some(name) = members.next_key::<String>()? {
            if let Some(name) = names.replace(name) {
                return Err(Error::custom(format_args!("duplicate field `{}`", plain_line(&name, 80))));
            }
            members.next_value::<Self>()?;
        }
        Ok(self)
    }
}

/// Describes an error from reading JSON; `expected` is what the file should contain. Malformed JSON gives `found
/// invalid JSON at line 2 column 0 (…), expected …; correct the file`.
pub fn json_fault(error: &serde_json::Error, expected: &str) -> String {
    let text = error.to_string();
    let place = format!("line {} column {}", error.line(), error.column());
    // serde_json gives no position for JSON that is already parsed.
    let placed = text.strip_suffix(&place).and_then(|text| text.strip_suffix(" at "));
    let reason = placed.unwrap_or(&text);
    match (error.classify(), placed) {
        (Category::Syntax | Category::Eof, Some(_)) => {
            format!("found invalid JSON at {place} ({reason}), expected {expected}; correct the file")
        }
        (Category::Syntax | Category::Eof, None) => {
            format!("found invalid JSON ({reason}), expected {expected}; correct the file")
        }
        (Category::Data, Some(_)) => format!("{} ({place})", data_fault(reason)),
        (Category::Data, None) => data_fault(reason),
        (Category::Io, _) => text,
    }
}

/// Describes a value of the wrong type in JSON terms, from serde's `reason`.
fn data_fault(reason: &str) -> String {
    if let Some(rest) = reason.strip_prefix("invalid type: ").or_else(|| reason.strip_prefix("invalid value: ")) {
        return format!("found {}", in_words(rest));
    }
    if let Some(member) = reason.strip_prefix("missing field ") {
        return format!("found no member {member}, expected one");
    }
    if let Some(member) = reason.strip_prefix("duplicate field ") {
        return format!("found the member {member} twice, expected it once");
    }
    match reason.strip_prefix("unknown field ").and_then(|rest| rest.split_once(", expected ")) {
        Some((member, known)) => format!("unknown member {member}; expected {known}"),
        None => reason.to_owned(),
    }
}

fn in_words(sentence: &str) -> String {
    const WORDS: [(&str, &str); 4] = [
        ("a map", "an object"),
        ("a sequence", "an array"),
        ("u32", "a number from 0 to 2^32 - 1"),
        ("u64", "a number from 0 to 2^64 - 1"),
    ];
    let Some((found, expected)) = sentence.rsplit_once(", expected ") else { return sentence.to_owned() };
    let found = match found {
        "map" => "an object",
        "sequence" => "an array",
        _ => found,
    };
    let expected = WORDS.iter().find(|(rust, _)| *rust == expected).map_or(expected, |(_, words)| words);
    format!("{found}, expected {expected}")
}

#[cfg(test)]
mod tests {
    use serde::de::IgnoredAny;
    use serde_json::Value;

    use super::*;

    #[track_caller]
    fn expect<T: serde::de::DeserializeOwned>(json: &str, message: &str) {
        let error = serde_json::from_str::<T>(json).err().expect("an error");
        assert_eq!(json_fault(&error, "a list"), message);
    }

    #[test]
    fn errors_name_the_place_and_the_expected_content() {
        let invalid =
            "found invalid JSON at line 2 column 0 (EOF while parsing a list), expected a list; correct the file";
        expect::<Vec<u64>>("[1,\n", &invalid.replace("a list)", "a value)"));
        expect::<Vec<u64>>("{}", "found an object, expected an array (line 1 column 0)");
        expect::<Vec<u32>>("[-1]", "found integer `-1`, expected a number from 0 to 2^32 - 1 (line 1 column 3)");
    }

    #[test]
    fn repeated_members_and_numbers_beyond_f64_are_errors_at_any_depth() {
        for text in [
            r#"{"a":1,"a":1}"#,
            r#"{"a":[{"b":1,"c":{},"\u0062":2}]}"#,
            r#"{"a":1e999}"#,
            r#"[{"a":[-1e400]}]"#,
            &format!("{{\"a\":{}}}", "9".repeat(400)),
        ] {
            assert!(
                from_json::<Value>(text.as_bytes()).is_err() && from_json::<IgnoredAny>(text.as_bytes()).is_err(),
                "{text}"
            );
        }
        let twice = from_json::<Value>(b"{\"\\u001b\":0,\"\\u001b\":0}").unwrap_err();
        let message = r"found the member `\u{1b}` twice, expected it once (line 1 column 20)";
        assert_eq!(json_fault(&twice, "a list"), message);
        let text = r#"{"a":{"a":[null,true,-1,1e308,1e-999,18446744073709551616,"\u00e9"]},"b":{"a":{}}}"#;
        assert_eq!(from_json::<Value>(text.as_bytes()).unwrap(), serde_json::from_str::<Value>(text).unwrap());
    }

    #[test]
    fn errors_of_values_in_memory_have_no_place() {
        let error = serde_json::from_value::<Vec<u64>>(serde_json::Value::Null).unwrap_err();
        assert_eq!(json_fault(&error, "a list"), "found null, expected an array");
    }
}
