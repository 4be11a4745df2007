//! What is measured, and how: the subjects of a group in turn in one loop, so that a machine whose speed drifts drifts for all.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// One subject's figure on one input, as `conformance/schema/bench.schema.json` describes it.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Figure {
    /// What was done.
    pub(crate) name: String,
    /// To what.
    pub(crate) input: String,
    /// Tables in the input, where it is one of tables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tables: Option<u64>,
    /// Who did it.
    pub(crate) subject: String,
    /// The median of the times that it took; `None` when it is not there to be measured.
    pub(crate) median_ns: Option<f64>,
    /// The median of the ratios of the times in a round, by the other's name.
    pub(crate) ratio_to: BTreeMap<String, f64>,
    /// The most memory that the process had, in bytes, where that was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) peak_bytes: Option<u64>,
    /// How often memory was asked for in one call, where that was counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) allocations: Option<u64>,
    /// Bytes of the file that were held, and so could be touched at all, beyond those of its header and its FlatBuffer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) beyond_tables: Option<u64>,
}
