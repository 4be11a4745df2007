//! Files to test a reader with: cases of the corpus, generated files and attacked files.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict};
use torchproof::attack::{self as attacks_of, Base, Selection};
use torchproof::corpus;
use torchproof::generate::{Config, GeneratedKind};

use crate::error::{of_argument, of_read, of_write};

/// A case of the corpus: files that a reader must accept or reject.
#[pyclass(frozen, module = "torchproof")]
pub(crate) struct Case(&'static corpus::Case);

#[pymethods]
impl Case {
    #[getter]
    fn id(&self) -> &'static str {
        self.0.id
    }

    #[getter]
    fn title(&self) -> &'static str {
        self.0.title
    }

    /// What is wrong or unusual in the file, and what readers do with it.
    #[getter]
    fn why(&self) -> String {
        self.0.why()
    }

    /// `accept`, `reject` or `either`.
    #[getter]
    fn verdict(&self) -> &'static str {
        self.0.verdict.name()
    }

    /// The id of the rule that the case is about.
    #[getter]
    fn rule(&self) -> &'static str {
        self.0.rule.id
    }

    /// The latest stage at which a reader can safely reject the file.
    #[getter]
    fn stage(&self) -> Option<&'static str> {
        self.0.stage().map(torchproof::Stage::name)
    }

    /// What a reader must support beyond programs and data files.
    #[getter]
    fn needs(&self) -> Vec<&'static str> {
        self.0.needs()
    }

    /// The case from which this one was made. A reader that also rejects the control has not noticed the defect.
    #[getter]
    fn control(&self) -> Option<Self> {
        self.0.base.filter(|_| self.0.verdict != corpus::Verdict::Accept).and_then(corpus::find).map(Self)
    }

    /// The file and the data files that a reader loads with it, by name. The names do not reveal the verdict.
    #[getter]
    fn files<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (file, data) = py.detach(|| {
            let data = self.0.companions().iter().filter_map(|id| corpus::find(id));
            (self.0.build().bytes, data.map(|case| case.build().bytes).collect::<Vec<_>>())
        });
        let files = PyDict::new(py);
        files.set_item(format!("model.{}", self.0.role().extension()), PyBytes::new(py, &file))?;
        for (index, bytes) in data.iter().enumerate() {
            files.set_item(format!("data-{index}.ptd"), PyBytes::new(py, bytes))?;
        }
        Ok(files)
    }

    fn __repr__(&self) -> String {
        format!("<Case {}>", self.0)
    }
}

/// Return the cases of the corpus. Their bytes are the same on every machine.
///
/// >>> case = next(case for case in torchproof.cases() if case.id == "pte/header/length-23")
/// >>> case.verdict, case.rule, case.control.id
/// ('reject', 'eh-length-min', 'pte/valid/constants')
/// >>> torchproof.check(case.files["model.pte"]).verdict
/// 'reject'
#[pyfunction]
pub(crate) fn cases() -> Vec<Case> {
    corpus::all().map(Case).collect()
}

/// Generate valid files: `pte`, `ptd`, `ptd-legacy`, or `pair` for a program and its data file.
///
/// The settings are the options of `torchproof generate`, with underscores.
///
/// >>> pair = torchproof.generate(1, "pair", methods="2..2")
/// >>> sorted(pair), torchproof.check(pair["model.pte"], data=[pair["model.ptd"]]).verdict
/// (['model.ptd', 'model.pte'], 'accept')
#[pyfunction]
#[pyo3(signature = (seed, kind="pte", **settings))]
pub(crate) fn generate<'py>(
    py: Python<'py>,
    seed: u64,
    kind: &str,
    settings: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let Some(kind) = GeneratedKind::ALL.iter().find(|known| known.name() == kind) else {
        let known: Vec<_> = GeneratedKind::ALL.iter().map(|kind| kind.name()).collect();
        return Err(of_argument(py, &format!("found kind {kind:?}, expected one of {}", known.join(", "))));
    };
    let mut config = Config::default();
    for (name, value) in settings.into_iter().flatten() {
        config.set(&name.to_string(), &value.to_string()).map_err(|error| of_argument(py, &error.to_string()))?;
    }
    let files = py.detach(|| torchproof::generate::generate(*kind, &config, seed));
    let files = files.map_err(|error| of_write(py, &error))?;
    let named = PyDict::new(py);
    for file in &files {
        named.set_item(format!("model.{}", file.extension), PyBytes::new(py, &file.bytes))?;
    }
    Ok(named)
}

#[derive(FromPyObject)]
pub(crate) enum PathOrBytes {
    Bytes(PyBackedBytes),
    Path(PathBuf),
}

/// An attacked file with its label.
#[pyclass(frozen, get_all, module = "torchproof")]
pub(crate) struct Attacked {
    bytes: Py<PyBytes>,
    /// The names of the attacks, in order.
    attacks: Vec<&'static str>,
    /// `breaks`, `preserves` or `unknown`.
    effect: &'static str,
    /// The broken rule's id.
    rule: Option<&'static str>,
    /// The changed field's path.
    path: String,
}

/// Break one thing in a file, and describe what was broken. Return `None` if no attack applies.
///
/// The file is a path or bytes. If you name no attack, the seed chooses one. The same file and seed give the same bytes.
///
/// >>> attacked = torchproof.attack(files / "linear.pte", 1, "references/operator")
/// >>> attacked.effect, attacked.rule
/// ('breaks', 'ins-op-index')
#[pyfunction]
#[pyo3(signature = (file, seed, *names))]
pub(crate) fn attack(py: Python<'_>, file: PathOrBytes, seed: u64, names: Vec<String>) -> PyResult<Option<Attacked>> {
    let bytes = match file {
        PathOrBytes::Path(path) => {
            std::fs::read(&path).map_err(|error| of_read(py, &format!("{}: {error}", path.display())))?
        }
        PathOrBytes::Bytes(bytes) => bytes.to_vec(),
    };
    let unknown = names.iter().find(|name| attacks_of::find(name).is_none());
    if let Some(name) = unknown {
        let cure = "torchproof.attacks() lists the names";
        return Err(of_argument(py, &format!("found attack {name:?}, expected the name of an attack; {cure}")));
    }
    let changed = py.detach(|| {
        let base = Base::of(bytes);
        if names.is_empty() {
            return attacks_of::draw(&base, &Selection::default(), seed);
        }
        let attacks: Vec<_> = names.iter().filter_map(|name| attacks_of::find(name)).collect();
        attacks_of::compose(&base, &attacks, seed)
    });
    Ok(changed.map(|changed| Attacked {
        bytes: PyBytes::new(py, &changed.bytes).unbind(),
        attacks: changed.label.steps.iter().map(|step| step.attack).collect(),
        effect: changed.label.effect.name(),
        rule: changed.label.rule.map(|rule| rule.id),
        path: changed.label.path.clone(),
    }))
}

/// Return each attack's name, effect and broken rule.
#[pyfunction]
pub(crate) fn attacks(py: Python<'_>) -> PyResult<Vec<Py<PyDict>>> {
    let each = attacks_of::all().map(|attack| {
        let row = PyDict::new(py);
        row.set_item("name", attack.name)?;
        row.set_item("effect", attack.effect.name())?;
        row.set_item("rule", attack.rule.map(|rule| rule.id))?;
        Ok(row.unbind())
    });
    each.collect()
}
