//! An adapter for torchproof. Replace the check of the identifier with calls to your reader, and describe the reader in
//! `hello`.

use torchproof_protocol::{CAPABILITY_BUNDLED, FORMATS, Hello, NotAccepted, Stage, enter, serve};

fn main() -> std::io::Result<()> {
    let stages = [Stage::Header, Stage::Structure, Stage::Meta, Stage::Method, Stage::Data];
    // Remove this capability if your reader does not read bundled programs.
    let hello = Hello::new("template", "0", "rust").with_formats(FORMATS).with_capabilities([CAPABILITY_BUNDLED]);
    let hello = hello.with_stages(stages);
    serve(&hello, |request| {
        enter(Stage::Header);
        for file in &request.files {
            let bytes = file.read()?;
            let Some(b"ET12" | b"FT01" | b"BP08") = bytes.get(4..8) else {
                return Err(NotAccepted::reject(Stage::Header, "no identifier"));
            };
        }
        Ok(None)
    })
}
