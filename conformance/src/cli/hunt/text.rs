//! A campaign's text report.

use comfy_table::ContentArrangement;
use torchproof_harness::hunt::{Cluster, Store};
use torchproof_harness::text::counted;
use torchproof_harness::text::escape::{plain_line, plain_name};

use crate::page::table;

const OUTCOME: usize = 60;
const WHERE: usize = 30;

pub(super) fn place(cluster: &Cluster) -> &str {
    cluster.key.site.frames.first().or(cluster.key.rule.as_ref()).map_or("-", String::as_str)
}

pub(in crate::cli) fn text(store: &Store) -> String {
    let mut table = table(&["cluster", "reader", "where", ">times", ">bytes", "outcome"]);
    table.set_content_arrangement(ContentArrangement::Disabled);
    let mut findings = 0;
    let mut count = 0;
    for cluster in store.clusters() {
        let key = &cluster.key;
        findings += cluster.count;
        count += 1;
        table.add_row([
            cluster.id.clone(),
            plain_line(&key.reader, 40),
            plain_line(place(cluster), WHERE),
            cluster.count.to_string(),
            cluster.shrunk.unwrap_or(cluster.size).to_string(),
            plain_line(&cluster.evidence.outcome, OUTCOME),
        ]);
    }
    let mut text = String::new();
    if count > 0 {
        text = table.trim_fmt() + "\n\n";
        text += &store.clusters().map(|cluster| cluster.again.clone() + "\n").collect::<String>();
        text += "\n";
    }
    let folder = plain_name(&store.folder().to_string_lossy());
    text += &format!(
        "{folder}: {}, {} in {}",
        counted(store.next(), "file"),
        counted(findings, "finding"),
        counted(count, "cluster")
    );
    match store.clusters().filter(|cluster| cluster.is_to_shrink()).count() {
        0 => text + "\n",
        left => text + &format!(", {left} not shrunk yet; run the same command with --time 0s to continue shrinking\n"),
    }
}
