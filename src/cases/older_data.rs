//! Cases.

use super::cases;

cases! {}
