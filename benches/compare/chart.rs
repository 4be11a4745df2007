//! Nanoseconds a table against the number of tables, both axes logarithmic, as SVG.

use std::fmt::Write;

use crate::figure::Figure;
use crate::report::names::{CHECK, CPP, CPP_DATA, INTERNAL, MEMCPY, MINIMAL, PAGES, RUST, STRUCTURE, TORCHPROOF};
use crate::report::per_table;

/// Each subject, with a colour that can be told from the others by those who see few, and its dashes.
const SUBJECTS: [(&str, &str, &str); 9] = [
    (TORCHPROOF, "#d55e00", ""),
    (STRUCTURE, "#e69f00", "6 3"),
    (CPP, "#0072b2", ""),
    (RUST, "#009e73", ""),
    (MINIMAL, "#56b4e9", "2 3"),
    (INTERNAL, "#56b4e9", ""),
    (CPP_DATA, "#cc79a7", ""),
    (MEMCPY, "#999999", "2 3"),
    (PAGES, "#555555", "1 4"),
];

/// The plots' size, and what is around each.
const WIDTH: f64 = 430.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 60.0;
const TOP: f64 = 40.0;
const NEXT: f64 = WIDTH + 70.0;
const LEGEND: f64 = 250.0;
/// Powers of ten at the ends of the axes: tables, and nanoseconds a table.
const TABLES: (i32, i32) = (1, 6);
const TIME: (i32, i32) = (-3, 4);

/// Two plots side by side, programs and data files, and the legend.
pub(crate) fn svg(figures: &[Figure]) -> String {
    let (width, height) = (LEFT + 2.0 * NEXT + LEGEND, TOP + HEIGHT + 55.0);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<title>Nanoseconds a table by number of tables</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    );
    for (index, (kind, title)) in [("pte", "programs"), ("ptd", "data files")].into_iter().enumerate() {
        let left = LEFT + index as f64 * NEXT;
        axes(&mut text, left, title);
        for (subject, colour, dashes) in SUBJECTS {
            let own = |figure: &&Figure| {
                figure.name == CHECK
                    && figure.subject == subject
                    && figure.input.starts_with(kind)
                    && figure.input.ends_with(" tables")
            };
            let points = figures.iter().filter(own).filter_map(|figure| {
                let (x, y) = (along(figure.tables? as f64, TABLES), along(per_table(figure)?, TIME));
                Some(format!("{:.1},{:.1}", left + x * WIDTH, TOP + (1.0 - y) * HEIGHT))
            });
            let points: Vec<String> = points.collect();
            if !points.is_empty() {
                let _ = writeln!(
                    text,
                    "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" \
                     stroke-dasharray=\"{dashes}\"><title>{subject}</title></polyline>",
                    points.join(" ")
                );
            }
        }
    }
    for (index, (subject, colour, dashes)) in SUBJECTS.into_iter().enumerate() {
        let (x, y) = (LEFT + 2.0 * NEXT - 40.0, TOP + 14.0 + 22.0 * index as f64);
        let _ = writeln!(
            text,
            "<line x1=\"{x}\" y1=\"{y}\" x2=\"{}\" y2=\"{y}\" stroke=\"{colour}\" stroke-width=\"2\" \
             stroke-dasharray=\"{dashes}\"/><text x=\"{}\" y=\"{}\">{subject}</text>",
            x + 30.0,
            x + 38.0,
            y + 4.0
        );
    }
    text + "</svg>\n"
}

/// Where a number is along a logarithmic axis, 0 to 1; what is beyond its ends is at them.
fn along(number: f64, (first, last): (i32, i32)) -> f64 {
    ((number.log10() - f64::from(first)) / f64::from(last - first)).clamp(0.0, 1.0)
}

fn axes(text: &mut String, left: f64, title: &str) {
    let (bottom, right) = (TOP + HEIGHT, left + WIDTH);
    let _ = writeln!(text, "<text x=\"{left}\" y=\"{}\" font-size=\"15\">{title}</text>", TOP - 16.0);
    for power in TABLES.0..=TABLES.1 {
        let x = left + along(10_f64.powi(power), TABLES) * WIDTH;
        let _ = writeln!(
            text,
            "<line x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{bottom}\" stroke=\"#dddddd\"/>\
             <text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            bottom + 16.0,
            10_u64.pow(power.unsigned_abs())
        );
    }
    for power in TIME.0..=TIME.1 {
        let y = TOP + (1.0 - along(10_f64.powi(power), TIME)) * HEIGHT;
        let _ = writeln!(
            text,
            "<line x1=\"{left}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\" stroke=\"#dddddd\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            left - 6.0,
            y + 4.0,
            10_f64.powi(power)
        );
    }
    let middle = left + WIDTH / 2.0;
    let _ = writeln!(text, "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">tables</text>", bottom + 36.0);
    let side = left - 46.0;
    let _ = writeln!(
        text,
        "<text x=\"{side}\" y=\"{0}\" text-anchor=\"middle\" transform=\"rotate(-90 {side} {0})\">ns a table</text>",
        TOP + HEIGHT / 2.0
    );
}
