//! **JSON errors in words**: what was found, what was expected, and the position.

use serde_json::error::Category;

/// Describes an error from reading JSON; `expected` names the content that the file should have.
///
/// Malformed JSON gives `found invalid JSON at line 2 column 0 (…), expected …; correct the file`.
pub(crate) fn json_fault(error: &serde_json::Error, expected: &str) -> String {
    let text = error.to_string();
    let place = format!("line {} column {}", error.line(), error.column());
    // If the JSON is already parsed, serde_json adds no position to an error.
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

/// Describes a value of the wrong type in this project's terms. `reason` is serde's description.
fn data_fault(reason: &str) -> String {
    if let Some(rest) = reason.strip_prefix("invalid type: ").or_else(|| reason.strip_prefix("invalid value: ")) {
        return format!("found {}", in_words(rest));
    }
    if let Some(member) = reason.strip_prefix("missing field ") {
        return format!("found no member {member}, expected one");
    }
    match reason.strip_prefix("unknown field ").and_then(|rest| rest.split_once(", expected ")) {
        Some((member, known)) => format!("unknown member {member}; expected {known}"),
        None => reason.to_owned(),
    }
}

/// Replaces a Rust type at the end of an error message with the JSON term.
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
    fn errors_of_values_in_memory_have_no_place() {
        let error = serde_json::from_value::<Vec<u64>>(serde_json::Value::Null).unwrap_err();
        assert_eq!(json_fault(&error, "a list"), "found null, expected an array");
    }
}
