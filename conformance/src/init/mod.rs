//! **A project's first files**: one of the template adapters in `conformance/readers`, the settings file, and a CI job
//! that runs the reader on the corpus.

/// An adapter's language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum AdapterLanguage {
    /// C: a shared library
    C,
    /// C++: a worker process
    Cpp,
    /// JavaScript: a worker process for Node
    Javascript,
    /// Python: a worker process
    Python,
    /// Rust: a worker process
    Rust,
}

/// A project's CI service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Service {
    /// GitHub Actions
    Github,
    /// GitLab CI/CD
    Gitlab,
    /// No CI service
    None,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NewFile {
    pub(crate) path: String,
    pub(crate) text: String,
    pub(crate) is_executable: bool,
}

struct Adapter {
    /// The files in the `conformance` folder: their names and their text. The user edits the first file.
    files: &'static [(&'static str, &'static str)],
    build: &'static str,
    /// A shell replaces `$here` with the adapter's folder.
    reader: &'static str,
    /// What the build writes outside the `target` folder, in `.gitignore` syntax; can be empty.
    built: &'static str,
    image: &'static str,
}

macro_rules! reader_file {
    ($path:literal) => {
        include_str!(concat!("../../readers/", $path))
    };
}

impl AdapterLanguage {
    const fn adapter(self) -> Adapter {
        match self {
            AdapterLanguage::C => Adapter {
                files: &[
                    ("reader.c", reader_file!("template-c/reader.c")),
                    ("torchproof.h", reader_file!("common/torchproof.h")),
                ],
                build: "cc -std=c11 -O1 -g -fPIC -shared -o reader.so reader.c",
                reader: "lib:$here/reader.so",
                built: "/reader.so",
                image: "gcc:15",
            },
            AdapterLanguage::Cpp => Adapter {
                files: &[
                    ("worker.cpp", reader_file!("template-cpp/worker.cpp")),
                    ("worker.hpp", reader_file!("common/worker.hpp")),
                    ("json.hpp", reader_file!("common/json.hpp")),
                ],
                build: "c++ -std=c++17 -O1 -g -o worker worker.cpp",
                reader: "exec:'$here/worker'",
                built: "/worker",
                image: "gcc:15",
            },
            AdapterLanguage::Javascript => Adapter {
                files: &[("worker.mjs", reader_file!("template-javascript/worker.mjs"))],
                build: "",
                reader: "exec:node '$here/worker.mjs'",
                built: "",
                image: "node:24",
            },
            AdapterLanguage::Python => Adapter {
                files: &[("worker.py", reader_file!("template-python/worker.py"))],
                build: "",
                reader: "exec:python3 '$here/worker.py'",
                built: "",
                image: "python:3.13",
            },
            AdapterLanguage::Rust => Adapter {
                files: &[
                    ("src/main.rs", reader_file!("template-rust/src/main.rs")),
                    ("Cargo.toml", reader_file!("template-rust/manifest.toml")),
                ],
                build: "cargo build --quiet --release --target-dir target",
                reader: "exec:'$here/target/release/torchproof-worker'",
                built: "",
                image: "rust:1",
            },
        }
    }

    /// The file that calls the reader, relative to the project folder.
    pub(crate) fn adapter_path(self) -> String {
        format!("{FOLDER}/{}", self.adapter().files[0].0)
    }
}

/// The clone from which this program was built; absent for a published package.
pub(crate) fn protocol_in_clone() -> Option<&'static str> {
    const PROTOCOL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/protocol");
    std::path::Path::new(PROTOCOL).is_dir().then_some(PROTOCOL)
}

/// No registry has the protocol package before the first release, so point to the clone that this program was built from.
fn with_clone(text: &str) -> String {
    let Some(protocol) = protocol_in_clone() else { return text.to_owned() };
    text.replace(
        &format!("torchproof-protocol = \"{}\"", env!("CARGO_PKG_VERSION")),
        &format!("torchproof-protocol = {{ path = {protocol:?} }}"),
    )
}

const FOLDER: &str = "conformance";
pub(crate) const SCRIPT: &str = "conformance/run.sh";

pub(crate) fn files(language: AdapterLanguage, service: Service) -> Vec<NewFile> {
    let adapter = language.adapter();
    let file = |path: String, text: &str| NewFile { path, text: text.to_owned(), is_executable: false };
    let mut files: Vec<NewFile> = adapter
        .files
        .iter()
        .map(|(name, text)| file(format!("{FOLDER}/{name}"), &with_clone(&text.replace("../common/", ""))))
        .collect();
    let build = if adapter.build.is_empty() { String::new() } else { format!("(cd \"$here\" && {})\n", adapter.build) };
    let script = include_str!("run.sh").replace("@BUILD@\n", &build).replace("@READER@", adapter.reader);
    files.push(NewFile { path: SCRIPT.to_owned(), text: script, is_executable: true });
    // The script writes the results to the `target` folder.
    let ignored =
        ["/target", adapter.built].map(|path| if path.is_empty() { String::new() } else { format!("{path}\n") });
    files.push(file(format!("{FOLDER}/.gitignore"), &ignored.concat()));
    files.push(file("torchproof.toml".to_owned(), include_str!("torchproof.toml")));
    let job = match service {
        Service::Github => Some((".github/workflows/conformance.yml", include_str!("github.yml"))),
        Service::Gitlab => Some((".gitlab-ci.yml", include_str!("gitlab.yml"))),
        Service::None => None,
    };
    if let Some((path, text)) = job {
        let text = text.replace("@VERSION@", env!("CARGO_PKG_VERSION")).replace("@IMAGE@", adapter.image);
        files.push(file(path.to_owned(), &text));
    }
    files
}
