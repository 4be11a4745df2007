//! The first screen: what the file is, what it needs, where its bytes are, what runs outside delegates, findings.

use std::fmt::Write;

use torchproof::FileKind;
use torchproof::prediction::{Abi, Prediction};
use torchproof_harness::text::counted;
use torchproof_harness::text::escape::{plain, plain_line};
use torchproof_model::check::Verdict;
use torchproof_model::inspect::{InspectOutput, MethodOutput, PortOutput, TensorType, item};
use torchproof_model::needs::{MethodNeeds, NeedsOutput};

use crate::cli::page;
use crate::fields::words::shortened;
use crate::page::size::Size;
use crate::page::{Page, table};

/// The maximum number of methods, parts, operators or findings on the first screen.
const FEW: usize = 6;

const LABEL: usize = 11;

pub(super) fn text(output: &InspectOutput) -> String {
    let mut screen = Screen { text: String::new(), page: list_page() };
    screen.line("", &title(output));
    screen.methods(output);
    if let Some(needs) = &output.needs {
        screen.needs(output, needs);
    }
    screen.bytes(output);
    screen.outside(output);
    screen.findings(output);
    plain(&screen.text)
}

/// The page width, which fits in any terminal.
pub(super) fn list_page() -> Page {
    Page { color: false, ..page().of_list() }
}

/// Text such as `linear.pte: a program (.pte), 1.6 KiB (1680)`.
pub(super) fn title(output: &InspectOutput) -> String {
    let kind = match output.file.kind {
        FileKind::Pte => "a program (.pte)",
        FileKind::Ptd => "a data file (.ptd)",
        FileKind::PtdLegacy => "a data file (.ptd) in the legacy layout",
        FileKind::Bpte => "a bundled program (.bpte)",
        FileKind::Ptn => "a .ptn package",
        _ => "neither a program nor a data file",
    };
    format!("{}: {kind}, {}", plain_line(&output.file.name, 64), Size(output.file.bytes))
}

struct Screen {
    text: String,
    page: Page,
}

impl Screen {
    fn line(&mut self, label: &str, line: &str) {
        let first = if label.is_empty() { String::new() } else { format!("{label:<LABEL$}") };
        let indent = " ".repeat(if label.is_empty() { 2 } else { LABEL });
        self.text += &self.page.wrapped(&first, &indent, &plain_line(line, usize::MAX));
    }

    fn lines(&mut self, label: &str, lines: impl IntoIterator<Item = String>) {
        let mut label = label;
        for line in lines {
            self.line(label, &line);
            label = " ";
        }
    }

    fn gap(&mut self) {
        self.text.push('\n');
    }

    fn methods(&mut self, output: &InspectOutput) {
        let signature = |method: &MethodOutput| {
            let ports = |ports: &[PortOutput]| {
                let shown = ports.iter().take(FEW).map(|port| output.type_of(port));
                let more = if ports.len() > FEW { format!(", {} more", ports.len() - FEW) } else { String::new() };
                shown.collect::<Vec<_>>().join(", ") + &more
            };
            let name = plain_line(&method.name, 40);
            format!("{name}({}) -> {}", ports(&method.inputs), ports(&method.outputs))
        };
        self.lines("methods", few(output.methods.iter().map(signature), FEW, "--section methods"));
        if !output.constant_methods.is_empty() {
            let names = output.constant_methods.iter().map(|method| {
                let values: Vec<String> = method.values.iter().map(|value| plain_line(value, 24)).collect();
                format!("{} = {}", plain_line(&method.name, 40), values.join(", "))
            });
            let values: Vec<String> = few(names, FEW, "--section methods");
            self.line("constants", &values.join("; "));
        }
        for tests in &output.tests {
            let cases = counted(tests.cases, "case");
            self.line("tests", &format!("{cases} of {}, {}", plain_line(&tests.method, 40), Size(tests.bytes)));
        }
    }

    /// Three lines.
    fn needs(&mut self, output: &InspectOutput, needs: &NeedsOutput) {
        let backends = needs.backends.iter().map(|(id, backend)| {
            format!("{} ({}, {})", plain_line(id, 40), counted(backend.delegates, "delegate"), Size(backend.bytes))
        });
        let backends = list_or(&few(backends, 4, "--format json"), "no backend");
        self.line("needs", &backends);
        let absent = needs.operators.iter().filter(|(_, operator)| operator.absent_from.is_some());
        let absent: Vec<String> = absent.map(|(name, _)| plain_line(name, 48)).collect();
        let newest = NeedsOutput::newest().map(|release| release.to_string()).unwrap_or_default();
        let count = counted(needs.operators.len() as u64, "operator");
        let absent = match absent.len() {
            0 => String::new(),
            _ => format!("; not in the wheel of {newest}: {}", few(absent, 3, "--section operators").join(", ")),
        };
        self.line(" ", &format!("{count} outside delegates{absent}"));
        let program = needs.programs.first();
        // A hostile file can plan any sizes.
        let planned = |method: &&MethodNeeds| {
            let sizes = method.buffers.iter().map(|buffer| u64::try_from(buffer.bytes).unwrap_or(0));
            sizes.fold(0, u64::saturating_add)
        };
        let largest = program.and_then(|program| program.methods.iter().max_by_key(planned));
        let memory = largest.map_or(String::new(), |method| {
            let arena = method.arena(&newest, Abi::X86_64);
            let arena = arena.map_or("unknown".to_owned(), |arena| Size(arena.bytes).to_string());
            let state = match method.state_bytes {
                0 => String::new(),
                bytes => format!(" with {} of state", Size(bytes)),
            };
            let of =
                if output.methods.len() > 1 { format!(" ({})", plain_line(&method.name, 32)) } else { String::new() };
            format!("planned memory {}{state}{of}; arena {arena} on x86-64", Size(planned(&method)))
        });
        let answer = program.and_then(|program| program.check.runtime.first()).map(|answer| match &answer.prediction {
            Prediction::Loads => format!("; {newest} loads it"),
            other => format!("; {newest}: {other}"),
        });
        let data = program.map_or(0, |program| program.data.iter().filter(|need| need.found_in.is_none()).count());
        let data = match data {
            0 => String::new(),
            missing => format!("; {} in no file", counted(missing as u64, "key")),
        };
        self.line(" ", &format!("{memory}{}{data}", answer.unwrap_or_default()));
    }

    fn bytes(&mut self, output: &InspectOutput) {
        let bytes = &output.bytes;
        let total = bytes.total.max(1);
        let mut rows = table(&["where the bytes are", ">parts", ">bytes", ">share"]);
        for sum in &bytes.by_role {
            let share = format!("{} %", (u128::from(sum.bytes) * 100 + u128::from(total) / 2) / u128::from(total));
            let name = if sum.name == "tables" { "tables of the FlatBuffer" } else { &sum.name };
            rows.add_row([name.to_owned(), sum.parts.to_string(), Size(sum.bytes).to_string(), share]);
        }
        self.gap();
        let _ = writeln!(self.text, "{}", rows.trim_fmt());
        let parts = &bytes.parts;
        let is_content = |row: &usize| !matches!(parts.role.get(*row), Some("tables" | "padding" | "header") | None);
        let mut largest: Vec<usize> = (0..parts.rows()).filter(is_content).collect();
        largest.sort_by_key(|row| std::cmp::Reverse(parts.bytes[*row]));
        if !largest.is_empty() {
            self.gap();
            let mut rows = table(&["largest parts", "role", "type, backend", ">bytes"]);
            rows.add_rows(largest.iter().take(FEW).map(|row| part_row(output, *row)));
            let _ = writeln!(self.text, "{}", rows.trim_fmt());
            if largest.len() > FEW {
                let _ = writeln!(self.text, " … and {} more; --section bytes lists them", largest.len() - FEW);
            }
        }
        let mut notes = Vec::new();
        if bytes.parameters > 0 {
            notes.push(counted(bytes.parameters, "parameter"));
        }
        if bytes.unused > 0 {
            notes.push(format!("unused: {}", Size(bytes.unused)));
        }
        let wasted = bytes.equal.iter().map(|group| group.bytes.saturating_mul(group.parts.len() as u64 - 1));
        let wasted = wasted.fold(0, u64::saturating_add);
        if wasted > 0 {
            notes.push(format!("stored more than once: {}", Size(wasted)));
        }
        if bytes.equal_unknown {
            notes.push("parts with equal bytes: not read, pass --digest".to_owned());
        }
        if !notes.is_empty() {
            self.gap();
            self.line("", &notes.join("; "));
        }
    }

    fn outside(&mut self, output: &InspectOutput) {
        let Some(needs) = &output.needs else { return };
        if output.methods.is_empty() {
            return;
        }
        let mut operators: Vec<_> = needs.operators.iter().collect();
        operators.sort_by_key(|(_, operator)| std::cmp::Reverse(operator.calls));
        let shown = operators.iter().map(|(name, operator)| format!("{} ({})", plain_line(name, 48), operator.calls));
        let all: u64 = operators.iter().map(|(_, operator)| operator.calls).sum();
        let delegated: u64 =
            output.methods.iter().flat_map(|method| &method.delegates).map(|delegate| delegate.calls).sum();
        let shown = match few(shown, 8, "--section operators") {
            names if names.is_empty() => String::new(),
            names => format!(": {}", names.join(", ")),
        };
        self.gap();
        let calls = format!("{} outside delegates, {} of delegates", counted(all, "call"), delegated);
        self.line("runs", &format!("{calls}{shown}"));
    }

    fn findings(&mut self, output: &InspectOutput) {
        let check = &output.check;
        self.gap();
        let verdict = match check.verdict {
            Verdict::Accept => "accept",
            Verdict::Reject => "reject",
            Verdict::Unexamined => "unexamined",
        };
        let reason = check.error.iter().chain(&check.note).map(|reason| format!("; {reason}")).collect::<String>();
        let count = match check.findings.len() {
            0 => "no findings".to_owned(),
            count => counted(count as u64, "finding"),
        };
        let with: Vec<String> = check.with.iter().map(|path| plain_line(path, 60)).collect();
        let with = if with.is_empty() { String::new() } else { format!(" with {}", with.join(", ")) };
        self.line("check", &format!("{verdict}{with}, {count}{reason}"));
        let item = |found: &torchproof_model::check::FoundRule| {
            let place = if found.path.is_empty() { String::new() } else { format!("{}: ", found.path) };
            format!("{} {}: {place}{}", found.strength.name(), found.rule, plain_line(&found.message, 400))
        };
        self.lines(" ", few(check.findings.iter().map(item), FEW, "`torchproof check`"));
        let omitted = output.omitted.iter().map(|what| plain_line(what, 80));
        self.lines("omitted", omitted);
    }
}

/// A part's name, role, type or backend, and size.
pub(super) fn part_row(output: &InspectOutput, row: usize) -> [String; 4] {
    let parts = &output.bytes.parts;
    let role = parts.role.get(row).unwrap_or_default().to_owned();
    let ty = output.tensor_type(parts.tensor[row]).map(TensorType::text);
    let ty = ty.or_else(|| parts.backend.get(row).map(|backend| plain_line(backend, 32))).unwrap_or_default();
    let methods = parts.methods.get(row);
    let only = methods.first().and_then(|method| item(&output.methods, *method));
    let of = only.filter(|_| methods.len() == 1 && output.methods.len() > 1);
    let of = of.map_or(String::new(), |method| format!(" of {}", plain_line(&method.name, 24)));
    let name = shortened(&plain_line(&parts.label(row), usize::MAX), 28);
    [name + &of, role, ty, Size(parts.bytes[row]).to_string()]
}

/// The first items, and where the others are.
fn few(items: impl IntoIterator<Item = String>, most: usize, hint: &str) -> Vec<String> {
    let mut all: Vec<String> = items.into_iter().collect();
    let more = all.len().saturating_sub(most);
    all.truncate(most);
    all.extend((more > 0).then(|| format!("… and {more} more; {hint} lists them")));
    all
}

fn list_or(items: &[String], none: &str) -> String {
    if items.is_empty() { none.to_owned() } else { items.join(", ") }
}
