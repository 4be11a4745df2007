//! The `named` macro, for enums whose variants have names in text and JSON.

/// Declares an enum with a name for each variant: the function `name`, and `Display`. After the word `all`, also
/// declares the `ALL` list, whose type changes with each new variant. The command-line packages use it too.
#[doc(hidden)]
#[macro_export]
macro_rules! named {
    (all $($enum:tt)*) => {
        $crate::named! { $($enum)* }
        $crate::named! { @all $($enum)* }
    };
    (@all $(#[$meta:meta])* pub enum $enum:ident { $($(#[$of_variant:meta])* $variant:ident = $name:literal,)* }) => {
        impl $enum {
            /// All variants, in declaration order.
            pub const ALL: [$enum; [$($name),*].len()] = [$($enum::$variant),*];
        }
    };
    ($(#[$meta:meta])* pub enum $enum:ident { $($(#[$of_variant:meta])* $variant:ident = $name:literal,)* }) => {
        $(#[$meta])*
        pub enum $enum {
            $($(#[$of_variant])* $variant,)*
        }

        impl $enum {
            /// Returns the name in text and JSON.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $($enum::$variant => $name,)*
                }
            }
        }

        impl core::fmt::Display for $enum {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

pub(crate) use named;
