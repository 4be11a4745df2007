//! `torchproof report`: makes reports from the results of an earlier run.

mod files;

pub(super) use files::ReportFiles;
