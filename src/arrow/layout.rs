//! How Arrow fields become columns: the columns of each field, under both layouts.

pub(crate) mod field_layout;
pub(crate) mod split;

/// How Arrow fields become columns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Counts never share a column with values: the fastest to write and to read.
    #[default]
    Split,
    /// The columns of Avro's own Trevni tools, with an Avro schema.
    Avro,
}

impl Layout {
    /// Returns the name in the file's metadata.
    pub fn name(self) -> &'static str {
        match self {
            Layout::Split => "split",
            Layout::Avro => "avro",
        }
    }

    /// Returns the layout of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Layout::Split, Layout::Avro].into_iter().find(|layout| layout.name() == name)
    }
}
