//! Shell scripts that repeat a failure without torchproof.

use data_encoding::BASE64;
use serde_json::json;
use torchproof::corpus::Role;

use crate::hunt::cluster::{Cluster, Kind};
use crate::reader::loaded;
use crate::reader::protocol::wire_role;
use crate::text::escape::{for_shell, plain_line};

/// The number of characters in a line of base64.
const COLUMNS: usize = 100;

/// Returns a script that writes the files and runs the reader on them.
pub(super) fn script(cluster: &Cluster, names: &[String], files: &[Vec<u8>]) -> String {
    let mut script = String::new();
    for (name, bytes) in names.iter().zip(files) {
        script += &format!("base64 -d > {name} <<'END'\n");
        let text = BASE64.encode(bytes);
        for line in text.as_bytes().chunks(COLUMNS) {
            script += &format!("{}\n", String::from_utf8_lossy(line));
        }
        script += "END\n";
    }
    script + &command(cluster, names, files) + "\n"
}

/// Returns the command that runs the reader on the files in the current folder.
fn command(cluster: &Cluster, names: &[String], files: &[Vec<u8>]) -> String {
    // An address can begin with a name, as in `name=once:command`.
    let address = cluster.evidence.address.as_str();
    let named = address.split_once('=').filter(|(name, _)| !name.contains(':'));
    let address = named.map_or(address, |(_, address)| address);
    let (transport, reader) = address.split_once(':').unwrap_or(("", address));
    let reader = plain_line(reader, usize::MAX);
    match transport {
        "once" => format!("{reader} {}", names.join(" ")),
        "exec" => {
            let roles: Vec<Role> = cluster.roles().into_iter().map(|(role, _)| role).collect();
            let file = |((name, bytes), role): ((&String, &Vec<u8>), &Role)| {
                let mut file = json!({ "role": wire_role(*role), "path": format!("FOLDER/{name}") });
                if let Some(list) = loaded::layouts_in(bytes).filter(|list| *role == Role::Data && !list.is_empty()) {
                    file["layouts"] = list.into();
                }
                file
            };
            let files: Vec<_> = names.iter().zip(files).zip(&roles).map(file).collect();
            let hello = json!({ "op": "hello", "protocol": 1 });
            let read = json!({ "op": "read", "seq": 1, "files": files, "stage": "execute", "want": "verdict" });
            let lines = [hello, read].map(|line| for_shell(&line.to_string()));
            format!("printf '%s\\n' {} | sed \"s|FOLDER|$PWD|g\" | {reader}", lines.join(" "))
        }
        "lib" => format!("# Pass {} to the functions of {reader} that load files.", names.join(" and ")),
        _ => format!("# Load {} with {reader}.", names.join(" and ")),
    }
    .replace('\0', "")
        + match cluster.key.kind {
            Kind::Crash | Kind::Hang | Kind::Resource => "",
            _ => " # expected another verdict",
        }
}
