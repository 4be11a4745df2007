//! Shell scripts that repeat a failure without torchproof.

use std::path::Path;

use data_encoding::BASE64;
use serde_json::json;
use torchproof::Role;
use torchproof_harness::hunt::{Cluster, Kind};
use torchproof_harness::reader::loaded;
use torchproof_harness::text::escape::{for_shell, plain_line, shell_line};

const COLUMNS: usize = 100;

/// A C program that calls a library. The initializers of the files replace `FILES`.
const PROGRAM: &str = include_str!("library.c");

/// Returns a script that writes the files and runs the reader on them. If the reader's command can contain relative
/// paths, it runs in `folder`, where the campaign ran; empty if unknown.
pub(super) fn script(cluster: &Cluster, folder: &str, names: &[String], files: &[Vec<u8>]) -> String {
    let mut script = String::new();
    for (name, bytes) in names.iter().zip(files) {
        script += &format!("base64 -d > {name} <<'END'\n");
        let text = BASE64.encode(bytes);
        for line in text.as_bytes().chunks(COLUMNS) {
            script += &format!("{}\n", String::from_utf8_lossy(line));
        }
        script += "END\n";
    }
    script + &command(cluster, folder, names, files) + "\n"
}

fn command(cluster: &Cluster, folder: &str, names: &[String], files: &[Vec<u8>]) -> String {
    // An address can begin with a name, as in `name=once:command`.
    let address = cluster.evidence.address.as_str();
    let named = address.split_once('=').filter(|(name, _)| !name.contains(':'));
    let address = named.map_or(address, |(_, address)| address);
    let (transport, reader) = address.split_once(':').unwrap_or(("", address));
    let folder = Path::new(folder);
    let is_moved = has_relative_path(reader, folder);
    let reader = plain_line(reader, usize::MAX);
    let [before, file_folder, after] = match is_moved {
        true => [format!("(cd {} && ", shell_path(folder)), "\"$OLDPWD\"/".to_owned(), ")".to_owned()],
        false => [const { String::new() }; 3],
    };
    let roles: Vec<Role> = cluster.roles().into_iter().map(|(role, _)| role).collect();
    // The entries with a layout, as the campaign lists them for a data file.
    let layouts = |role: Role, bytes: &[u8]| {
        loaded::layouts_in(bytes).filter(|list| role == Role::Data && !list.is_empty()).unwrap_or_default()
    };
    let files = names.iter().zip(&roles).zip(files).map(|((name, role), bytes)| (name, *role, layouts(*role, bytes)));
    match transport {
        "once" => {
            let names: Vec<String> = names.iter().map(|name| format!("{file_folder}{name}")).collect();
            format!("{before}{reader} {}{after}", names.join(" "))
        }
        "exec" => {
            let file = |(name, role, layouts): (&String, Role, Vec<u64>)| {
                let mut file = json!({ "role": role, "path": format!("FOLDER/{name}") });
                if !layouts.is_empty() {
                    file["layouts"] = layouts.into();
                }
                file
            };
            let files: Vec<_> = files.map(file).collect();
            let hello = json!({ "op": "hello", "protocol": 1 });
            let read = json!({ "op": "read", "seq": 1, "files": files, "stage": "execute", "want": "verdict" });
            let lines = [hello, read].map(|line| for_shell(&line.to_string()));
            format!("printf '%s\\n' {} | sed \"s|FOLDER|$PWD|g\" | {before}{reader}{after}", lines.join(" "))
        }
        "lib" => {
            let file = |(name, role, layouts): (&String, Role, Vec<u64>)| {
                let count = layouts.len();
                let list = layouts.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
                let list = if count > 0 { format!("(const uint64_t[]){{{list}}}") } else { "NULL".to_owned() };
                format!("{{{}, \"{name}\", NULL, 0, 0, {list}, {count}}},\n    ", role as u8)
            };
            let program = PROGRAM.replace("    FILES};", &format!("    {}}};", files.map(file).collect::<String>()));
            let library = shell_path(&folder.join(&reader));
            let id = &cluster.id;
            format!("cat > {id}.c <<'END'\n{program}END\ncc -o {id} {id}.c -ldl && ./{id} {library}")
        }
        _ => format!("# Load {} with {reader}.", names.join(" and ")),
    }
    .replace('\0', "")
        + match cluster.key.kind {
            Kind::Crash | Kind::Hang | Kind::Resource => "",
            _ => " # expected another verdict",
        }
}

/// Returns whether a command can contain a path relative to `folder`.
fn has_relative_path(command: &str, folder: &Path) -> bool {
    let words = shell_words::split(command).unwrap_or_default();
    // Ignore the program if its name has no slash, because it is then looked up in other folders.
    let mut words = words.iter().enumerate().filter(|(at, word)| *at > 0 || word.contains('/'));
    let is_there = |path: &str| !path.is_empty() && !path.starts_with('/') && folder.join(path).exists();
    // A word with spaces can be a script with paths.
    let can_be_path = |word: &str| word.contains(' ') || word.split('=').any(is_there);
    !folder.as_os_str().is_empty() && words.any(|(_, word)| can_be_path(word))
}

fn shell_path(path: &Path) -> String {
    shell_line([path.to_string_lossy()])
}
