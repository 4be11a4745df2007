//! **Escaping untrusted text** for terminals and shells.

/// Escapes characters that are invisible or control a terminal, except line feeds, and the first character of commands
/// that CI services read from a step's output: `::` at the start of a word, and `##[` or `##vso[` anywhere.
pub fn plain(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut before = '\n';
    for (at, character) in text.char_indices() {
        match character {
            '\n' => safe.push('\n'),
            '\t' => safe.push_str("    "),
            ':' if before.is_whitespace() && text[at..].starts_with("::") => safe.push_str("\\u{3a}"),
            '#' if is_command(&text[at..]) => safe.push_str("\\u{23}"),
            _ if is_unsafe(character) => safe.extend(character.escape_default()),
            _ => safe.push(character),
        }
        before = character;
    }
    safe
}

/// Returns whether the text begins with a CI command that some services find anywhere in a line.
pub(super) fn is_command(text: &str) -> bool {
    text.starts_with("##[") || text.starts_with("##vso[")
}

/// Returns a file name as printable text, with escaped line feeds.
pub fn plain_name(name: &str) -> String {
    let escaped = name.replace('\n', "\\n").replace('\t', "\\t");
    plain(&escaped)
}

/// Returns the text as one printable line of at most `most` characters, not indented.
pub fn plain_line(text: &str, most: usize) -> String {
    indented_line(text.trim_start(), most)
}

/// Like [`plain_line`], but keeps the indentation.
pub fn indented_line(text: &str, most: usize) -> String {
    let line = plain(&text.replace(['\n', '\r'], " "));
    let line = line.trim_end();
    if line.chars().count() <= most {
        return line.to_owned();
    }
    line.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// Quotes a word for any shell. Braces are quoted too, because some shells expand them.
pub fn for_shell(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:,=+@%".contains(&byte);
    if !word.is_empty() && word.bytes().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Returns a shell command as one printable line.
pub fn shell_line(words: impl IntoIterator<Item: AsRef<str>>) -> String {
    let words: Vec<String> = words.into_iter().map(|word| for_shell(word.as_ref())).collect();
    plain(&words.join(" "))
}

fn is_unsafe(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{180e}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}'
            | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_terminal_controls() {
        assert_eq!(plain("a\u{1b}[31mb\u{9b}c\u{202e}d\0"), r"a\u{1b}[31mb\u{9b}c\u{202e}d\u{0}");
        assert_eq!(plain("Grüße, 世界\n\tb"), "Grüße, 世界\n    b");
    }

    #[test]
    fn escapes_commands_to_ci_services() {
        assert_eq!(plain("::error::a\n  ::set-env b::c"), "\\u{3a}:error::a\n  \\u{3a}:set-env b::c");
        assert_eq!(
            plain("executorch::runtime ##[error] ###vso[a.b]"),
            "executorch::runtime \\u{23}#[error] #\\u{23}#vso[a.b]"
        );
        assert_eq!(plain_line("a\r::error::", 40), "a \\u{3a}:error::");
    }

    #[test]
    fn escapes_noncharacters() {
        assert_eq!(plain("a\u{fffe}b\u{ffff}"), r"a\u{fffe}b\u{ffff}");
    }

    #[test]
    fn escapes_line_feeds_in_names() {
        assert_eq!(plain_name("a\nb\u{1b}[2J\tc\r.pte"), r"a\nb\u{1b}[2J\tc\r.pte");
    }

    #[test]
    fn quotes_words_for_a_shell() {
        let words = ["pte/a/b", "", "pte/a/{b,c}", "~x", "it's", "a b"].map(for_shell);
        assert_eq!(words, ["pte/a/b", "''", "'pte/a/{b,c}'", "'~x'", r"'it'\''s'", "'a b'"]);
        assert_eq!(shell_line(["hunt", "--output", "a\u{1b}[2Jb"]), r"hunt --output 'a\u{1b}[2Jb'");
    }

    #[test]
    fn a_line_has_no_line_feeds_and_a_maximum_length() {
        assert_eq!(plain_line(" a\r\nb \n", 10), "a  b");
        assert_eq!(indented_line(" \ta b \n", 10), "     a b");
        assert_eq!(plain_line("abcdef", 4), "abc…");
        assert_eq!(plain_line("abcd", 4), "abcd");
    }
}
