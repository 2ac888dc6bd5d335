//! A sheet: some facts and a table, for results that need no layout of their own.

use super::number::grouped;
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

/// A value of a sheet.
#[derive(Debug, Clone, PartialEq)]
pub enum Datum {
    /// Text.
    Text(String),
    /// A non-negative integer.
    Count(u64),
    /// A number, and the number of its decimals in text.
    Number(f64, usize),
    /// A number, and the words for it in text.
    Shown(f64, String),
    /// `true` or `false`.
    Flag(bool),
    /// Integers.
    List(Vec<u64>),
    /// Unknown, or not applicable.
    Missing,
}

impl Datum {
    /// Creates a number that may be missing.
    pub fn number(value: Option<f64>, decimals: usize) -> Self {
        value.map_or(Self::Missing, |value| Self::Number(value, decimals))
    }

    /// Creates a count that may be missing.
    pub fn count(value: Option<u64>) -> Self {
        value.map_or(Self::Missing, Self::Count)
    }

    /// Returns the text for people.
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) | Self::Shown(_, text) => text.clone(),
            Self::Count(count) => grouped(*count),
            Self::Number(number, 0) if (0.0..1e18).contains(number) => grouped(number.round() as u64),
            Self::Number(number, decimals) => format!("{number:.decimals$}"),
            Self::Flag(flag) => if *flag { "yes" } else { "no" }.into(),
            Self::List(list) => list.iter().map(u64::to_string).collect::<Vec<_>>().join(","),
            Self::Missing => "-".into(),
        }
    }

    /// Returns the field of CSV for programs.
    pub fn field(&self) -> String {
        match self {
            Self::Count(count) => count.to_string(),
            Self::Number(number, _) | Self::Shown(number, _) => number.to_string(),
            Self::Flag(flag) => flag.to_string(),
            Self::List(list) => list.iter().map(u64::to_string).collect::<Vec<_>>().join(" "),
            Self::Missing => String::new(),
            Self::Text(text) => text.clone(),
        }
    }
}

impl Serialize for Datum {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Count(count) => serializer.serialize_u64(*count),
            Self::Number(number, _) | Self::Shown(number, _) => serializer.serialize_f64(*number),
            Self::Flag(flag) => serializer.serialize_bool(*flag),
            Self::List(list) => list.serialize(serializer),
            Self::Missing => serializer.serialize_none(),
        }
    }
}

/// Column of a sheet: its name for programs and its heading for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// Name in JSON and CSV.
    pub name: &'static str,
    /// Heading in text; `None` for a column that text omits.
    pub heading: Option<&'static str>,
}

/// Table of a sheet.
#[derive(Debug, Clone, PartialEq)]
pub struct Rows {
    /// Name of the list in JSON.
    pub name: &'static str,
    /// Columns.
    pub columns: Vec<Column>,
    /// Rows, with a value for each column.
    pub rows: Vec<Vec<Datum>>,
}

/// Facts and tables. Text shows all of them, but only the size of detail tables; JSON has all; CSV has the last table,
/// or the facts if there is no table.
#[derive(Debug, Clone, PartialEq)]
pub struct Sheet {
    /// Name and version of the schema in JSON.
    pub schema: &'static str,
    /// First line of the text.
    pub title: String,
    /// Facts: name for programs, name for people, value.
    pub facts: Vec<(&'static str, &'static str, Datum)>,
    /// Tables that text shows, except for those without headings.
    pub tables: Vec<Rows>,
    /// A long table that only programs need.
    pub detail: Option<Rows>,
    /// Remarks at the end of the text.
    pub notes: Vec<String>,
}

struct SheetRow<'a>(&'a [Column], &'a [Datum]);

impl Serialize for SheetRow<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|column| column.name).zip(self.1))
    }
}

impl Rows {
    /// `true` if text shows a column of it.
    pub fn has_text(&self) -> bool {
        self.columns.iter().any(|column| column.heading.is_some())
    }
}

impl Serialize for Rows {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.rows.len()))?;
        for row in &self.rows {
            list.serialize_element(&SheetRow(&self.columns, row))?;
        }
        list.end()
    }
}

impl Serialize for Sheet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("schema", self.schema)?;
        for (name, _, value) in &self.facts {
            map.serialize_entry(name, value)?;
        }
        for rows in self.tables.iter().chain(&self.detail) {
            map.serialize_entry(rows.name, rows)?;
        }
        map.end()
    }
}
