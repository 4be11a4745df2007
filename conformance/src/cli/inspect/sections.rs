//! The sections of `inspect --section`.

use std::fmt::Write;

use torchproof::Span;
use torchproof::metadata::PREFIX;
use torchproof_harness::disk::input::Input;
use torchproof_harness::text::counted;
use torchproof_harness::text::escape::{plain, plain_line};
use torchproof_model::inspect::{InspectOutput, MethodOutput, TensorType, item};

use super::screen::{list_page, part_row, title};
use crate::document::meta::{DeclaredType, ValuePreview};
use crate::fields::words::shortened;
use crate::page::size::Size;
use crate::page::{Page, table};

/// The number of rows that a table shows without `--all`.
pub(super) const FIRST: usize = 10;

/// The maximum with `--all`; JSON has no limit.
pub(super) const ALL: usize = 10_000;

/// A section of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Section {
    /// Each method's memory plan: buffers, tensors and their lifetimes, state
    Memory,
    /// Where the bytes are: by role, type, backend and method; parts that are unused or stored twice
    Bytes,
    /// Each method's inputs, outputs, values and instructions, and constant methods
    Methods,
    /// The operators outside delegates with their kernel keys, and the delegates
    Operators,
    /// Named data and the keys that the program looks up
    Data,
    /// The header fields and the segments
    Header,
}

pub(super) fn text(section: Section, output: &InspectOutput, input: &Input, most: usize) -> String {
    let mut out = SectionText { text: String::new(), page: list_page(), most };
    out.line(&title(output));
    match section {
        Section::Memory => output.methods.iter().for_each(|method| out.memory(output, method)),
        Section::Bytes => out.bytes(output),
        Section::Methods => {
            output.methods.iter().for_each(|method| out.method(output, method));
            out.constant_methods(output);
        }
        Section::Operators => out.operators(output),
        Section::Data => out.data(output, input),
        Section::Header => out.header(output),
    }
    plain(&out.text)
}

struct SectionText {
    text: String,
    page: Page,
    most: usize,
}

impl SectionText {
    fn line(&mut self, line: &str) {
        self.text += &self.page.wrapped("", "  ", line);
    }

    fn heading(&mut self, heading: &str) {
        self.text.push('\n');
        self.line(heading);
    }

    /// Prints the first rows, and counts the others.
    fn rows<const N: usize>(&mut self, columns: [&str; N], rows: impl Iterator<Item = [String; N]>) {
        let mut shown = table(&columns);
        let (mut all, most) = (0, self.most);
        for row in rows {
            all += 1;
            if all <= most {
                shown.add_row(row);
            }
        }
        if all > 0 {
            let _ = writeln!(self.text, "{}", shown.trim_fmt());
        }
        if all > most {
            let hint = if most == FIRST { "--all lists them" } else { "--format json has them" };
            let _ = writeln!(self.text, " … and {} more; {hint}", all - most);
        }
    }

    fn memory(&mut self, output: &InspectOutput, method: &MethodOutput) {
        let plan = &method.plan;
        let tensors = counted(plan.tensors.value.len() as u64, "planned tensor");
        self.heading(&format!("Memory of {}: {tensors}, {} of state", quoted(&method.name), Size(plan.state_bytes)));
        let buffers = plan.buffers.iter().enumerate().map(|(number, planned)| {
            let bytes = u64::try_from(planned.buffer.bytes)
                .map_or_else(|_| planned.buffer.bytes.to_string(), |bytes| Size(bytes).to_string());
            let device = planned.buffer.device.clone().unwrap_or_else(|| "cpu".to_owned());
            [(number + 1).to_string(), bytes, Size(planned.peak).to_string(), plain_line(&device, 32)]
        });
        self.rows(["buffer", ">bytes", ">most in use at once", "device"], buffers);
        let table = &plan.tensors;
        let mut order: Vec<usize> = (0..table.value.len()).collect();
        order.sort_by_key(|row| std::cmp::Reverse(table.bytes[*row]));
        let count = method.instructions.rows();
        let rows = order.into_iter().map(|row| {
            let value = usize::try_from(table.value[row]).unwrap_or(usize::MAX);
            let when = match (table.first[row], table.last[row]) {
                (first, last) if first > last => "never used".to_owned(),
                (first, last) => {
                    let is_end = usize::try_from(last).is_ok_and(|last| last >= count);
                    let first = if first < 0 { "start".to_owned() } else { first.to_string() };
                    format!("{first} to {}", if is_end { "end".to_owned() } else { last.to_string() })
                }
            };
            let kind = match (method.values.place.get(value), table.keeps[row]) {
                (Some("mutable"), _) => "state, initial value",
                (_, true) => "state",
                _ => "planned",
            };
            [
                value.to_string(),
                kind.to_owned(),
                value_type(output, method, value),
                Size(table.bytes[row]).to_string(),
                format!("{} at {:#x}", table.buffer[row] + 1, table.offset[row]),
                when,
            ]
        });
        self.rows([">value", "kind", "type", ">bytes", "buffer", "instructions"], rows);
        if !plan.overlaps.is_empty() {
            let value = |row: &i32| item(&table.value, *row).map_or(-1, |value| *value);
            let pairs = plan.overlaps.iter().take(8);
            let pairs: Vec<String> = pairs.map(|[one, other]| format!("{} and {}", value(one), value(other))).collect();
            self.line(&format!("Values that share bytes while both are in use: {}", pairs.join("; ")));
        }
    }

    fn bytes(&mut self, output: &InspectOutput) {
        let bytes = &output.bytes;
        for (what, sums) in [
            ("role", &bytes.by_role),
            ("type", &bytes.by_dtype),
            ("backend", &bytes.by_backend),
            ("method", &bytes.by_method),
        ] {
            if !sums.is_empty() {
                self.heading(&format!("By {what}"));
                let rows = sums
                    .iter()
                    .map(|sum| [plain_line(&sum.name, 48), sum.parts.to_string(), Size(sum.bytes).to_string()]);
                self.rows([what, ">parts", ">bytes"], rows);
            }
        }
        let parts = &bytes.parts;
        let mut order: Vec<usize> = (0..parts.rows()).collect();
        order.sort_by_key(|row| std::cmp::Reverse(parts.bytes[*row]));
        self.heading(&format!("Parts: {}; {}", parts.rows(), counted(bytes.parameters, "parameter")));
        let rows = order.into_iter().map(|row| {
            let [name, role, ty, size] = part_row(output, row);
            [name, role, ty, size, format!("{:#x}", parts.offset[row]), parts.uses[row].to_string()]
        });
        self.rows(["part", "role", "type, backend", ">bytes", ">offset", ">uses"], rows);
        if !parts.digest.is_empty() {
            self.heading("SHA-256 digests");
            let rows = (0..parts.rows()).filter(|row| !parts.digest[*row].is_empty());
            let rows =
                rows.map(|row| [shortened(&plain_line(&parts.label(row), usize::MAX), 20), parts.digest[row].clone()]);
            self.rows(["part", "digest"], rows);
        }
        if !bytes.equal.is_empty() {
            self.heading("Stored more than once");
            let rows = bytes.equal.iter().map(|group| {
                let names = group.parts.iter().take(4).filter_map(|row| usize::try_from(*row).ok());
                let names: Vec<String> =
                    names.map(|row| shortened(&plain_line(&parts.label(row), usize::MAX), 24)).collect();
                [Size(group.bytes).to_string(), group.parts.len().to_string(), names.join(", ")]
            });
            self.rows([">bytes", ">copies", "parts"], rows);
        }
        if bytes.equal_unknown {
            self.line("Parts of equal sizes are not compared; pass --digest to read them.");
        }
    }

    fn method(&mut self, output: &InspectOutput, method: &MethodOutput) {
        let instructions = &method.instructions;
        let counts =
            [counted(method.values.tensor.len() as u64, "value"), counted(instructions.rows() as u64, "instruction")];
        self.heading(&format!("Method {}: {}", quoted(&method.name), counts.join(", ")));
        let ports = [("input", &method.inputs), ("output", &method.outputs)].into_iter().flat_map(|(kind, ports)| {
            ports.iter().enumerate().map(move |(number, port)| {
                let shown = usize::try_from(port.value).ok().and_then(|row| method.values.shown.get(row));
                let shown = shown.map_or_else(|| size_of(output, port.tensor), |shown| plain_line(shown, 32));
                [format!("{kind} {number}"), port.value.to_string(), output.type_of(port), shown]
            })
        });
        self.rows(["in and out", ">value", "type", ">bytes or value"], ports);
        let values = (0..method.values.tensor.len()).map(|row| {
            let place = method.values.place.get(row).unwrap_or_default();
            let part = usize::try_from(method.values.part[row]).ok().map(|part| output.bytes.parts.label(part));
            let name = method.values.name.get(row).map(str::to_owned).or(part);
            let shown = method.values.shown.get(row).map(str::to_owned);
            let name = name.or(shown).map_or(String::new(), |name| shortened(&plain_line(&name, usize::MAX), 28));
            [row.to_string(), value_type(output, method, row), place.to_owned(), name]
        });
        self.text.push('\n');
        self.rows([">value", "type", "place", "name or value"], values);
        let list = |values: &[i32]| {
            let shown: Vec<String> = values.iter().take(12).map(ToString::to_string).collect();
            shown.join(" ") + if values.len() > 12 { " …" } else { "" }
        };
        let rows = (0..instructions.rows()).map(|row| {
            let target = instructions.target[row];
            let what = match instructions.kind.get(row) {
                Some("kernel") => {
                    item(&method.operators.name, target).map_or("?".to_owned(), |name| plain_line(name, 40))
                }
                Some("delegate") => format!("delegate {target}"),
                Some("jump") => format!("jump to {target} if false"),
                kind => kind.unwrap_or("?").to_owned(),
            };
            [row.to_string(), what, list(instructions.args.get(row)), list(instructions.writes.get(row))]
        });
        self.text.push('\n');
        self.rows([">instruction", "runs", "values", "writes"], rows);
    }

    fn constant_methods(&mut self, output: &InspectOutput) {
        if output.constant_methods.is_empty() {
            return;
        }
        self.heading("Constant methods");
        let rows = output.constant_methods.iter().map(|method| {
            let values: Vec<String> = method.values.iter().map(|value| plain_line(value, 60)).collect();
            [plain_line(&method.name, 40), values.join(", ")]
        });
        self.rows(["method", "returns"], rows);
    }

    fn operators(&mut self, output: &InspectOutput) {
        if let Some(needs) = &output.needs {
            self.heading(&format!("Operators outside delegates: {}", needs.operators.len()));
            let mut operators: Vec<_> = needs.operators.iter().collect();
            operators.sort_by_key(|(_, operator)| std::cmp::Reverse(operator.calls));
            let rows = operators.into_iter().map(|(name, operator)| {
                let keys: Vec<&str> = operator.kernel_keys.iter().take(2).map(String::as_str).collect();
                let more = if operator.kernel_keys.len() > 2 {
                    format!(" and {} more", operator.kernel_keys.len() - 2)
                } else {
                    String::new()
                };
                let absent = operator
                    .absent_from
                    .as_ref()
                    .map_or(String::new(), |wheel| format!("not in the wheel of {wheel}; "));
                [plain_line(name, 48), operator.calls.to_string(), format!("{absent}{}{more}", keys.join(" "))]
            });
            self.rows(["operator", ">calls", "kernel keys"], rows);
        }
        let delegates = output
            .methods
            .iter()
            .flat_map(|method| method.delegates.iter().enumerate().map(move |each| (method, each)));
        let rows = delegates.map(|(method, (number, delegate))| {
            let about =
                delegate.states.iter().cloned().chain(delegate.settings.iter().map(|setting| plain_line(setting, 40)));
            let name = format!("{number} of {}", plain_line(&method.name, 24));
            [
                name,
                plain_line(&delegate.backend, 32),
                Size(delegate.bytes).to_string(),
                delegate.calls.to_string(),
                about.collect::<Vec<_>>().join("; "),
            ]
        });
        let rows: Vec<_> = rows.collect();
        self.heading(&format!("Delegates: {}", rows.len()));
        self.rows(["delegate", "backend", ">bytes", ">calls", "states"], rows.into_iter());
    }

    fn data(&mut self, output: &InspectOutput, input: &Input) {
        let parts = &output.bytes.parts;
        let mut rows: Vec<usize> = (0..parts.rows()).filter(|row| parts.role.get(*row) == Some("named-data")).collect();
        rows.sort_by_key(|row| parts.index[*row]);
        self.heading(&format!("Named data: {}", rows.len()));
        let most = self.most;
        let rows = rows.into_iter().enumerate().map(|(number, row)| {
            let [_, _, ty, size] = part_row(output, row);
            let name = shortened(&plain_line(&parts.label(row), usize::MAX), 44);
            let preview = (number < most).then(|| metadata(input, &parts.name[row], parts.span(row))).flatten();
            [name, size, preview.unwrap_or(ty)]
        });
        let rows: Vec<_> = rows.collect();
        self.rows(["key", ">bytes", "tensor or value"], rows.into_iter());
        let needed = output.needs.iter().flat_map(|needs| &needs.programs).flat_map(|program| &program.data);
        let rows = needed.map(|need| {
            let found = need.found_in.as_ref().map_or("in no file".to_owned(), |path| plain_line(path, 40));
            let ty = need
                .dtype
                .as_ref()
                .map_or(String::new(), |dtype| format!("{dtype} {:?}", need.sizes.as_deref().unwrap_or_default()));
            [shortened(&plain_line(&need.key, usize::MAX), 36), need.used_by.to_owned(), ty, found]
        });
        let rows: Vec<_> = rows.collect();
        if !rows.is_empty() {
            self.heading(&format!("Keys that the program looks up: {}", rows.len()));
            self.rows(["key", "used by", "tensor", "found in"], rows.into_iter());
        }
        let members: Vec<_> = (0..parts.rows()).filter(|row| parts.role.get(*row) == Some("member")).collect();
        if !members.is_empty() {
            self.heading(&format!("Members: {}", members.len()));
            let rows =
                members.into_iter().map(|row| [plain_line(&parts.name[row], 60), Size(parts.bytes[row]).to_string()]);
            self.rows(["member", ">bytes"], rows);
        }
    }

    fn header(&mut self, output: &InspectOutput) {
        self.heading(if output.header.is_empty() { "Header: none, or not readable" } else { "Header" });
        let rows =
            output.header.iter().map(|field| [field.name.to_owned(), field.value.to_string(), field.meaning.clone()]);
        self.rows(["field", ">value", "meaning"], rows);
        let segments = &output.segments;
        self.heading(&format!("Segments: {}", segments.offset.len()));
        let rows = (0..segments.offset.len()).map(|row| {
            let user = segments.users.get(row).unwrap_or("nothing").to_owned();
            [row.to_string(), format!("{:#x}", segments.offset[row]), Size(segments.bytes[row]).to_string(), user]
        });
        self.rows([">segment", ">in the file at", ">bytes", "used by"], rows);
    }
}

fn metadata(input: &Input, key: &str, span: Span) -> Option<String> {
    if !key.as_bytes().starts_with(PREFIX) {
        return None;
    }
    let preview = ValuePreview::at(input, span, DeclaredType::default().or_well_known(key.as_bytes()));
    Some(preview.map_or_else(|error| error.to_string(), |preview| preview.text()))
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", plain_line(name, 60))
}

fn value_type(output: &InspectOutput, method: &MethodOutput, value: usize) -> String {
    let tensor = method.values.tensor.get(value).and_then(|tensor| output.tensor_type(*tensor));
    tensor.map_or_else(|| method.values.ty.get(value).unwrap_or("?").to_owned(), TensorType::text)
}

fn size_of(output: &InspectOutput, tensor: Option<i32>) -> String {
    let Some(ty) = tensor.and_then(|tensor| output.tensor_type(tensor)) else { return String::new() };
    let bound = if ty.dynamism == "DYNAMIC_BOUND" { "≤ " } else { "" };
    ty.bytes.map_or("?".to_owned(), |bytes| format!("{bound}{}", Size(bytes)))
}
