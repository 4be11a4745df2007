//! **Files of other formats** that people pass as a program by mistake, each with a name and a remedy.

use crate::Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OtherFormat {
    /// What the file is; completes "the file is".
    pub(super) name: &'static str,
    /// What to do; follows "expected a program or a data file;".
    pub(super) cure: &'static str,
    pub(super) mark: Span,
}

const DOWNLOADED: &str = "download the file itself; the page may ask for a login or report an error";

const MARKS: [(&[u8], &str, &str); 6] = [
    (b"version https://git-lfs", "a Git LFS pointer", "run `git lfs pull`"),
    (b"\x1f\x8b", "compressed with gzip", "decompress it with `gunzip`"),
    (b"PK\x03\x04", ZIP, UNZIP),
    (b"PK\x05\x06", ZIP, UNZIP),
    (b"GGUF", "a GGUF model", "export the model with ExecuTorch, which does not load GGUF"),
    (b"\xef\xbb\xbf<", "a web page (HTML or XML)", DOWNLOADED),
];

const ZIP: &str = "a ZIP archive";
const UNZIP: &str = "extract it; if it is a PyTorch file (.pt, .pt2), export its model with ExecuTorch";

impl OtherFormat {
    /// Recognizes the format of a file of `len` bytes from its first bytes. Ignores ExecuTorch's own formats.
    pub(super) fn of(head: &[u8], len: u64) -> Option<Self> {
        if let Some((mark, name, cure)) = MARKS.iter().find(|(mark, ..)| head.starts_with(mark)) {
            return Some(Self { name, cure, mark: Span::new(0, mark.len() as u64) });
        }
        if head.get(4..8) == Some(b"NPTG") {
            let cure = "pass a program (.pte); torchproof does not check native graphs";
            return Some(Self { name: "a native graph (.ptg)", cure, mark: Span::new(4, 4) });
        }
        if let Some((json, _)) = head.split_first_chunk::<8>().filter(|(_, rest)| rest.starts_with(b"{")) {
            let json = u64::from_le_bytes(*json);
            // The first eight bytes are the size of the JSON header.
            let fits = json >= 2 && json <= len.saturating_sub(8);
            let cure = "convert the tensors to a data file (.ptd) when you export the program";
            return fits.then_some(Self { name: "a safetensors file", cure, mark: Span::new(0, 9) });
        }
        let spaces = head.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let is_html =
            |tag: &[u8]| head.get(spaces..spaces + tag.len()).is_some_and(|found| found.eq_ignore_ascii_case(tag));
        let tag = [&b"<!doctype html"[..], b"<html", b"<head", b"<?xml"].into_iter().find(|tag| is_html(tag))?;
        let mark = Span::new(spaces as u64, tag.len() as u64);
        Some(Self { name: "a web page (HTML or XML)", cure: DOWNLOADED, mark })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_files_of_other_formats() {
        let html: &[u8] = b"\n  <!DOCTYPE html><html lang=en>";
        for (head, name) in [
            (&b"version https://git-lfs.github.com/spec/v1\noid sha256:00"[..], "a Git LFS pointer"),
            (b"\x1f\x8b\x08\x08", "compressed with gzip"),
            (b"PK\x03\x04\x14\0", "a ZIP archive"),
            (b"PK\x05\x06\0\0\0\0", "a ZIP archive"),
            (b"GGUF\x03\0\0\0", "a GGUF model"),
            (b"\x08\0\0\0NPTG", "a native graph (.ptg)"),
            (b"\x02\0\0\0\0\0\0\0{}", "a safetensors file"),
            (html, "a web page (HTML or XML)"),
            (b"<html>", "a web page (HTML or XML)"),
        ] {
            let found = OtherFormat::of(head, head.len() as u64);
            assert_eq!(found.map(|found| found.name), Some(name), "{}", head.escape_ascii());
        }
        let long = b"\x03\0\0\0\0\0\0\0{}";
        for head in [&long[..], b"\x08\0\0\0ET12", b"", b"<", b"PK", b"  <!doctype svg"] {
            assert_eq!(OtherFormat::of(head, head.len() as u64), None, "{}", head.escape_ascii());
        }
    }
}
