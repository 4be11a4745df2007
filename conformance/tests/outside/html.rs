//! Tests `--report html=FILE` in headless Chromium: the matrix, the filters, the panel of a cell and the keyboard. Also
//! tests a small window, a dark color scheme, and a browser without JavaScript.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use serde_json::json;
use torchproof::Stage;
use torchproof_cli::report::RerunCommand;

use crate::browser::Browser;
use crate::need::{self, Need, trials};
use libtest_mimic::Trial;
use testkit::corpus::{TestCorpus, faux, report_of_every_outcome};

/// A report about the real corpus, with readers that fail in different ways.
fn real() -> &'static Path {
    static PAGE: LazyLock<PathBuf> = LazyLock::new(|| {
        let folder = testkit::scratch("html");
        let page = folder.join("real.html");
        let status = Command::new(env!("CARGO_BIN_EXE_torchproof"))
            .args(["run", "--reader", "builtin:reference", "--reader", "builtin:accept-all"])
            .args(["--reader", "builtin:reject-all", "--reader", "builtin:flatbuffers", "--report"])
            .arg(format!("html={}", page.display()))
            .arg("--results")
            .arg(folder.join("real-html.jsonl"))
            .current_dir(testkit::repository())
            .stdout(std::process::Stdio::null())
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(1));
        page
    });
    &PAGE
}

/// Shows all cases. If there are failures, the page shows only failures at first.
fn show_all(browser: &mut Browser) {
    browser.click("button[type=reset]");
    browser.wait(&format!("{SHOWN} === document.querySelectorAll('tr.case').length"));
}

/// Filters the table by the text. The table draws only visible rows.
fn search(browser: &mut Browser, text: &str) {
    browser.ask(&format!(
        "(() => {{ const field = document.querySelector('input[type=search]'); field.value = {text:?};
            field.dispatchEvent(new Event('input', {{bubbles: true}})); }})()"
    ));
}

/// The number of cases in the table, in JavaScript.
const SHOWN: &str = "(Number(document.querySelector('.grid').getAttribute('aria-rowcount')) - 1)";

/// The ids of the cases in the table, in JavaScript that scrolls through all of them.
const LISTED: &str = "(() => { const [grid, ids] = [document.querySelector('.grid'), []];
    for (let top = 0; top === 0 || top < grid.scrollHeight; top += 300) {
        grid.scrollTop = top; grid.dispatchEvent(new Event('scroll'));
        ids.push(...[...grid.querySelectorAll('[role=rowheader] a')].map(link => link.textContent));
    }
    grid.scrollTop = 0; grid.dispatchEvent(new Event('scroll')); return new Set(ids); })()";

/// The cell of the table that has the focus, in JavaScript.
const CURRENT: &str = "document.getElementById(document.activeElement.getAttribute('aria-activedescendant'))";

fn a_cell_opens_its_case_with_bytes_control_rule_and_command() {
    let mut browser = Browser::start(real());
    assert_eq!(browser.ask("document.querySelector('.panel.open')"), json!(null));
    search(&mut browser, "length-23");
    browser.click("a[href='#pte%2Fheader%2Flength-23%3A1']");
    browser.wait("document.querySelector('.panel.open')?.id === 'pte/header/length-23'");
    let article = browser.ask("document.querySelector('article.at').innerText");
    let article = article.as_str().unwrap();
    assert!(article.contains("accept-all"), "{article}");
    let command = "torchproof run --reader builtin:accept-all --cases pte/header/length-23";
    assert!(article.contains(command), "{article}");
    let marks = browser.ask("[...document.querySelectorAll('.panel.open mark')].map(mark => mark.textContent)");
    let marks: Vec<&str> = marks.as_array().unwrap().iter().map(|mark| mark.as_str().unwrap()).collect();
    assert!(marks.len() == 2 && marks[0].contains("[17 00 00 00]") && marks[1].contains("[20 00 00 00]"), "{marks:?}");
    let rule = torchproof::rules::get("eh-length-min").unwrap();
    let shown = browser.ask("document.querySelector('.panel.open').textContent");
    let shown = shown.as_str().unwrap();
    assert!(shown.contains(rule.statement) && shown.contains(rule.explanation().rationale), "{shown}");

    let explain = browser.ask("document.querySelector('.explain').textContent");
    assert_eq!(explain, "torchproof explain pte/header/length-23");
    let without_bytes = "Object.entries(JSON.parse(document.querySelector('#data').textContent).cases).filter(([, entry]) => !entry.detail.rows).map(([id]) => id)";
    assert_eq!(browser.ask(without_bytes), json!([]), "every case has bytes");
    browser.click(".panel.open .close");
    browser.wait(&format!("!document.querySelector('.panel.open') && {CURRENT}.textContent === 'accepts-invalid'"));
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}

/// Even for passed or skipped cases, the page must build the same command as the Rust code, including shell quoting.
fn every_cell_has_the_command_that_repeats_it() {
    let corpus = TestCorpus::new("html-commands")
        .accept("pte/a/control", "accept")
        .reject("pte/a/bad", "reject structure", Stage::Header, "pte/a/control")
        .accept("pte/a/it's {odd} & $HOME", "accept")
        .accept("ptd/a/refused", "reject structure")
        .write();
    let readers = [faux("exec", "worker pte-only"), "builtin:accept-all".to_owned()];
    let [faux, accept_all] = readers.each_ref().map(String::as_str);
    let args = ["--delivery", "file", "--memory-mb", "2048", "--reader", faux, "--reader", accept_all];
    let (code, page, stderr) = corpus.reported("html", &args);
    assert_eq!((code, stderr.as_str()), (1, ""));
    let path = testkit::scratch("html").join("commands.html");
    fs::write(&path, page).unwrap();
    let folder = corpus.folder().to_str().unwrap();
    let rerun = RerunCommand::new(["--corpus", folder, "--memory-mb", "2048"].map(str::to_owned));

    let mut browser = Browser::start(&path);
    show_all(&mut browser);
    let mut grades = BTreeSet::new();
    for case in ["pte/a/control", "pte/a/bad", "pte/a/it's {odd} & $HOME", "ptd/a/refused"] {
        for (at, reader) in readers.iter().enumerate() {
            // Only the first visit to a cell builds its panel.
            for _ in 0..2 {
                let hash =
                    browser.ask(&format!("encodeURIComponent('{}')", format!("{case}:{at}").replace('\'', "\\'")));
                let link = format!(".rows a[href=\"#{}\"]", hash.as_str().unwrap());
                grades.insert(browser.ask(&format!("document.querySelector({link:?}).textContent")).to_string());
                browser.click(&link);
                browser.wait(&format!("document.querySelector('.panel.open')?.id === {case:?}"));
                let said = browser
                    .ask("[...document.querySelectorAll('article.at .command')].map(command => command.textContent)");
                assert_eq!(said, json!([rerun.command(reader, case) + " --delivery file"]), "{case}");
                browser.click(".panel.open .close");
                browser.wait("!document.querySelector('.panel.open')");
            }
        }
    }
    let all = ["\"accepts-invalid\"", "\"late-reject\"", "\"pass\"", "\"rejects-valid\"", "\"skip\""];
    assert!(grades.iter().all(|grade| all.contains(&grade.as_str())), "{grades:?}");
    assert!(["\"pass\"", "\"skip\""].iter().all(|grade| grades.contains(*grade)) && grades.len() > 2, "{grades:?}");
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}

fn filters_keep_the_selected_cases() {
    let mut browser = Browser::start(real());
    let lists = |condition: &str| {
        format!(
            "(ids => [...document.querySelectorAll('tr.case')].every(row =>
                ids.has(row.querySelector('a').textContent) === Boolean({condition})))({LISTED})"
        )
    };
    assert_eq!(browser.ask(&lists("row.querySelector('td.bad')")), true, "the page begins with the failures");
    show_all(&mut browser);
    let all = browser.ask(SHOWN).as_u64().unwrap();
    let choose = |browser: &mut Browser, name: &str, value: &str| {
        browser.ask(&format!(
            "(() => {{ const field = document.querySelector('.filters').elements[{name:?}]; field.value = {value:?};
                field.dispatchEvent(new Event('input', {{bubbles: true}})); return field.value; }})()"
        ))
    };
    let shown = |browser: &mut Browser| browser.ask(SHOWN).as_u64().unwrap();
    for (name, value, condition) in [
        ("rule", "eh-length-min", "row.dataset.rule === 'eh-length-min'"),
        ("grade", "accepts-invalid", "row.querySelector('td[data-grade=accepts-invalid]')"),
        ("grade", "*bad", "row.querySelector('td.bad')"),
        ("grade", "*differ", "row.dataset.differs !== undefined"),
        ("area", "ptd/header", "row.querySelector('a').textContent.startsWith('ptd/header/')"),
        ("stage", "method", "row.dataset.stage === 'method'"),
    ] {
        assert_eq!(choose(&mut browser, name, value), value);
        assert_eq!(browser.ask(&lists(condition)), true, "{name} {value}");
        let some = shown(&mut browser);
        assert!(some > 0 && some < all, "{name} {value}: {some}");
        let status = browser.ask("document.querySelector('output').textContent.replaceAll(',', '')");
        assert_eq!(status, format!("{some} of {all} cases"));
        choose(&mut browser, name, "");
        assert_eq!(shown(&mut browser), all);
    }
    // `reject-all` accepts no file, so no case matches.
    choose(&mut browser, "grade", "accepts-invalid");
    choose(&mut browser, "reader", "2");
    assert_eq!(shown(&mut browser), 0);
    let status = browser.ask("document.querySelector('output').textContent.replaceAll(',', '')");
    assert_eq!(status, format!("0 of {all} cases"));
    browser.click("button[type=reset]");
    browser.wait(&format!("{SHOWN} === {all}"));

    browser.click("input[type=search]");
    browser.write("length-23");
    browser.wait(&format!("{SHOWN} === 1"));
    browser.click("button[type=reset]");
    browser.wait(&format!("{SHOWN} === {all}"));
    // `accept-all` and `reject-all` never have equal outcomes.
    assert_eq!(browser.ask("document.querySelector('tr.case small').textContent.length > 3"), true);
    let unequal = "[...document.querySelectorAll('tr.case')].filter(row => row.dataset.differs !== undefined).length";
    assert!(browser.ask(unequal).as_u64().unwrap() > all / 2);
    // Clicking a count in the summary sets a filter.
    let count = browser.ask("Number(document.querySelector('.summary tbody tr:nth-child(2) button.bad').textContent)");
    browser.click(".summary tbody tr:nth-child(2) button.bad");
    browser.wait(&format!("{SHOWN} === {count}"));
}

fn the_keyboard_reaches_everything() {
    let mut browser = Browser::start(real());
    browser.ask("document.querySelector('.filters button').focus()");
    browser.press("Tab");
    assert_eq!(browser.ask("document.activeElement.type"), "search");
    browser.press("Tab");
    // For the tab key, the table is a single element. The focus on it must be visible.
    let case = |at: usize| format!("[...{LISTED}][{at}]");
    let first = browser.ask(&case(0));
    let current = format!("{CURRENT}.closest('.row').querySelector('a').textContent");
    assert_eq!(browser.ask(&current), first);
    assert_eq!(browser.ask(&format!("getComputedStyle({CURRENT}).outlineStyle")), "solid");
    assert_eq!(browser.ask("document.querySelectorAll('.rows a:not([tabindex=\"-1\"])').length"), 0);
    browser.press("ArrowDown");
    let second = browser.ask(&case(1));
    assert_eq!(browser.ask(&current), second);
    browser.press("ArrowRight");
    browser.press("ArrowRight");
    let column = format!("[...{CURRENT}.parentElement.children].indexOf({CURRENT})");
    assert_eq!(browser.ask(&column), 2);
    browser.press("End");
    assert_eq!(browser.ask(&column), 4);
    browser.press("ArrowUp");
    browser.press("Enter");
    browser.wait(&format!("document.querySelector('.panel.open')?.id === {first}"));
    assert_eq!(browser.ask("document.activeElement.id"), "panel-name");
    browser.press("Escape");
    browser.wait("!document.querySelector('.panel.open')");
    assert_eq!(browser.ask(&column), 4);
    // The accessible names match the visible text, and the accessibility tree has a grid with rows and cells.
    let roles = browser.call("Accessibility.getFullAXTree", &json!({}));
    let roles: Vec<&str> =
        roles["nodes"].as_array().unwrap().iter().filter_map(|node| node["role"]["value"].as_str()).collect();
    for role in ["grid", "row", "gridcell", "rowheader", "columnheader", "searchbox", "status"] {
        assert!(roles.contains(&role), "nothing has the role {role}");
    }
    assert_eq!(
        browser.ask("[...document.querySelectorAll('input, select')].every(field => field.labels.length)"),
        true
    );
}

fn fits_a_phone_without_horizontal_scrolling() {
    let mut browser = Browser::start(real());
    for dark in [false, true] {
        browser.window(390, 844, dark);
        browser.open(real());
        assert_eq!(browser.ask("document.documentElement.scrollWidth <= innerWidth"), true);
        let hint = "[document.querySelector('.more').checkVisibility(), document.querySelector('.scroll').scrollWidth > innerWidth]";
        assert_eq!(browser.ask(hint), json!([true, true]), "a hint shows that the summary scrolls");
        search(&mut browser, "length-23");
        browser.click("a[href='#pte%2Fheader%2Flength-23%3A1']");
        browser.wait("document.querySelector('.panel.open')");
        let wide = "[document.documentElement, document.querySelector('.panel.open')]
            .every(part => part.scrollWidth <= innerWidth)";
        assert_eq!(browser.ask(wide), true);
        browser.click(".panel.open .close");
    }
    let back = |browser: &mut Browser| browser.ask("getComputedStyle(document.body).backgroundColor");
    let dark = back(&mut browser);
    browser.window(390, 844, false);
    assert_ne!(back(&mut browser), dark);
}

fn escapes_markup_of_readers() {
    let page = testkit::scratch("html").join("hostile.html");
    fs::write(&page, report_of_every_outcome("html", "html-hostile")).unwrap();
    let mut browser = Browser::start(&page);
    for width in [1280, 390] {
        browser.window(width, 844, false);
        browser.open(&page);
        assert_eq!(browser.ask("document.querySelectorAll('img, b').length"), 0);
        assert_eq!(browser.ask("document.querySelectorAll('script').length"), 2);
        assert_eq!(browser.ask("document.title"), "torchproof: 12 cases, 4 readers");
        let names = browser.ask("document.querySelector('.matrix thead .name').textContent");
        assert_eq!(names, "<b>faux</b>|*&\"'`#{0}]]>");
        assert_eq!(browser.ask("document.documentElement.scrollWidth <= innerWidth"), true);
        browser.click("a[href='#pte%2Fa%2Frefused%3A0']");
        browser.wait("document.querySelector('article.at')");
        let shown = browser.ask("document.querySelector('article.at .explained').textContent");
        assert!(shown.as_str().unwrap().contains("<img src=x onerror=document.title=1>|**b**"), "{shown}");
        browser.click(".panel.open .close");
        browser.click("a[href='#pte%2Fa%2Fpanics%3A0']");
        browser.wait("document.querySelector('article.at .stderr')?.textContent.includes('as ordered')");
    }
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}

fn the_matrix_is_readable_without_scripts() {
    let mut browser = Browser::start(real());
    browser.call("Emulation.setScriptExecutionDisabled", &json!({"value": true}));
    browser.open(real());
    assert_eq!(browser.ask("document.querySelector('.filters').checkVisibility()"), false);
    let visible = "[...document.querySelectorAll('tr.case')].every(row => row.checkVisibility())";
    assert_eq!(browser.ask(visible), true);
    assert!(browser.ask("document.querySelectorAll('tr.case').length").as_u64().unwrap() > 100);
    assert_eq!(browser.ask("document.querySelector('noscript .note, .note').checkVisibility()"), true);
}

fn the_page_is_self_contained_and_small() {
    let page = fs::read_to_string(real()).unwrap();
    let cases = torchproof::corpus::all().count();
    assert!(page.len() <= 3_200 * cases, "{} bytes for {cases} cases", page.len());
    assert!(!page.contains("{{") && !page.contains("{%"), "a template was left as it is");
    for outside in ["src=", "url(", "@import", "<link", "http-equiv=\"refresh"] {
        assert!(!page.contains(outside), "{outside}");
    }
}

pub(crate) fn trials() -> Vec<Trial> {
    trials![
        [Need::Tool(need::CHROMIUM)];
        a_cell_opens_its_case_with_bytes_control_rule_and_command, every_cell_has_the_command_that_repeats_it,
        filters_keep_the_selected_cases, the_keyboard_reaches_everything, fits_a_phone_without_horizontal_scrolling,
        escapes_markup_of_readers, the_matrix_is_readable_without_scripts;
        []; the_page_is_self_contained_and_small
    ]
}
