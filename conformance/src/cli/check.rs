//! `torchproof check`: checks files against the rules.

use std::cell::RefCell;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use torchproof::Limits;
use torchproof::check::{Checker, ReadAt, Target};
use torchproof::rules::Basis;
use torchproof_harness::disk::input::Input;
use torchproof_harness::disk::io_error::cannot_read;
use torchproof_harness::disk::named::OwnFolder;
use torchproof_harness::text::escape::plain_name;
use torchproof_model::ModelFile;
use torchproof_model::check::{BuildResult, CheckOptions, CheckedFile, NamedBuild, depends_on};

use super::progress::Progress;
use super::report::{FormatAndPath, check_reports, write_reports};
use super::{COULD_NOT, CommandResult, complain, job_count, jobs, of_stdout, one_of, page, print};
use crate::findings::ci;
use crate::findings::predicted::{build_profile, builds_of};
use crate::findings::{ExaminedFile, Tally, json, model_file, quiet, sarif, text};
use crate::gate;
use crate::parallel::in_order;
use crate::paths::pairing::Pairing;
use crate::paths::sources::{SourceError, sources};
use crate::render::ReportFormat;
use crate::settings::ProjectSettings;
use torchproof::prediction::{EffectTable, Release};

/// Check model files, and show each broken rule and its bytes
///
/// PATH is a file, a folder, a quoted glob such as 'models/**/*.pte', or - for standard input. In a folder, all .pte,
/// .ptd, .bpte, .bp and .ptn files are checked, except those that torchproof.toml excludes; symbolic links are
/// followed. Results follow the order of the PATHs; within a PATH, they are sorted by name. A file that matches several
/// PATHs is checked only once.
///
/// The data files for a program STEM.pte are STEM.ptd and STEM.*.ptd in the same folder. If the program needs data and
/// there are no such files, the exporter's default `_default_external_constant.ptd` is used. The output names the data
/// files. To choose them yourself, use --with or --pair-with, which turn this search off.
///
/// `check` reads only the header, the FlatBuffer, the gaps between segments, the headers, roots and keys of XNNPACK
/// blobs, and at most 1 MiB of constants with equal sizes. It does not read weights, except to compare entries with
/// equal keys.
///
/// Exits with 0 if every file is accepted, 1 if at least one is rejected, and 2 if at least one could not be examined.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Check every file in a folder, and reject programs without their data files:
    torchproof check --require-data corpus/real
  Check a program together with its data file:
    cd corpus/real; torchproof check mlp_external.pte --with mlp_external.ptd
  Print each verdict in one line, and predict whether a release loads each file:
    torchproof check -q --runtime executorch:1.5 'corpus/files/pte/valid/*.pte'")]
pub(super) struct CheckArgs {
    /// Files, folders and globs
    #[arg(required_unless_present = "runtime", value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Data file to check by itself and with each program; repeatable
    #[arg(help_heading = "Data files", long, value_name = "FILE")]
    with: Vec<PathBuf>,
    /// Check each program with the data files that match GLOB, relative to the program's folder. `{stem}` stands for
    /// the program's name without the extension: `{stem}*.ptd`, `../data/{stem}.ptd`. Use `none` to check programs
    /// without data files
    #[arg(help_heading = "Data files", long, value_name = "GLOB", conflicts_with = "with")]
    pair_with: Option<String>,
    /// Reject programs with external tensors that no data file resolves
    #[arg(help_heading = "Data files", long)]
    require_data: bool,
    /// Output format
    #[arg(help_heading = "Reports", long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Write a report to FILE, or to stdout if FILE is -; repeatable
    #[arg(help_heading = "Reports", long, value_name = "FORMAT=FILE", value_parser = FormatAndPath(|format| ci::renderer(format).is_some()))]
    report: Vec<(ReportFormat, PathBuf)>,
    /// Print one line per file: `PATH: accept`, `PATH: warn RULE (+N)`, `PATH: reject RULE (+N)` or `PATH: unexamined`. RULE is
    /// the first broken rule, and N is the number of other findings
    #[arg(help_heading = "Reports", long, short)]
    quiet: bool,
    /// Treat should-rules as must-rules
    #[arg(help_heading = "Rules", long)]
    deny_should: bool,
    /// Report only broken rules with these bases, separated by commas: text (an official page or schema states the rule),
    /// loader (released readers enforce it), writer (official writers always keep it) or policy (this project chose it).
    /// The verdict then depends on these rules alone
    #[arg(help_heading = "Rules", long = "basis", value_name = "LIST", value_delimiter = ',', value_parser = one_of(Basis::ALL.map(|basis| (basis.name(), basis))))]
    bases: Vec<Basis>,
    /// Word size of the host in bits; 32 adds the checks for 32-bit hosts
    #[arg(help_heading = "Rules", long, value_name = "N", default_value = "64", value_parser = one_of(TARGETS))]
    target_bits: Target,
    /// Predict whether a runtime release loads each file, at each verification level; repeatable. NAME is a release such as
    /// `executorch:1.5.1`, `executorch:1.5` for the newest known 1.5 release, or `list` to print all known releases
    #[arg(help_heading = "Predictions", long, value_name = "NAME")]
    runtime: Vec<String>,
    /// Predict for each method whether a runtime build loads it, and reject files with a method that it does not load;
    /// repeatable. PROFILE is a file that `torchproof build-profile` wrote, or `wheel:1.5.1` for a released Python wheel
    #[arg(help_heading = "Predictions", long, value_name = "PROFILE", value_parser = build_profile)]
    build: Vec<NamedBuild>,
    /// The settings file [default: the nearest torchproof.toml above the current folder]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Number of files to check in parallel [default: the number of processors]
    #[arg(long, short, value_name = "N", value_parser = job_count)]
    jobs: Option<NonZero<usize>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Text that shows each finding and its bytes
    Text,
    /// One JSON object for all files
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
}

const TARGETS: [(&str, Target); 2] = [("32", Target::Bits32), ("64", Target::Bits64)];

/// The bytes of a file that could not be opened.
const EMPTY: &[u8] = &[];

type PrintedFile = (CheckedFile, String);

pub(super) fn run(args: &CheckArgs) -> CommandResult {
    if args.quiet && args.format != Format::Text {
        return Err("--quiet: expected --format text; omit --quiet or --format".into());
    }
    if args.runtime.iter().any(|name| name == "list") {
        return list_releases();
    }
    let releases = args
        .runtime
        .iter()
        .map(|name| name.parse::<Release>().map_err(|error| format!("--runtime {}: {error}", plain_name(name))));
    let releases = releases.collect::<Result<Vec<_>, _>>()?;
    if !releases.is_empty() && args.format == Format::Sarif {
        return Err("--runtime: found --format sarif, expected text or json".into());
    }
    if !releases.is_empty() && args.target_bits == Target::Bits32 {
        return Err("--runtime: found --target-bits 32, expected 64; the predictions are for 64-bit hosts".into());
    }
    if args.paths.is_empty() {
        return Err("--runtime: found no PATH; name the files to check".into());
    }
    check_reports(&args.report, &[])?;
    let is_rule = |id: &str| torchproof::rules::get(id).is_some();
    let settings = gate::settings(args.config.as_deref())?;
    let mut args = args.clone();
    for path in args.paths.iter_mut().filter(|path| path.as_os_str() == "-") {
        *path = PathBuf::from("/dev/stdin");
    }
    let mut own = None;
    args.deny_should |= settings.check.deny_should;
    args.require_data |= settings.check.require_data;
    if args.build.is_empty() {
        args.build = builds_of(&settings)?;
    }
    if args.with.is_empty() && args.pair_with.is_none() {
        args.pair_with.clone_from(&settings.check.pair_with);
        let own_folder = || OwnFolder::new(settings.folder()).ok();
        own = args.pair_with.as_ref().and_then(|pattern| Some((own_folder()?, literal_part(pattern))));
    }
    let args = &args;
    let jobs = jobs(args.jobs);
    let with = companions(&args.with)?;
    let color = page().color;
    let pairs = match &args.pair_with {
        Some(pattern) => Some(Pairing::by(pattern.clone())?),
        None => args.with.is_empty().then(Pairing::by_name),
    };
    let companions = Companions { with, pairs, own };
    let options = CheckOptions {
        deny_should: args.deny_should,
        require_data: args.require_data,
        bases: args.bases.clone(),
        target: args.target_bits,
        releases,
        builds: args.build.clone(),
        limits: Limits::DEFAULT,
    };
    args.paths.iter().filter(|path| path.is_dir()).for_each(|folder| settings.record(folder));
    let exit_code = |tally: &Tally| {
        let is_unused = !settings.unused(is_rule).is_empty();
        tally.exit_code().max(u8::from(is_unused))
    };
    let files = sources(args.paths.iter().chain(&companions.with).cloned().collect());
    let named = |path: &PathBuf| args.paths.contains(path) || companions.with.contains(path);
    let files = files.filter(|found| found.as_ref().map_or(true, |path| named(path) || !settings.excludes(path)));
    let tally = RefCell::new(Tally::default());
    let progress = RefCell::new(Progress::new());
    let mut kept = Vec::new();
    let (written, all) = in_order(
        files,
        jobs,
        |source| check_source(args, &settings, &companions, &options, color, source),
        |results| {
            let mut results = results.inspect(|(file, _)| {
                let (mut tally, mut progress) = (tally.borrow_mut(), progress.borrow_mut());
                tally.add(file.examined.as_ref().ok(), args.deny_should);
                if !args.report.is_empty() {
                    kept.push(file.clone());
                }
                complain_of(file, args.quiet, &mut progress);
                progress.show(|| {
                    let Tally { files, rejected, .. } = *tally;
                    format!("checked {files}, rejected {rejected}: {}", plain_name(&file.path.to_string_lossy()))
                });
            });
            let written = report(args, &mut results, &tally, &progress, &exit_code);
            if !args.report.is_empty() {
                // The reports contain all files, even if stdout is closed.
                results.by_ref().for_each(drop);
            }
            // Results are left only if whoever reads stdout closed the pipe before the end of the report.
            (written, results.next().is_none())
        },
    );
    progress.borrow_mut().clear();
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => return Err(of_stdout(&error).into()),
        _ if !all => return Ok(ExitCode::from(COULD_NOT)),
        _ => {}
    }
    let exit_code = exit_code(&tally.into_inner());
    write_reports(&args.report, |format| Some(ci::renderer(format)?(&kept, args.deny_should, exit_code)))?;
    settings.unused(is_rule).iter().for_each(|unused| complain(unused));
    Ok(ExitCode::from(exit_code))
}

fn list_releases() -> CommandResult {
    let mut text = String::new();
    for column in &EffectTable::get().columns {
        text += &format!("{} ({}): {}\n", column.release, column.verification.name(), column.derivation);
    }
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// The data files that the arguments name, without duplicates. A folder or glob selects only `.ptd` files.
fn companions(arguments: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    for source in sources(arguments.to_vec()) {
        let path = source.map_err(|not_found| not_found.to_string())?;
        let given = arguments.contains(&path);
        if given && !path.exists() {
            return Err(cannot_read(&path, &io::ErrorKind::NotFound.into()));
        }
        if given || path.extension().is_some_and(|ending| ending == "ptd") {
            files.push(path);
        }
    }
    Ok(files)
}

fn report(
    args: &CheckArgs,
    results: &mut impl Iterator<Item = PrintedFile>,
    tally: &RefCell<Tally>,
    progress: &RefCell<Progress>,
    exit_code: &dyn Fn(&Tally) -> u8,
) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    match args.format {
        Format::Text => {
            for (_, shown) in results.filter(|(_, shown)| !shown.is_empty()) {
                progress.borrow_mut().clear();
                stdout.write_all(shown.as_bytes())?;
                stdout.flush()?;
            }
            let Tally { files, rejected, warned, unexamined } = *tally.borrow();
            if files > 1 && !args.quiet {
                progress.borrow_mut().clear();
                writeln!(stdout, "{files} files: {rejected} rejected, {warned} warned, {unexamined} unexamined")?;
            }
            if rejected + warned > 0 && !args.quiet && io::stdout().is_terminal() {
                writeln!(stdout, "`torchproof explain RULE` explains a rule")?;
            }
            stdout.flush()
        }
        Format::Json => json::write(BufWriter::new(stdout), results.map(|(file, _)| file), args.deny_should),
        Format::Sarif => {
            sarif::write(BufWriter::new(stdout), results.map(|(file, _)| file), args.deny_should, exit_code)
        }
    }
}

/// Prints nothing if the report on stdout already contains the reason.
fn complain_of(file: &CheckedFile, quiet: bool, progress: &mut Progress) {
    let reason = match &file.examined {
        Err(error) => Some(error.clone()),
        Ok(examined) => examined.incomplete().filter(|_| quiet).map(|reason| {
            let name = plain_name(&file.path.to_string_lossy());
            format!("{name}: {reason}")
        }),
    };
    if let Some(reason) = reason {
        progress.clear();
        complain(&reason);
    }
}

/// A file, and the data files to check a program with.
pub(super) struct Opened {
    pub(super) input: Input,
    data: Vec<Input>,
}

impl Opened {
    /// Calls the function with the files in the form that `torchproof-model` takes.
    pub(super) fn with<T>(&self, answer: impl FnOnce(&ModelFile<'_>, &[ModelFile<'_>]) -> T) -> Result<T, String> {
        let open = |input| model_file(input).map_err(|error| error.to_string());
        let data = self.data.iter().map(open).collect::<Result<Vec<_>, _>>()?;
        Ok(answer(&open(&self.input)?, &data))
    }
}

pub(super) struct Companions {
    pub(super) with: Vec<PathBuf>,
    pub(super) pairs: Option<Pairing>,
    /// Set only if the pattern is from the settings file: that file's folder, and the pattern up to its first special
    /// character. Data files must be below this folder or the program's, because someone else may have written the settings.
    pub(super) own: Option<(OwnFolder, PathBuf)>,
}

impl Companions {
    /// A program that needs data but has no data file of its own gets the data file with the exporter's default name.
    pub(super) fn open(&self, program: &Path) -> Result<Opened, String> {
        let mut with = self.of(program).map_err(|error| error.to_string())?;
        let open = |path: &Path| Input::open(path).map_err(|error| error.to_string());
        let input = open(program)?;
        let default = self.pairs.as_ref().and_then(|pairs| pairs.default_of(program)).filter(|_| with.is_empty());
        let needs_data = |file: &ModelFile<'_>| ExaminedFile::of(file, &[], &Checker::new()).unresolved().is_some();
        if default.is_some() && needs_data(&model_file(&input).map_err(|error| error.to_string())?) {
            with.extend(default);
        }
        let data = with.iter().map(|path| open(path)).collect::<Result<_, _>>()?;
        Ok(Opened { input, data })
    }

    fn of(&self, program: &Path) -> Result<Vec<PathBuf>, SourceError> {
        let Some(pairs) = &self.pairs else { return Ok(self.with.clone()) };
        let Some((own, literal)) = &self.own else { return pairs.of(program) };
        let beside = OwnFolder::of(program).ok();
        let is_inside = |path: &Path| {
            [Some(own), beside.as_ref()].into_iter().flatten().any(|folder| folder.resolve(path).is_some())
        };
        let outside = || {
            let reason =
                "`pair-with` in torchproof.toml leads outside the folder of this file; pass the glob with --pair-with";
            SourceError { path: program.to_owned(), reason: reason.to_owned(), unmatched: false }
        };
        // Check before searching, because the search result would reveal which files exist outside.
        if !is_inside(&program.parent().unwrap_or(Path::new("")).join(literal)) {
            return Err(outside());
        }
        let found = pairs.of(program)?;
        if found.iter().all(|path| is_inside(path)) { Ok(found) } else { Err(outside()) }
    }
}

fn literal_part(pattern: &str) -> PathBuf {
    pattern.split('/').take_while(|part| !part.contains(['*', '?', '[', '{', '\\'])).collect()
}

fn check_source(
    args: &CheckArgs,
    settings: &ProjectSettings,
    companions: &Companions,
    options: &CheckOptions,
    color: bool,
    source: Result<PathBuf, SourceError>,
) -> PrintedFile {
    let (mut file, input) = match source {
        Ok(path) => match companions
            .open(&path)
            .and_then(|opened| Ok((opened.with(|file, data| options.examine(file, data))?, opened)))
        {
            // Predict first: the settings remove findings, but the runtime does not know the settings.
            Ok((checked, opened)) => (checked, Some(opened.input)),
            Err(error) => (CheckedFile { path, len: None, examined: Err(error), runtime: Vec::new() }, None),
        },
        Err(not_found) => {
            let error = not_found.to_string();
            (CheckedFile { path: not_found.path, len: None, examined: Err(error), runtime: Vec::new() }, None)
        }
    };
    let CheckedFile { path, examined, runtime, .. } = &mut file;
    if let Ok(examined) = examined {
        examined.allow(|examined, found| {
            let reason = settings.allows(found.rule.id, examined.companion(found).unwrap_or(path), "");
            reason.map(str::to_owned)
        });
        examined.select(&args.bases);
        [&*path].into_iter().chain(&examined.companions).for_each(|path| settings.record(path));
    }
    let name = path.display().to_string();
    let shown = match (args.format, &examined) {
        (Format::Text, examined) if args.quiet => quiet::line(&name, examined.as_ref().ok(), args.deny_should) + "\n",
        (Format::Text, Ok(examined)) => {
            let input = input.as_ref().map_or(&EMPTY as &dyn ReadAt, |input| input);
            text::render(&name, input, examined, args.deny_should, color)
        }
        _ => String::new(),
    };
    let depends_on = examined.iter().filter_map(|examined| examined.depends_on.as_ref()).map(depends_on);
    let in_builds = examined.iter().flat_map(|examined| &examined.builds).flat_map(BuildResult::lines);
    let predicted: String = runtime
        .iter()
        .map(ToString::to_string)
        .chain(depends_on)
        .chain(in_builds)
        .map(|line| format!("  {line}\n"))
        .collect();
    let shown = if args.format == Format::Text { shown + &predicted } else { shown };
    (file, shown)
}
