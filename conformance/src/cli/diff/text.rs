//! The changes as text.

use std::fmt::Write;

use torchproof_harness::text::counted;
use torchproof_harness::text::escape::{plain, plain_line};
use torchproof_model::diff::{Change, DiffOutput};

use crate::cli::page;
use crate::fields::words::shortened;
use crate::page::size::Size;
use crate::page::{Page, table};

/// The number of changes that are printed without `--all`.
const FIRST: usize = 20;

pub(super) fn text(found: &DiffOutput, all: bool) -> String {
    let page = Page { width: page().of_list().width, color: false };
    let name = |name: &str| plain_line(name, 64);
    let (a, b) = (&found.a, &found.b);
    let mut text = format!("{} ({}) -> {} ({})\n", name(&a.name), Size(a.bytes), name(&b.name), Size(b.bytes));
    if found.same {
        return plain(&(text + "no difference that a reader sees\n"));
    }
    let sizes = found.sizes.iter().filter(|size| size.a != size.b);
    let mut rows = table(&["size by role", ">A", ">B", ">change"]);
    for size in sizes {
        let role = size
            .backend
            .as_ref()
            .map_or(size.role.clone(), |backend| format!("{} {}", size.role, plain_line(backend, 32)));
        rows.add_row([role, Size(size.a).to_string(), Size(size.b).to_string(), signed(size.a, size.b)]);
    }
    if rows.row_count() > 0 {
        let _ = writeln!(text, "\n{}", rows.trim_fmt());
    }
    let build = [
        ("operators", &found.build.operators),
        ("backends", &found.build.backends),
        ("kernel keys", &found.build.kernel_keys),
    ];
    let added = build.iter().filter(|(_, names)| !names.is_empty());
    let mut is_first = true;
    for (what, names) in added {
        if std::mem::take(&mut is_first) {
            text.push('\n');
        }
        let shown: Vec<String> = names.iter().take(8).map(|name| plain_line(name, 60)).collect();
        let more = if names.len() > 8 { format!(" and {} more", names.len() - 8) } else { String::new() };
        text += &page.wrapped("", "  ", &format!("a build for A must add the {what} {}{more}", shown.join(", ")));
    }
    let _ = writeln!(text, "\n{}", counted(found.changes.len() as u64, "change"));
    let most = if all { usize::MAX } else { FIRST };
    for change in found.changes.iter().take(most) {
        text += &page.wrapped(" ", "     ", &line(change));
    }
    if found.changes.len() > most {
        let _ = writeln!(text, " … and {} more; --all lists them", found.changes.len() - most);
    }
    if found.unread > 0 {
        let _ = writeln!(text, "{} not compared, because their bytes could not be read", counted(found.unread, "part"));
    }
    plain(&text)
}

/// One line about a change, such as `constant l.weight: FLOAT [4, 8] -> HALF [4, 8]`.
pub(super) fn line(change: &Change) -> String {
    let name = shortened(&plain_line(&change.name, usize::MAX), 48);
    let what = if name.starts_with(change.kind) { String::new() } else { format!("{} ", change.kind) };
    let of = change.method.as_ref().map_or(String::new(), |method| format!(" of {}", plain_line(method, 32)));
    let state = |text: &Option<String>| text.as_ref().map(|text| plain_line(text, 160));
    let states = match (state(&change.a), state(&change.b)) {
        (Some(a), Some(b)) => format!("{a} -> {b}"),
        (Some(a), None) => format!("removed, was {a}"),
        (None, Some(b)) => format!("added, {b}"),
        (None, None) => String::new(),
    };
    let size = match (change.bytes_a, change.bytes_b) {
        (Some(a), Some(b)) if a != b => format!("; {}", signed(a, b)),
        _ => String::new(),
    };
    let distance = change.distance.as_ref().map_or(String::new(), |distance| {
        let (differ, elements) = (distance.differ, distance.elements);
        format!(
            "; {differ} of {elements} elements differ, by at most {:.3e}, on average {:.3e}",
            distance.max, distance.mean
        )
    });
    format!("{what}{name}{of}: {states}{size}{distance}")
}

/// A size change, such as `+1.0 KiB (1024)`.
pub(super) fn signed(a: u64, b: u64) -> String {
    match b.checked_sub(a) {
        Some(0) => "0".to_owned(),
        Some(more) => format!("+{}", Size(more)),
        None => format!("-{}", Size(a - b)),
    }
}
