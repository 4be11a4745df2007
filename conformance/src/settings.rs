//! **The settings file** `torchproof.toml`: settings of `check`, `gate` and `run`, and the findings that a project allows.

use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use globset::{GlobBuilder, GlobMatcher, GlobSet, GlobSetBuilder};
use serde::Deserialize;
use toml::Spanned;
use torchproof_harness::disk::io_error::cannot_read;
use torchproof_harness::disk::named::OwnFolder;
use torchproof_harness::disk::open::{open_argument, text_up_to};
use torchproof_harness::text::escape::{plain_line, plain_name};

use crate::paths::sources::search;

pub(crate) const SETTINGS_FILE: &str = "torchproof.toml";

const MAX_SETTINGS: u64 = 1 << 20;

/// The content of `torchproof.toml`.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct SettingsFile {
    #[serde(default)]
    check: CheckSettings,
    #[serde(default)]
    build: BuildSettings,
    #[serde(default)]
    gate: GateSettings,
    #[serde(default)]
    run: RunSettings,
    /// The findings and differences that the project allows.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<AllowEntry>"))]
    allow: Vec<Spanned<AllowEntry>>,
}

/// Settings of `torchproof check`. Options on the command line take precedence.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct CheckSettings {
    /// `true` to count should-rules as must-rules.
    pub deny_should: bool,
    /// `true` to reject programs with unresolved external tensors.
    pub require_data: bool,
    /// The glob for `--pair-with`.
    pub pair_with: Option<String>,
    /// Globs for files that `check` skips when it searches folders and globs, relative to the folder of
    /// `torchproof.toml`. A file named on the command line is always checked.
    pub exclude: Vec<String>,
}

/// The builds of the runtime that load the project's files.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct BuildSettings {
    /// The profiles that `check` uses unless the command line has `--build`: names such as `wheel:1.5.1`, or paths
    /// relative to the folder of `torchproof.toml` and below it.
    pub profiles: Vec<String>,
}

/// Settings of `torchproof gate`. Options on the command line take precedence.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct GateSettings {
    /// `true` to fail even for a difference that breaks only source code.
    pub deny_source_breaks: bool,
    /// Folders with included schemas, relative to the folder of `torchproof.toml`.
    pub include: Vec<PathBuf>,
}

/// Settings of `torchproof run` and of all other commands that start readers.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct RunSettings {
    /// Environment variables to pass to readers, in addition to the variables that `--env` names.
    pub env: Vec<String>,
}

/// A finding or a difference that the project allows.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct AllowEntry {
    /// The id of a rule, or of a kind of difference that `torchproof gate` prints in brackets, such as `field-removed`.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    rule: String,
    /// A glob for the path of the checked file, relative to the folder of `torchproof.toml`; it may begin with `..`.
    /// For a kind of difference between two runs, it is a glob for the ids of cases.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    path: String,
    /// A glob for the subject of a difference: the name that `torchproof gate` prints before the change, such as
    /// `Tensor.size`. For `gate files`, the subject does not contain the file's name. For a difference between two
    /// runs, the subject is the reader's name, without the case's id.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    subject: Option<String>,
    /// The reason, written by a person. Text, JSON and SARIF print it with each allowed finding.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = r"\S")))]
    reason: String,
}

#[derive(Debug, Default)]
pub struct ProjectSettings {
    pub check: CheckSettings,
    pub build: BuildSettings,
    pub gate: GateSettings,
    pub run: RunSettings,
    path: PathBuf,
    excluded: GlobSet,
    allowed: Vec<Allowed>,
}

#[derive(Debug)]
struct Allowed {
    rule: String,
    glob: String,
    paths: GlobMatcher,
    subjects: Option<GlobMatcher>,
    reason: String,
    /// The folder of all files that the glob can match, relative to the settings folder.
    base: PathBuf,
    line: usize,
    /// `true` if the command checked something that the glob matches, or a folder that contains all possible matches.
    checked: AtomicBool,
    /// `true` if the entry allowed a finding.
    used: AtomicBool,
    /// Whether the glob matches a file on disk. Found out only if the glob matches no checked file.
    exists: OnceLock<bool>,
}

impl ProjectSettings {
    /// Loads the settings file `given`, or the nearest `torchproof.toml` in the current folder or a parent. `kinds` are
    /// the ids of all kinds of differences.
    pub fn load(given: Option<&Path>, kinds: &[&str]) -> Result<Self, String> {
        let nearest = || {
            let current = std::env::current_dir().ok()?;
            let found = current.ancestors().map(|folder| folder.join(SETTINGS_FILE)).find(|path| path.is_file())?;
            // Name a file in the current folder without the folder.
            Some(found.strip_prefix(&current).map_or_else(|_| found.clone(), Path::to_owned))
        };
        let Some(path) = given.map(Path::to_owned).or_else(nearest) else { return Ok(Self::default()) };
        // If the user did not name the file, it must not be a link that leads elsewhere, because errors could quote
        // that file.
        let open = match given {
            Some(_) => open_argument(&path),
            None => OwnFolder::of(&path).and_then(|own| own.open(SETTINGS_FILE)),
        };
        let text = open.and_then(|file| text_up_to(file, MAX_SETTINGS));
        let text = text.map_err(|error| cannot_read(&path, &error))?;
        Self::parse(&path, &text, kinds)
    }

    /// Parses the text of a settings file as [`load`](Self::load) does. Errors name `path`.
    pub fn parse(path: &Path, text: &str, kinds: &[&str]) -> Result<Self, String> {
        let at = |offset: usize, message: &str| {
            // The message may quote the file, so escape control characters.
            let message = plain_line(message, usize::MAX);
            format!("{}:{}: {message}", plain_name(&path.to_string_lossy()), line_of(text, offset))
        };
        let file: SettingsFile = toml::from_str(text).map_err(|error| {
            let offset = error.span().map_or(0, |span| span.start);
            at(offset, error.message())
        })?;
        let allowed = file.allow.into_iter().map(|entry| {
            let offset = entry.span().start;
            let AllowEntry { rule, path, subject, reason } = entry.into_inner();
            let is_kind = kinds.contains(&&*rule);
            if !is_kind && torchproof::rules::get(&rule).is_none() {
                let known = "`torchproof explain` lists the rules, and `torchproof gate` prints kinds in brackets";
                let message = format!("found no rule or kind of difference `{}`; {known}", plain_name(&rule));
                return Err(at(offset, &message));
            }
            if reason.trim().is_empty() {
                return Err(at(offset, "found an empty reason, expected why the finding is allowed"));
            }
            if !is_kind && subject.is_some() {
                return Err(at(offset, "found `subject` for a rule, expected it for a kind of difference; remove it"));
            }
            let glob = normal_glob(&path);
            let base: PathBuf = glob.split('/').take_while(|part| !part.contains(SPECIAL)).collect();
            let matcher = |glob: &str, literal_separator| {
                let built = GlobBuilder::new(glob).literal_separator(literal_separator).build();
                built.map(|glob| glob.compile_matcher()).map_err(|error| at(offset, &error.to_string()))
            };
            Ok(Allowed {
                rule,
                paths: matcher(&glob, true)?,
                subjects: subject.map(|subject| matcher(&subject, false)).transpose()?,
                glob,
                reason: plain_line(reason.trim(), usize::MAX),
                base,
                line: line_of(text, offset),
                checked: AtomicBool::new(false),
                used: AtomicBool::new(false),
                exists: OnceLock::new(),
            })
        });
        let mut excluded = GlobSetBuilder::new();
        for glob in &file.check.exclude {
            let built = GlobBuilder::new(&normal_glob(glob)).literal_separator(true).build();
            excluded.add(built.map_err(|error| at(0, &format!("exclude: {error}")))?);
        }
        Ok(Self {
            excluded: excluded.build().map_err(|error| at(0, &format!("exclude: {error}")))?,
            check: file.check,
            build: file.build,
            gate: file.gate,
            run: file.run,
            path: path.to_owned(),
            allowed: allowed.collect::<Result<_, _>>()?,
        })
    }

    pub fn folder(&self) -> &Path {
        self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }

    /// Returns whether the search in folders skips this file.
    pub fn excludes(&self, path: &Path) -> bool {
        !self.excluded.is_empty() && self.excluded.is_match(self.relative(path))
    }

    /// Returns the reason of the first entry that allows a finding or a difference in a file; `rule` is its rule or
    /// kind.
    pub fn allows(&self, rule: &str, path: &Path, subject: &str) -> Option<&str> {
        if self.allowed.is_empty() { None } else { self.allows_match(rule, &self.relative(path), subject) }
    }

    /// Returns the reason of the first entry that allows a difference of this kind between a reader's results for a
    /// case.
    pub(crate) fn allows_case(&self, kind: &str, case: &str, reader: &str) -> Option<&str> {
        self.allows_match(kind, Path::new(case), reader)
    }

    fn allows_match(&self, rule: &str, name: &Path, subject: &str) -> Option<&str> {
        let mut reason = None;
        for entry in self.allowed.iter().filter(|entry| entry.rule == rule && entry.paths.is_match(name)) {
            if entry.subjects.as_ref().is_none_or(|subjects| subjects.is_match(subject)) {
                entry.used.store(true, Ordering::Relaxed);
                reason = reason.or(Some(&*entry.reason));
            }
        }
        reason
    }

    /// Records that the command checks the file at `path`, or all files in that folder.
    pub(crate) fn record(&self, path: &Path) {
        if self.allowed.is_empty() {
            return;
        }
        let relative = self.relative(path);
        let is_folder = path.is_dir();
        for entry in &self.allowed {
            let is_checked =
                if is_folder { entry.base.starts_with(&relative) } else { entry.paths.is_match(&relative) };
            if is_checked {
                entry.checked.store(true, Ordering::Relaxed);
            }
        }
    }

    pub(crate) fn record_all(&self) {
        self.allowed.iter().for_each(|entry| entry.checked.store(true, Ordering::Relaxed));
    }

    /// Returns the path relative to the settings folder, with `..` only at its start and no `.`.
    fn relative(&self, path: &Path) -> PathBuf {
        let absolute = |path: &Path| normal_path(&std::path::absolute(path).unwrap_or_else(|_| path.to_owned()));
        let (path, folder) = (absolute(path), absolute(self.folder()));
        let common = path.components().zip(folder.components()).take_while(|(one, other)| one == other).count();
        let up = folder.components().skip(common).map(|_| Component::ParentDir);
        up.chain(path.components().skip(common)).collect()
    }

    /// Returns an error for each entry that allowed no finding, if `is_own` accepts its rule. Entries whose glob
    /// matches only files that the command did not check are left out.
    pub fn unused(&self, is_own: impl Fn(&str) -> bool) -> Vec<String> {
        let own = self.allowed.iter().filter(|entry| is_own(&entry.rule) && !entry.used.load(Ordering::Relaxed));
        own.filter_map(|entry| {
            let fault = if entry.checked.load(Ordering::Relaxed) {
                "allows nothing; remove it".to_owned()
            } else if *entry.exists.get_or_init(|| self.matches_a_file(&entry.glob)) {
                return None;
            } else {
                format!("matches no file; correct the path `{}`, or remove the entry", plain_name(&entry.glob))
            };
            let path = plain_name(&self.path.to_string_lossy());
            Some(format!("{path}:{}: the entry for `{}` {fault}", entry.line, entry.rule))
        })
        .collect()
    }

    fn matches_a_file(&self, glob: &str) -> bool {
        let folder = globset::escape(&self.folder().to_string_lossy());
        search(Path::new(&folder).join(glob)).any(|found| found.is_ok_and(|path| path.exists()))
    }
}

/// The characters with a special meaning in a glob.
const SPECIAL: [char; 5] = ['*', '?', '[', '{', '\\'];

/// Removes `.` and `..` from a path without touching the disk.
fn normal_path(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(normal.pop()),
            part => normal.push(part),
        }
    }
    normal
}

/// Removes `.` and `..` from a glob. Keeps a `..` at the start or after a part with special characters.
fn normal_glob(glob: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in glob.split('/').filter(|part| *part != ".") {
        match parts.last() {
            Some(last) if part == ".." && *last != ".." && !last.contains(SPECIAL) => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

/// Returns the number of the line that contains a byte, from 1.
fn line_of(text: &str, offset: usize) -> usize {
    1 + text.as_bytes()[..offset.min(text.len())].iter().filter(|byte| **byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<ProjectSettings, String> {
        ProjectSettings::parse(Path::new("torchproof.toml"), text, &["field-type"])
    }

    #[test]
    fn an_entry_allows_a_rule_in_matching_files() {
        let text = "[check]\ndeny-should = true\n\n[[allow]]\nrule = 'eh-length-min'\npath = 'models/*.pte'\nreason = 'old exporter'\n";
        let settings = parse(text).unwrap();
        assert!(settings.check.deny_should && !settings.gate.deny_source_breaks);
        for (rule, path) in
            [("other", "models/a.pte"), ("eh-length-min", "models/deep/a.pte"), ("eh-length-min", "a.pte")]
        {
            assert_eq!(settings.allows(rule, Path::new(path), ""), None, "{rule} {path}");
        }
        settings.record(Path::new("models/a.pte"));
        assert_eq!(
            settings.unused(|_| true),
            ["torchproof.toml:4: the entry for `eh-length-min` allows nothing; remove it"]
        );
        assert!(settings.unused(|rule| rule == "field-type").is_empty());
        for path in ["./models/a.pte", "models/deep/../b.pte"] {
            assert_eq!(settings.allows("eh-length-min", Path::new(path), ""), Some("old exporter"));
        }
        assert!(settings.unused(|_| true).is_empty());
    }

    #[test]
    fn excludes_files_by_globs() {
        let settings = parse("[check]\nexclude = ['*.ptn', 'old/**', '../other/*']").unwrap();
        for (path, excluded) in [
            ("a.ptn", true),
            ("deep/a.ptn", false),
            ("./old/deep/a.pte", true),
            ("../other/a.pte", true),
            ("a.pte", false),
        ] {
            assert_eq!(settings.excludes(Path::new(path)), excluded, "{path}");
        }
    }

    #[test]
    fn paths_and_globs_can_have_dots() {
        let here = std::env::current_dir().unwrap();
        let here = here.file_name().unwrap().to_str().unwrap();
        for (glob, path, matches) in [
            ("./a.pte".to_owned(), "a.pte", true),
            ("b/../a.pte".to_owned(), "./c/../a.pte", true),
            ("../a.pte".to_owned(), "../a.pte", true),
            ("../*.pte".to_owned(), "a.pte", false),
            ("*.pte".to_owned(), "../a.pte", false),
            (format!("../{here}/a.pte"), "a.pte", false),
            ("a.pte".to_owned(), &format!("../{here}/a.pte"), true),
        ] {
            let settings = parse(&format!("[[allow]]\nrule = 'eh-length-min'\npath = '{glob}'\nreason = 'x'")).unwrap();
            assert_eq!(settings.allows("eh-length-min", Path::new(path), "").is_some(), matches, "{glob} {path}");
        }
    }

    #[test]
    fn a_folder_counts_for_the_globs_below_it() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("models/deep")).unwrap();
        std::fs::write(folder.path().join("models/a.pte"), "").unwrap();
        let text = "[[allow]]\nrule = 'eh-length-min'\npath = 'models/*.pte'\nreason = 'x'";
        for (checked, counts) in [("", true), ("models", true), ("models/deep", false)] {
            let settings = ProjectSettings::parse(&folder.path().join(SETTINGS_FILE), text, &[]).unwrap();
            settings.record(&folder.path().join(checked));
            assert_eq!(settings.unused(|_| true).len(), usize::from(counts), "{checked}");
        }
    }

    #[test]
    fn an_entry_that_matches_no_file_on_disk_is_unused() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("[x]");
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("a.pte"), "").unwrap();
        for (glob, is_unused) in [("a.pte", false), ("*.pte", false), ("b.pte", true), ("b/*.pte", true)] {
            let text = format!("[[allow]]\nrule = 'eh-length-min'\npath = '{glob}'\nreason = 'x'");
            let settings = ProjectSettings::parse(&folder.join(SETTINGS_FILE), &text, &[]).unwrap();
            assert_eq!(settings.unused(|_| true).len(), usize::from(is_unused), "{glob}");
        }
    }

    #[test]
    fn an_entry_can_name_the_subject_of_a_difference() {
        let text = "[[allow]]\nrule = 'field-type'\npath = '*.fbs'\nsubject = 'n.T.*'\nreason = ' new '";
        let settings = parse(text).unwrap();
        for (subject, reason) in [("n.T.a", Some("new")), ("n.U.a", None)] {
            assert_eq!(settings.allows("field-type", Path::new("a.fbs"), subject), reason, "{subject}");
            assert_eq!(settings.allows_case("field-type", "a.fbs", subject), reason, "{subject}");
        }
    }

    #[test]
    fn errors_name_the_line() {
        let errors: Vec<_> = [
            "[check]\nstrikt = true",
            "deny-should = true",
            "\n[[allow]]\nrule = 'b'\npath = '*'\nreason = 'x'",
            "[[allow]]\nrule = 'eh-length-min'\npath = '*'\nreason = ' '",
            "[[allow]]\nrule = 'eh-length-min'\npath = '['\nreason = 'x'",
            "[[allow]]\nrule = 'eh-length-min'\npath = '*'",
            "[[allow]]\nrule = 'eh-length-min'\npath = '*'\nsubject = 'T'\nreason = 'x'",
            "[",
            "[check]\nexclude = ['[']",
        ]
        .into_iter()
        .map(|text| parse(text).unwrap_err())
        .collect();
        insta::assert_snapshot!(errors.join("\n"));
    }
}
