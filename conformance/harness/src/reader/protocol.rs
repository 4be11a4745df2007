//! **Conversions** of stages and roles between the protocol and the `torchproof` library. The protocol and the library
//! use the same names.

use torchproof::Role;
use torchproof::Stage;
use torchproof_protocol::{self as wire, Hello};

/// Converts a stage of the protocol to a stage of the library.
pub const fn stage_of(stage: wire::Stage) -> Stage {
    Stage::ALL[stage as usize]
}

/// Converts a stage of the library to a stage of the protocol.
pub const fn wire_stage(stage: Stage) -> wire::Stage {
    wire::Stage::ALL[stage as usize]
}

/// Converts a role of the library to a role of the protocol.
pub const fn wire_role(role: Role) -> wire::Role {
    match role {
        Role::Program => wire::Role::Program,
        Role::Data => wire::Role::Data,
        Role::Bundled => wire::Role::Bundled,
    }
}

/// Returns the stages that a reader distinguishes.
pub(crate) fn stages_of(hello: &Hello) -> Vec<Stage> {
    hello.stages.iter().copied().map(stage_of).collect()
}

/// Returns the last stage that a reader reaches.
pub fn deepest(hello: &Hello) -> Stage {
    stage_of(hello.deepest())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn protocol_and_library_use_the_same_names() {
        for stage in Stage::ALL {
            assert_eq!(stage.name(), wire_stage(stage).name());
            assert_eq!(stage_of(wire_stage(stage)), stage);
        }
        for role in [Role::Program, Role::Data, Role::Bundled] {
            assert_eq!(serde_json::to_value(role).ok(), serde_json::to_value(wire_role(role)).ok());
        }
        let pair = torchproof::corpus::find("pte/valid/external-constants").unwrap();
        assert_eq!(pair.needs(), [wire::CAPABILITY_PAIRS]);
    }
}
