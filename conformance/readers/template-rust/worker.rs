//! An adapter for torchproof: put calls of your reader into `read`, and say what it is in the lines above it.

// JSON. Of the stages, leave those that your reader can tell apart.
const READER: &str = r#""name":"template","version":"0","language":"rust","formats":["pte","ptd","ptd-legacy"]"#;
const STAGES: &str = r#""stages":["header","structure","meta","method","data"],"capabilities":[]"#;

/// Reads files that are loaded together: their roles ("program" or "data"), paths and sizes. `Err` is "reject" with the stage that
/// refuses a file, and why; or "error" where a file cannot be had whole, which says nothing of your reader.
///
/// A panic ends the worker, and counts as a crash of your reader. What it prints belongs on stderr: stdout is for answers.
fn read(_roles: &[String], paths: &[String], sizes: &[String]) -> Result<(), (&'static str, &'static str, String)> {
    eprintln!("torchproof-stage: header"); // a crash is told with the stage that was entered last
    for (index, path) in paths.iter().enumerate() {
        let bytes = std::fs::read(path).map_err(|error| ("error", "open", error.to_string()))?;
        // A request may leave sizes out, and then nobody knows whose the others are.
        let size = sizes.get(index).filter(|_| sizes.len() == paths.len()).map_or(0, |size| size.parse().unwrap_or(0));
        let Some(_) = bytes.get(..size) else { return Err(("error", "open", "cut short".into())) };
        let Some(b"ET12" | b"FT01") = bytes.get(4..8) else { return Err(("reject", "header", "no identifier".into())) };
    }
    Ok(())
}

fn main() {
    // Of ASCII alone, which Rust escapes as JSON does.
    let quote = |text: String| format!("{:?}", text.replace(|c: char| !(' '..='~').contains(&c), "?"));
    for line in std::io::stdin().lines().map_while(Result::ok) {
        let value = |name| values(&line, name).swap_remove(0);
        let answer = match value("op").as_str() {
            "bye" => break,
            "hello" => format!("\"protocol\":1,{READER},{STAGES}"),
            "read" => {
                let [roles, paths, sizes, until] = ["role", "path", "size", "stage"].map(|name| values(&line, name));
                // To accept is to have read as far as was asked.
                let (what, at, why) = read(&roles, &paths, &sizes).err().unwrap_or(("accept", &until[0], "".into()));
                format!("\"seq\":{},\"outcome\":{what:?},\"stage\":{at:?},\"message\":{}", value("seq"), quote(why))
            }
            op => format!("\"error\":{}", quote(format!("unknown op {op}"))),
        };
        println!("{{{answer}}}");
    }
}

/// The values of that name in a JSON line, in order and however deep: strings, decoded, and whole numbers. No member of the
/// protocol that holds others has a name that one of the others has.
fn values(line: &str, name: &str) -> Vec<String> {
    // No string has this in it: there is a backslash before each quotation mark in a string.
    let name = format!("\"{name}\"");
    line.split(&name).skip(1).filter_map(|s| Some(decode(s.trim_start().strip_prefix(':')?.trim_start()))).collect()
}

fn decode(value: &str) -> String {
    let Some(string) = value.strip_prefix('"') else { return value.chars().take_while(char::is_ascii_digit).collect() };
    let mut chars = string.chars();
    // The runner escapes nothing with a letter but control characters, which no path should have.
    let known = |c: Option<char>| c.filter(|c| !c.is_alphabetic()).expect("an escape other than of \" \\ /");
    let next = || chars.next().filter(|c| *c != '"').map(|c| if c == '\\' { known(chars.next()) } else { c });
    std::iter::from_fn(next).collect()
}
