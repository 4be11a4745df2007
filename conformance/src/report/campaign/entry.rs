//! What a campaign report contains.

use serde::Serialize;
use torchproof::annotate::ByteMap;
use torchproof::check::Checker;
use torchproof::rules::Strength;
use torchproof_harness::hunt::{Cluster, Head, HuntError, Kind, Store, first_must};
use torchproof_harness::reader::crash::CrashReport;
use torchproof_harness::text::escape::{indented_line, plain, plain_line};

use crate::byte_map::{self, ChangedBytes, ShownRows};

#[derive(Debug, Serialize)]
pub(crate) struct CampaignReport {
    pub(super) version: String,
    pub(super) seed: u64,
    pub(super) files: u64,
    /// The clusters, the most severe first.
    pub(super) clusters: Vec<ClusterEntry>,
}

/// A cluster, as printable text.
#[derive(Debug, Serialize)]
pub(super) struct ClusterEntry {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) reader: String,
    pub(super) address: String,
    pub(super) outcome: String,
    pub(super) severity: Option<&'static str>,
    pub(super) count: u64,
    pub(super) frames: Vec<String>,
    /// The first must-rule that the files break: its id and its statement.
    pub(super) rule: Option<(&'static str, &'static str)>,
    pub(super) attack: String,
    pub(super) files: Vec<ReportedFile>,
    pub(super) stderr: String,
    /// A shell script that repeats the failure without torchproof.
    pub(super) script: String,
    pub(super) again: String,
}

#[derive(Debug, Serialize)]
pub(super) struct ReportedFile {
    pub(super) name: String,
    pub(super) size: usize,
    /// The annotated bytes, with brackets around the values that break a rule.
    pub(super) bytes: String,
}

/// The maximum size of a file that is shown in full.
const WHOLE: usize = 4096;
/// The maximum number of rows shown for a larger file.
const ROWS: usize = 120;
const LINE: usize = 400;
const STDERR_LINES: usize = 60;

impl CampaignReport {
    pub(crate) fn of(store: &Store, head: &Head) -> Result<Self, HuntError> {
        let mut clusters: Vec<&Cluster> = store.clusters().collect();
        clusters.sort_by_key(|one| (one.key.kind, std::cmp::Reverse((one.evidence.severity, one.count)), &one.id));
        Ok(Self {
            version: head.version.clone(),
            seed: head.seed,
            files: store.next(),
            clusters: clusters.into_iter().map(|one| ClusterEntry::of(store, head, one)).collect::<Result<_, _>>()?,
        })
    }
}

impl ClusterEntry {
    fn of(store: &Store, head: &Head, cluster: &Cluster) -> Result<Self, HuntError> {
        let bytes = store.smallest(cluster)?;
        let stderr = store.stderr(cluster)?;
        let frames = CrashReport::of(&stderr).map(|report| report.frames).unwrap_or_default();
        let frames: Vec<String> = frames.iter().map(|frame| plain_line(&frame.to_string(), LINE)).collect();
        let all: Vec<&[u8]> = bytes.iter().map(Vec::as_slice).collect();
        let rule = first_must(&all).map(|rule| (rule.id, rule.statement));
        let names: Vec<String> = cluster.roles().iter().map(|(_, end)| format!("{}.{end}", cluster.id)).collect();
        let files = names.iter().zip(&bytes).map(|(name, bytes)| ReportedFile {
            name: name.clone(),
            size: bytes.len(),
            bytes: annotated(bytes),
        });
        let evidence = &cluster.evidence;
        let label = &cluster.label;
        let shrunk = if cluster.shrunk.is_some() { "; shrunk later, possibly without this change" } else { "" };
        Ok(Self {
            id: cluster.id.clone(),
            title: title(cluster, frames.first().map(String::as_str)),
            reader: plain_line(&cluster.key.reader, LINE),
            address: plain_line(&evidence.address, LINE),
            outcome: plain_line(&evidence.outcome, LINE),
            severity: evidence.severity.map(torchproof_harness::reader::crash::Severity::name),
            count: cluster.count,
            attack: plain_line(&format!("{} on {}{shrunk}", label.attack, label.base), LINE),
            script: super::reproduction::script(cluster, &head.working_folder, &names, &bytes),
            again: cluster.again.clone(),
            files: files.collect(),
            stderr: shortened(&stderr),
            rule,
            frames,
        })
    }
}

/// Returns what failed and where, in a few words.
fn title(cluster: &Cluster, frame: Option<&str>) -> String {
    let words = match cluster.key.kind {
        Kind::Crash => "crash",
        Kind::Hang => "no reply within the time limit",
        Kind::Resource => "exhausted memory",
        Kind::AcceptsInvalid => "accepts an invalid file",
        Kind::RejectsValid => "rejects a valid file",
        Kind::Disagrees => "disagreement about a file",
        Kind::AdapterError => "adapter error",
    };
    match (frame, &cluster.key.rule) {
        (Some(frame), _) => format!("{words} in {frame}"),
        (None, Some(rule)) => format!("{words} ({rule})"),
        (None, None) => words.to_owned(),
    }
}

/// Returns the byte map of a file, with brackets around the values that break must-rules.
fn annotated(bytes: &[u8]) -> String {
    let report = Checker::new().check(bytes);
    let broken = report.findings.iter().filter(|finding| finding.rule.strength == Strength::Must);
    let marked: Vec<ChangedBytes> = broken.map(|finding| ChangedBytes { span: finding.span, longer: 0 }).collect();
    let shown = if bytes.len() <= WHOLE { ShownRows::All } else { ShownRows::First(ROWS) };
    plain(&byte_map::render(bytes, &ByteMap::of(bytes), &marked, shown))
}

fn shortened(stderr: &str) -> String {
    let mut lines: Vec<String> = stderr.lines().take(STDERR_LINES).map(|line| indented_line(line, LINE)).collect();
    let omitted = stderr.lines().count().saturating_sub(STDERR_LINES);
    if omitted > 0 {
        lines.push(format!("({omitted} more lines)"));
    }
    lines.join("\n")
}
