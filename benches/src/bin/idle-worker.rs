//! A worker that accepts every file immediately, for measurements of the runner's overhead.

use torchproof_protocol::{FORMATS, Hello, Stage, serve};

fn main() -> std::io::Result<()> {
    let hello = Hello::new("idle-worker", "1", "rust").with_formats(FORMATS).with_stages([Stage::Data]);
    serve(&hello, |_| Ok(None))
}
