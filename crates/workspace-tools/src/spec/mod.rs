//! What a tool takes and gives, as data: one source for the schema that a model
//! sees and for the check of what it sends.

mod read;
mod schema;

pub(crate) use read::read_input;
pub(crate) use schema::{allow_null, object};

/// The shape of a value.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Shape {
    /// A text.
    Text,
    /// A whole number in a range.
    Integer { min: i64, max: i64 },
    /// `true` or `false`.
    Boolean,
    /// One of these texts.
    Choice(&'static [&'static str]),
    /// A list of such values.
    List(&'static Shape),
    /// An object of these fields and no other.
    Object(&'static [Field]),
    /// In an output: the value or `null`.
    Nullable(&'static Shape),
}

impl Shape {
    /// A whole number from 0 up.
    pub(crate) const COUNT: Self = Self::Integer { min: 0, max: i64::MAX };
    /// A list of texts.
    pub(crate) const TEXTS: Self = Self::List(&Self::Text);
}

/// One key of an input or an output.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) shape: Shape,
    pub(crate) required: bool,
    pub(crate) description: &'static str,
    /// Spellings that are taken and never given.
    pub(crate) aliases: &'static [&'static str],
}

impl Field {
    /// A key that may be absent.
    pub(crate) const fn new(name: &'static str, shape: Shape, description: &'static str) -> Self {
        Self { name, shape, required: false, description, aliases: &[] }
    }

    /// A key that must be there.
    pub(crate) const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// Further spellings of the key.
    pub(crate) const fn aliases(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }
}

/// The fields of two lists, one after the other. `N` is the length of both.
pub(crate) const fn joined<const N: usize>(first: &[Field], second: &[Field]) -> [Field; N] {
    assert!(first.len() + second.len() == N, "N is the length of both lists");
    let mut all = [first[0]; N];
    let mut index = 0;
    while index < N {
        all[index] = if index < first.len() { first[index] } else { second[index - first.len()] };
        index += 1;
    }
    all
}

/// The same fields, none of which must be there.
pub(crate) const fn optional<const N: usize>(mut fields: [Field; N]) -> [Field; N] {
    let mut index = 0;
    while index < N {
        fields[index].required = false;
        index += 1;
    }
    fields
}

/// Everything about a tool but what it does.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools)] // The four hints of the MCP specification.
pub(crate) struct ToolSpec {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) description: &'static str,
    pub(crate) input: &'static [Field],
    pub(crate) output: &'static [Field],
    /// It changes nothing.
    pub(crate) read_only: bool,
    /// It may overwrite or remove something.
    pub(crate) destructive: bool,
    /// A second equal call changes nothing more.
    pub(crate) idempotent: bool,
    /// It may reach beyond the workspace.
    pub(crate) open_world: bool,
}
