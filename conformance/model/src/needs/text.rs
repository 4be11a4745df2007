//! The needs of programs as text that fits on one screen.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use textwrap::{Options, WordSplitter};
use torchproof::prediction::{Abi, RuntimePrediction, Verification};
use torchproof_text::counted;
use torchproof_text::escape::{plain_line, plain_name};

use super::{MethodNeeds, NeedsOutput, OperatorNeeds, PortNeeds, ProgramNeeds, TensorPort, XNNPACK};
use crate::check::{FoundRule, Verdict};
use crate::size::Size;

const WIDTH: usize = 80;

const LABEL: usize = 11;

/// The maximum number of lines of the text.
const LINES: usize = 24;

/// The maximum number of lines of one item.
const ITEM_LINES: usize = 3;

/// The size of XNNPACK's allocation was measured on the x86-64 wheel.
const XNNPACK_TAKES: &str = ", plus what XNNPACK takes (272 B per delegate on x86-64)";

/// A label, and items that can each have several lines.
type Section = (&'static str, Vec<String>);

impl NeedsOutput {
    /// Returns the text, with surprises first. To fit on one screen, sections are shortened, the longest first.
    #[must_use]
    pub fn text(&self) -> String {
        let sections: [Section; 9] = [
            ("program", self.each(|program| vec![program.title()])),
            ("findings", self.each(ProgramNeeds::findings)),
            ("note", self.notes()),
            ("backends", self.backend_items()),
            ("operators", self.operator_items()),
            ("releases", self.release_items()),
            ("memory", self.memory_items()),
            ("data", self.each(ProgramNeeds::data_items)),
            ("in and out", self.each_method(ports)),
        ];
        let wrapped = sections.map(|(label, items)| (label, items.iter().map(|item| wrap(item)).collect::<Vec<_>>()));
        let mut lines: Vec<usize> = wrapped.iter().map(|(_, items)| items.iter().map(Vec::len).sum()).collect();
        while lines.iter().sum::<usize>() > LINES {
            let Some(longest) = lines.iter_mut().max().filter(|longest| **longest > 2) else { break };
            *longest -= 1;
        }
        let sections = wrapped.iter().zip(lines);
        sections.flat_map(|((label, items), most)| labeled(label, &folded(items, most))).collect()
    }

    fn each(&self, items: impl Fn(&ProgramNeeds) -> Vec<String>) -> Vec<String> {
        self.programs.iter().flat_map(items).collect()
    }

    fn each_method(&self, items: impl Fn(&MethodNeeds, &str) -> Vec<String>) -> Vec<String> {
        let several = self.programs.len() > 1;
        let of_program = |program: &ProgramNeeds| {
            let file = if several { format!("{} ", program.name()) } else { String::new() };
            let of_method = |method: &MethodNeeds| items(method, &format!("{file}{}", plain_line(&method.name, 32)));
            program.methods.iter().flat_map(of_method).collect::<Vec<_>>()
        };
        self.programs.iter().flat_map(of_program).collect()
    }

    fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = self.omissions().collect();
        let absent = self.operators.iter();
        let absent = absent.filter_map(|(name, operator)| Some((name, operator, operator.absent_from.as_ref()?)));
        notes.extend(absent.map(|(name, operator, wheel)| {
            let suggestion =
                operator.suggestion.as_ref().map_or(String::new(), |known| format!("; did you mean {known}?"));
            format!("{}: the wheel of {wheel} has no kernel for it{suggestion}", plain_line(name, 64))
        }));
        let cut = self.operators.iter().filter(|(_, operator)| operator.omitted_keys > 0);
        notes.extend(cut.map(|(name, operator)| {
            let keys = counted(operator.omitted_keys, "key");
            format!("{}: {keys} left out: longer than 658 bytes, or too many keys", plain_line(name, 64))
        }));
        for program in &self.programs {
            let missing = program.data.iter().filter(|need| need.found_in.is_none());
            notes.extend(missing.map(|need| format!("no data file has the key {}", plain_line(&need.key, 64))));
        }
        notes
    }

    fn backend_items(&self) -> Vec<String> {
        let item = |(id, backend): (&String, &super::BackendNeeds)| {
            let stated = backend.blobs.iter().chain(&backend.settings).map(|text| format!("; {text}"));
            let stated: String = stated.collect();
            let absent =
                backend.absent_from.as_ref().map_or(String::new(), |wheel| format!("; not in the wheel of {wheel}"));
            let delegates = counted(backend.delegates, "delegate");
            format!("{}: {delegates}, {}{absent}{stated}", plain_line(id, 64), Size(backend.bytes))
        };
        self.or_none(self.backends.iter().map(item).collect())
    }

    fn operator_items(&self) -> Vec<String> {
        let item = |(name, operator): (&String, &OperatorNeeds)| {
            let keys = operator.kernel_keys.iter().map(String::as_str);
            format!("{}: {}; {}", plain_line(name, 64), counted(operator.calls, "call"), first_few(keys, " "))
        };
        self.or_none(self.operators.iter().map(item).collect())
    }

    /// Releases with the same predictions become one item. If several programs differ, their predictions are listed side by side.
    fn release_items(&self) -> Vec<String> {
        let mut answers: Vec<(Vec<String>, Vec<&str>)> = Vec::new();
        let releases = self.programs.first().map_or(&[][..], |program| &program.check.runtime);
        for release in releases.iter().filter(|prediction| prediction.verification == Verification::Minimal) {
            let answer = self.programs.iter().map(|program| program.answer(&release.release)).collect();
            let version = release.release.split_once(':').map_or("", |(_, version)| version);
            match answers.iter_mut().find(|(known, _)| *known == answer) {
                Some((_, versions)) => versions.push(version),
                None => answers.push((answer, vec![version])),
            }
        }
        let item = |(answers, versions): &(Vec<String>, Vec<&str>)| {
            let is_same = answers.windows(2).all(|pair| pair[0] == pair[1]);
            let named =
                self.programs.iter().zip(answers).map(|(program, answer)| format!("{} {answer}", program.name()));
            let shown = if is_same {
                answers.first().cloned().unwrap_or_default()
            } else {
                named.collect::<Vec<_>>().join("; ")
            };
            format!("{}: {shown}", versions.join(" "))
        };
        answers.iter().map(item).collect()
    }

    fn memory_items(&self) -> Vec<String> {
        let newest = Self::newest().map(|release| release.to_string()).unwrap_or_default();
        let items = self.each_method(|method, prefix| vec![memory(method, prefix, &newest)]);
        let added = match self.backends.keys().map(String::as_str).collect::<Vec<_>>()[..] {
            [] => "",
            [XNNPACK] => XNNPACK_TAKES,
            _ => ", plus what each backend takes",
        };
        let first = format!("smallest arenas of {newest} without a temporary allocator{added}");
        Some(first).filter(|_| !items.is_empty()).into_iter().chain(items).collect()
    }

    /// Adds an item that says that the list is empty, unless no program could be read.
    fn or_none(&self, items: Vec<String>) -> Vec<String> {
        let is_read = self.programs.iter().any(|program| !program.methods.is_empty());
        if items.is_empty() && is_read { vec!["none".to_owned()] } else { items }
    }
}

impl ProgramNeeds {
    /// Returns the name of the file without its folder.
    fn name(&self) -> String {
        let name = Path::new(&self.check.path).file_name().unwrap_or_default();
        plain_line(&plain_name(&name.to_string_lossy()), 40)
    }

    fn title(&self) -> String {
        let verdict = match self.check.verdict {
            Verdict::Accept => String::new(),
            Verdict::Reject => format!("; rejected, with {}", counted(self.check.findings.len() as u64, "finding")),
            Verdict::Unexamined => "; not fully examined".to_owned(),
        };
        let names: Vec<String> = self.methods.iter().take(8).map(|method| plain_line(&method.name, 32)).collect();
        let more = if self.methods.len() > names.len() { ", …" } else { "" };
        let methods = match self.methods.len() {
            0 => "no readable method".to_owned(),
            1 => format!("method {}", names.join(", ")),
            _ => format!("methods {}{more}", names.join(", ")),
        };
        format!("{}: {methods}{verdict}", plain_name(&self.check.path))
    }

    fn findings(&self) -> Vec<String> {
        let item = |found: &FoundRule| {
            let text = format!("{} {}: {}: {}", found.strength.name(), found.rule, found.path, found.message);
            plain_line(&text, usize::MAX)
        };
        let reason = self.check.error.iter().map(|reason| plain_line(reason, usize::MAX));
        reason.chain(self.check.findings.iter().map(item)).collect()
    }

    fn answer(&self, release: &str) -> String {
        let of = |level| {
            let is =
                |prediction: &&RuntimePrediction| prediction.release == release && prediction.verification == level;
            self.check.runtime.iter().find(is).map(|found| found.prediction.to_string()).unwrap_or_default()
        };
        let [minimal, whole] = Verification::ALL.map(of);
        if minimal == whole || whole.is_empty() {
            minimal
        } else {
            format!("{minimal}; with internal-consistency {whole}")
        }
    }

    /// Lists data in other files, and only counts data in the program itself.
    fn data_items(&self) -> Vec<String> {
        let mut users: BTreeMap<&str, u64> = BTreeMap::new();
        let mut items = Vec::new();
        for need in &self.data {
            if need.found_in.as_ref() == Some(&self.check.path) {
                *users.entry(need.used_by).or_default() += 1;
                continue;
            }
            let shape = need.dtype.as_ref().zip(need.sizes.as_ref()).map(|(ty, sizes)| format!(" {ty} {sizes:?}"));
            let size = need.bytes.map_or(String::new(), |bytes| format!(", {}", Size(bytes)));
            let place =
                need.found_in.as_ref().map_or("in no file".to_owned(), |path| format!("in {}", plain_name(path)));
            let key = plain_line(&need.key, 64);
            items.push(format!("{key}:{}{size} for {}, {place}", shape.unwrap_or_default(), need.used_by));
        }
        let own =
            users.into_iter().map(|(user, keys)| format!("{} for {user} in the program itself", counted(keys, "key")));
        own.chain(items).collect()
    }
}

fn memory(method: &MethodNeeds, prefix: &str, newest: &str) -> String {
    let size = |bytes: i64| u64::try_from(bytes).map_or_else(|_| format!("{bytes} B"), |bytes| Size(bytes).to_string());
    let buffers = method.buffers.iter().map(|buffer| {
        let device = buffer.device.as_ref().map_or(String::new(), |device| format!(" on {}", plain_line(device, 32)));
        size(buffer.bytes) + &device
    });
    let planned = first_few(buffers, " + ");
    let planned = if planned.is_empty() { "nothing".to_owned() } else { planned };
    let state = match method.state_tensors {
        0 => String::new(),
        tensors => format!(", with {} of state in {}", Size(method.state_bytes), counted(tensors, "tensor")),
    };
    let arena = match (method.arena(newest, Abi::X86_64), method.arena(newest, Abi::Arm32)) {
        (Some(wide), Some(narrow)) => format!("{} B on x86-64, {} B on arm32", wide.bytes, narrow.bytes),
        _ => "unknown".to_owned(),
    };
    format!("{prefix}: arena {arena}; planned {planned}{state}")
}

fn ports(method: &MethodNeeds, prefix: &str) -> Vec<String> {
    let described = |port: &PortNeeds| port.tensor.as_ref().map_or_else(|| port.value.clone(), tensor);
    let all = [("input", &method.inputs), ("output", &method.outputs)];
    let item = |(kind, ports): (&'static str, &Vec<PortNeeds>)| {
        let each =
            ports.iter().enumerate().map(move |(index, port)| format!("{prefix} {kind} {index}: {}", described(port)));
        each.collect::<Vec<_>>()
    };
    all.into_iter().flat_map(item).collect()
}

fn tensor(tensor: &TensorPort) -> String {
    let (bound, dynamism) = match tensor.dynamism.as_str() {
        "STATIC" => ("", ""),
        "DYNAMIC_BOUND" => ("≤", ", bounded"),
        _ => ("", ", without bounds"),
    };
    let sizes: Vec<String> = tensor.sizes.iter().map(|size| format!("{bound}{size}")).collect();
    format!("{} [{}], order {:?}{dynamism}", tensor.dtype, sizes.join(", "), tensor.dim_order)
}

/// Joins the first items, and counts the others.
fn first_few(mut items: impl Iterator<Item = impl Into<String>>, separator: &str) -> String {
    const FEW: usize = 4;
    let first: Vec<String> = items.by_ref().take(FEW).map(Into::into).collect();
    let more = match items.count() {
        0 => String::new(),
        more => format!("{separator}{more} more"),
    };
    first.join(separator) + &more
}

fn wrap(item: &str) -> Vec<String> {
    let options = Options::new(WIDTH - LABEL).subsequent_indent("  ").word_splitter(WordSplitter::NoHyphenation);
    let mut lines: Vec<String> = textwrap::wrap(item, options).into_iter().map(Cow::into_owned).collect();
    if lines.len() > ITEM_LINES {
        lines.truncate(ITEM_LINES);
        if let Some(last) = lines.last_mut() {
            *last = last.chars().take(WIDTH - LABEL - 2).chain([' ', '…']).collect();
        }
    }
    lines
}

/// Returns at most `most` lines (at least 2). If items are omitted, the last line says how many.
fn folded(items: &[Vec<String>], most: usize) -> Vec<String> {
    if items.iter().map(Vec::len).sum::<usize>() <= most {
        return items.concat();
    }
    let mut lines = Vec::new();
    for (index, item) in items.iter().enumerate() {
        if lines.len() + item.len() >= most {
            if index == 0 {
                lines.extend(item.iter().take(most.saturating_sub(1).max(1)).cloned());
            }
            let more = match items.len() - index.max(1) {
                0 => "the rest".to_owned(),
                more => format!("{more} more"),
            };
            lines.push(format!("and {more}; --format json lists all"));
            break;
        }
        lines.extend(item.iter().cloned());
    }
    lines
}

fn labeled(label: &str, lines: &[String]) -> Vec<String> {
    let line = |(index, line): (usize, &String)| {
        let label = if index == 0 { label } else { "" };
        format!("{label:<LABEL$}{line}").trim_end().to_owned() + "\n"
    };
    lines.iter().enumerate().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_section_begins_with_the_first_item() {
        let item = |name: &str| ["first", "second", "third"].map(|line| format!("{name} {line}")).to_vec();
        let cut = |items: &[Vec<String>], most| folded(items, most).join("|");
        let items = [item("a"), item("b"), item("c")];
        assert_eq!(cut(&items, 1), "a first|and 2 more; --format json lists all");
        assert_eq!(cut(&items, 2), "a first|and 2 more; --format json lists all");
        assert_eq!(cut(&items, 5), "a first|a second|a third|and 2 more; --format json lists all");
        assert_eq!(cut(&items[..1], 2), "a first|and the rest; --format json lists all");
    }
}
