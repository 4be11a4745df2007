//! The needs of programs as files for a build: the YAML of selected operators, and a C++ header.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use torchproof::prediction::Abi;
use torchproof_text::counted;

use super::{MethodNeeds, NeedsOutput};

/// Returns a string in double quotes, with printable ASCII characters only.
fn yaml_quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for char in text.chars() {
        match char {
            ' '..='~' if !matches!(char, '"' | '\\') => quoted.push(char),
            _ => drop(write!(quoted, "\\U{:08x}", u32::from(char))),
        }
    }
    quoted + "\""
}

impl NeedsOutput {
    /// Returns `selected_operators.yaml` as ExecuTorch's selective build reads it.
    #[must_use]
    pub fn yaml(&self) -> String {
        let names = self.operators.keys().map(|name| yaml_quoted(name)).collect::<Vec<_>>();
        let mut yaml: String = self.omissions().map(|omission| format!("# {omission}\n")).collect();
        yaml += "build_features: []\ncustom_classes: []\n";
        let empty = if names.is_empty() { " {}" } else { "" };
        let _ = writeln!(yaml, "et_kernel_metadata:{empty}");
        for (name, operator) in names.iter().zip(self.operators.values()) {
            if operator.omitted_keys > 0 {
                let keys = counted(operator.omitted_keys, "key");
                let _ = writeln!(yaml, "  # {keys} left out: longer than 658 bytes, or too many keys");
            }
            let _ = writeln!(yaml, "  {name}:{}", if operator.kernel_keys.is_empty() { " []" } else { "" });
            for key in &operator.kernel_keys {
                let _ = writeln!(yaml, "  - {}", yaml_quoted(key));
            }
        }
        let _ =
            writeln!(yaml, "include_all_non_op_selectives: false\ninclude_all_operators: false\nkernel_metadata: {{}}");
        let _ = writeln!(yaml, "operators:{empty}");
        for name in &names {
            let _ = writeln!(yaml, "  {name}:\n    include_all_overloads: false\n    is_root_operator: true");
            yaml += "    is_used_for_training: true\n";
        }
        yaml
    }

    /// Returns a header for C++17 with the sizes of pools, and the names of operators and backends.
    #[must_use]
    pub fn header(&self) -> String {
        let newest = Self::newest().map(|release| release.to_string()).unwrap_or_default();
        let omissions: String = self.omissions().map(|omission| format!("// {omission}.\n")).collect();
        let mut header = format!(
            "// What the programs need from a build with {newest}. `torchproof needs` wrote this file.\n\
             //\n\
             // `method_arena` is the smallest arena of the method allocator, without what backends use. With\n\
             // a temporary arena of at least `temporary_arena` bytes, `method_arena_with_temporary` is enough.\n\
             // Sizes for 32 bits are those of Arm. Each arena begins at a multiple of 8. Lists end with a\n\
             // null pointer.\n{omissions}\n\
             #pragma once\n\n#include <cstddef>\n#include <cstdint>\n\nnamespace torchproof_needs {{\n"
        );
        // The number of names that begin with a given name.
        let mut taken = BTreeMap::new();
        for program in &self.programs {
            let stem = Path::new(&program.check.path).file_stem().unwrap_or_default().to_string_lossy().into_owned();
            for method in &program.methods {
                let first = identifier(&format!("{stem}_{}", method.name));
                let (mut name, mut count) = (first.clone(), taken.get(&first).copied().unwrap_or(1));
                while taken.contains_key(&name) {
                    count += 1;
                    name = format!("{first}_{count}");
                }
                taken.insert(name.clone(), 1);
                taken.insert(first, count);
                let _ = write!(header, "\nnamespace {name} {{\n{}}}\n", pools(method, &newest));
            }
        }
        for (list, names) in
            [("operators", self.operators.keys().collect::<Vec<_>>()), ("backends", self.backends.keys().collect())]
        {
            let _ = write!(header, "\ninline constexpr const char* {list}[] = {{\n");
            for name in names {
                let _ = writeln!(header, "    {},", cpp_quoted(name));
            }
            header += "    nullptr,\n};\n";
        }
        header + "\n}  // namespace torchproof_needs\n"
    }
}

fn pools(method: &MethodNeeds, newest: &str) -> String {
    let constant =
        |name: &str, value: &dyn std::fmt::Display| format!("inline constexpr std::size_t {name} = {value};\n");
    let mut text = String::new();
    for (index, buffer) in method.buffers.iter().enumerate() {
        text += &constant(&format!("planned_buffer_{}", index + 1), &buffer.bytes.max(0));
    }
    let (Some(wide), Some(narrow)) = (method.arena(newest, Abi::X86_64), method.arena(newest, Abi::Arm32)) else {
        return text;
    };
    let by_abi = |wide: u64, narrow: u64| format!("UINTPTR_MAX > 0xffffffff ? {wide} : {narrow}");
    text += &constant("method_arena", &by_abi(wide.bytes, narrow.bytes));
    text += &constant("method_arena_with_temporary", &by_abi(wide.bytes_with_temporary, narrow.bytes_with_temporary));
    text + &constant("temporary_arena", &by_abi(wide.temporary_bytes, narrow.temporary_bytes))
}

/// Returns a string literal. An octal escape ends after three digits, whatever follows.
fn cpp_quoted(text: &str) -> String {
    let escape = |byte: u8| match byte {
        b' '..=b'~' if !matches!(byte, b'"' | b'\\' | b'?') => char::from(byte).to_string(),
        _ => format!("\\{byte:03o}"),
    };
    format!("\"{}\"", text.bytes().map(escape).collect::<String>())
}

fn identifier(text: &str) -> String {
    let kept = |char: char| if char.is_ascii_alphanumeric() { char } else { '_' };
    let name: String = text.chars().take(100).map(kept).collect();
    if name.starts_with(|first: char| first.is_ascii_alphabetic()) { name } else { format!("program_{name}") }
}
