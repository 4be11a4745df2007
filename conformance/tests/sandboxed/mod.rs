//! What is printed, whatever the kernel.

use torchproof_cli::reader::Sandbox;

/// A text without the line that is there where the kernel lacks something of the sandbox.
pub(crate) fn on_any_kernel(text: &str) -> String {
    let Some(lack) = Sandbox::offered().lack() else { return text.to_owned() };
    let note = format!("torchproof: note: {lack}");
    text.split_inclusive('\n').filter(|line| ![lack.as_str(), &note].contains(&line.trim_end())).collect()
}
