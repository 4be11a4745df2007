//! The command that puts a cluster's file to readers again.

use crate::text::escape::{for_shell, plain};

/// What puts a cluster's file to the readers again: a command without the cluster.
#[derive(Clone, Debug, Default)]
pub struct RerunCommand {
    before: String,
}

impl RerunCommand {
    /// With these words before the cluster's, the program's name first.
    ///
    /// ```
    /// use torchproof_cli::hunt::RerunCommand;
    ///
    /// let rerun = RerunCommand::new(["torchproof", "hunt", "--out", "my finds"]);
    /// assert_eq!(rerun.command("crash-1b2f90aa"), "torchproof hunt --out 'my finds' --again crash-1b2f90aa");
    /// ```
    #[must_use]
    pub fn new<W: AsRef<str>>(words: impl IntoIterator<Item = W>) -> Self {
        let quoted: Vec<String> = words.into_iter().map(|word| for_shell(word.as_ref())).collect();
        Self { before: quoted.join(" ") }
    }

    /// The command for a cluster, in one printable line for a shell.
    #[must_use]
    pub fn command(&self, id: &str) -> String {
        plain(&format!("{} --again {id}", self.before))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_one_line_whatever_the_folder_is_called() {
        let command = RerunCommand::new(["torchproof", "hunt", "--out", "a\u{1b}[2Jb"]).command("crash-00000000");
        assert_eq!(command, r"torchproof hunt --out 'a\u{1b}[2Jb' --again crash-00000000");
    }
}
