//! **A page with pictures**: the viewer and the data in one file, which works offline.

use data_encoding::BASE64;
use serde::Serialize;
use sha2::{Digest, Sha256};
use torchproof_text::ascii;
use torchproof_text::escape::plain_line;

use crate::diff::DiffOutput;
use crate::inspect::InspectOutput;

/// The viewer, which the `web/` folder builds.
const SCRIPT: &str = include_str!("../assets/viewer.js");
const STYLE: &str = include_str!("../assets/viewer.css");

/// A page's data.
#[derive(Serialize)]
#[serde(tag = "view", rename_all = "lowercase")]
enum PageData<'d> {
    Inspect { inspect: &'d InspectOutput },
    Diff { diff: &'d DiffOutput, a: &'d InspectOutput, b: &'d InspectOutput },
}

/// Returns a page that shows what is in a file.
///
/// # Errors
///
/// Fails if the data cannot be serialized.
pub fn inspect_page(output: &InspectOutput) -> std::io::Result<String> {
    page(&output.file.name, &PageData::Inspect { inspect: output })
}

/// Returns a page that shows what changed.
///
/// # Errors
///
/// Fails if the data cannot be serialized.
pub fn diff_page(diff: &DiffOutput, a: &InspectOutput, b: &InspectOutput) -> std::io::Result<String> {
    page(&format!("{} and {}", a.file.name, b.file.name), &PageData::Diff { diff, a, b })
}

/// Text from the file cannot break out of the element with the data: `ascii` escapes everything except printable ASCII,
/// and this function also escapes `<`, `>` and `&`. The content security policy permits only the viewer's own script.
fn page(title: &str, data: &PageData<'_>) -> std::io::Result<String> {
    let mut json = Vec::new();
    ascii::write_line(&mut json, data)?;
    let json = String::from_utf8(json).map_err(std::io::Error::other)?;
    let json = json.trim_end().replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026");
    let digest = BASE64.encode(&Sha256::digest(SCRIPT.as_bytes()));
    let title = plain_line(title, 200).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<div id=\"app\"></div>\n\
         <noscript>This page draws its pictures with a script, which your browser does not run.</noscript>\n\
         <script type=\"application/json\" id=\"data\">{json}</script>\n<script>{SCRIPT}</script>\n</body>\n</html>\n"
    ))
}
