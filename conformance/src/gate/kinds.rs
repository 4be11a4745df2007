//! The kinds of differences, each with a definition and an id for reports and `torchproof.toml`.

/// Declares an enum of kinds with their ids and definitions.
macro_rules! kinds {
    ($(#[$doc:meta])* $ty:ident: $($name:ident $id:literal $text:literal,)+) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        pub enum $ty {
            $(#[doc = $text] #[serde(rename = $id)] $name,)+
        }

        impl $ty {
            pub const IDS: &[&str] = &[$($id),+];

            pub const fn id(self) -> &'static str {
                match self { $(Self::$name => $id,)+ }
            }

            pub const fn definition(self) -> &'static str {
                match self { $(Self::$name => $text,)+ }
            }
        }
    };
}

pub(super) use kinds;
