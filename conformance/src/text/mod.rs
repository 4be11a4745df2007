//! **Text for people**: escaping, sizes and page width, shared by everything that prints.

pub mod escape;
mod page;
pub mod size;

pub use page::Page;
