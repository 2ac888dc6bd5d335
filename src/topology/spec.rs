//! Specification strings: `family:parameter=value,...`, or the name of a graph file.
//!
//! Values without a name are assigned to the parameters in order: `torus:8x8`, `star:64`, `imase_itoh:64,6`. Commas
//! inside brackets or double quotes do not separate; a double quote within quotes is written twice. A string that does
//! not begin with the name of a family and has the extension of a graph file (`.json`, `.graphml`, `.txt`, `.edges`,
//! compressed or not) names that file. Equality networks may have their name in the publication, `N14K6[-1,1,3,9](4)`.

use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use super::Topology;
use super::error::TopologyError;
use super::families::{damaged, equality, rails};
use super::input::plain_name;
use super::presets;
use super::registry::{self, Absent, Arguments, CABINET, FAMILIES, Family, Kind, Value};
use crate::similar::nearest;

/// Extensions of graph files and the family that reads them.
const EXTENSIONS: [(&str, &str); 4] =
    [(".json", "json"), (".graphml", "graphml"), (".txt", "edges"), (".edges", "edges")];

/// A specification that has been read: a family, and arguments of the right kinds.
#[derive(Clone, Debug)]
pub struct Spec {
    arguments: Arguments,
    seed_given: bool,
}

impl Spec {
    /// Returns the family that is specified.
    pub fn family(&self) -> &'static Family {
        self.arguments.family
    }

    /// Returns the arguments, defaults filled in.
    pub fn arguments(&self) -> &Arguments {
        &self.arguments
    }

    /// Returns the seed of a random family; `None` for a family without randomness, and for a damaged network in which
    /// nothing fails at random. Of several planes, it is the seed of the first random one.
    pub fn seed(&self) -> Option<u64> {
        if let Some(bases) = rails::bases(self) {
            return bases.iter().find_map(Self::seed);
        }
        let is_given = |name: &&str| self.arguments.get(name).is_some();
        if self.family().name == "damaged" && !["cables", "switches", "degraded"].iter().any(is_given) {
            return None;
        }
        self.arguments.seed()
    }

    /// Returns `true` if the specification contains the seed; a seed from elsewhere should then not replace it.
    pub fn seed_given(&self) -> bool {
        match rails::bases(self) {
            Some(bases) => bases.iter().all(|base| base.seed_given() || base.seed().is_none()),
            None => self.seed_given,
        }
    }

    /// Returns `true` if the graph is read from a file.
    pub fn is_file(&self) -> bool {
        self.family().parameters.iter().any(|parameter| parameter.name == "path")
    }

    /// Returns the number of switches in a group of a Dragonfly, the first group beginning with the first switch;
    /// `None` for families without groups.
    pub fn group(&self) -> Option<u32> {
        if let Some(base) = damaged::base_of(self) {
            return base.group();
        }
        if let Some(bases) = rails::bases(self) {
            // Hosts are numbered alike in all planes, and their switches are those of the first one.
            return bases.first()?.group();
        }
        let parameters: &[&str] = match self.family().name {
            "dragonfly" => &["a"],
            "dragonfly_fc" => &[CABINET.name],
            "dragonfly_plus" => &["l", "s"],
            _ => return None,
        };
        let sizes = parameters.iter().map(|name| self.arguments.integer(name));
        let size: i64 = sizes.sum::<Option<i64>>()?;
        u32::try_from(size).ok().filter(|&size| size > 0)
    }

    /// Returns the number of switches per cabinet, if the family or its base is built from cabinets.
    pub fn cabinet(&self) -> Option<u32> {
        if let Some(base) = damaged::base_of(self) {
            return base.cabinet();
        }
        if let Some(bases) = rails::bases(self) {
            // Planes of families with different cabinets have the default ones.
            let size = bases.first()?.cabinet();
            return size.filter(|_| bases.iter().all(|base| base.cabinet() == size));
        }
        let has = |name| self.family().parameters.iter().any(|parameter| parameter.name == name);
        if !has(CABINET.name) {
            return None;
        }
        match self.arguments.integer(CABINET.name) {
            Some(size) => u32::try_from(size).ok().filter(|&size| size > 0),
            None if has("base") => self.arguments.text("base").parse::<Spec>().ok()?.cabinet(),
            None => None,
        }
    }

    /// Sets the seed of a random family; does nothing for other families.
    pub fn set_seed(&mut self, seed: u64) {
        if self.family().name == "rails" {
            return rails::change_bases(&mut self.arguments, |base| {
                let open = base.seed().is_some() && !base.seed_given();
                if open {
                    base.set_seed(seed);
                }
                open
            });
        }
        for value in self.arguments.values.iter_mut().flatten() {
            if let Value::Seed(old) = value {
                *old = seed;
            }
        }
    }

    /// Resolves the name of a graph file relative to `folder`, if there is one and it is relative.
    pub fn resolve_files(&mut self, folder: &Path) {
        if self.family().name == "rails" {
            return rails::resolve_files(&mut self.arguments, folder);
        }
        let has_files = |base: &Self| base.is_file() || base.family().name == "rails";
        if let Some(mut base) = damaged::base_of(self).filter(has_files) {
            base.resolve_files(folder);
            let place = self.family().parameters.iter().position(|parameter| parameter.name == "base");
            let value = place.and_then(|place| self.arguments.values.get_mut(place));
            *value.expect("a damaged network has a base") = Some(Value::Text(base.to_string()));
        }
        for (parameter, value) in self.family().parameters.iter().zip(&mut self.arguments.values) {
            if let ("path", Some(Value::Text(path))) = (parameter.name, value) {
                *path = folder.join(&*path).to_string_lossy().into_owned();
            }
        }
    }

    /// Checks the arguments and builds the graph.
    ///
    /// # Errors
    /// [`TopologyError::InvalidParameter`] before anything is allocated, [`TopologyError::Unbuildable`], and for graph
    /// files [`TopologyError::File`] and [`TopologyError::Read`].
    pub fn build(&self) -> Result<Topology, TopologyError> {
        if self.family().name == "rails" {
            let rails = rails::rails(&self.arguments)?;
            let graph = rails.union().map_err(|error| self.arguments.invalid("base", error.to_string()))?;
            // Planes have their canonical names, with the seeds of random ones.
            let mut spec = self.clone();
            rails::change_bases(&mut spec.arguments, |_| true);
            return Ok(Topology { spec, graph: Arc::new(graph), rails: Some(Arc::new(rails)) });
        }
        let graph = (self.family().build)(&self.arguments)?;
        let rails = match damaged::base_of(self) {
            Some(base) if base.family().name == "rails" => {
                Some(Arc::new(rails::rails(base.arguments())?.damaged(&graph)?))
            }
            _ => None,
        };
        Ok(Topology { spec: self.clone(), graph: Arc::new(graph), rails })
    }
}

impl FromStr for Spec {
    type Err = TopologyError;

    fn from_str(text: &str) -> Result<Self, TopologyError> {
        let (head, rest) = text.split_once(':').map_or((text, None), |(head, rest)| (head, Some(rest)));
        if let Some(family) = registry::find(head) {
            let items = match rest {
                Some(rest) => split(text, text.len() - rest.len())?,
                None => Vec::new(),
            };
            return Reader { text, family }.read(&items);
        }
        if let Some(written) = equality::from_name(text)? {
            return written.parse();
        }
        if let Some(preset) = presets::find(head) {
            let items = match rest {
                Some(rest) => split(text, text.len() - rest.len())?,
                None => Vec::new(),
            };
            return preset.spec(&Reader { text, family: &preset.family }.read(&items)?.arguments);
        }
        let name = plain_name(Path::new(text));
        if let Some((_, reader)) = EXTENSIONS.iter().find(|(extension, _)| name.ends_with(extension)) {
            let family = registry::find(reader).expect("the table of extensions names families");
            return Reader { text, family }.read(&[Item { start: 0, name: Some("path"), value: text }]);
        }
        let syntax = |reason: &str| TopologyError::Syntax { spec: text.into(), column: 1, reason: reason.into() };
        if text.trim().is_empty() {
            return Err(syntax("it is empty"));
        }
        if name.ends_with(".xml") {
            return Err(syntax(
                "a SimGrid platform has hosts and routes of its own; give it as a platform, not a topology",
            ));
        }
        // No family has a dot or a slash in its name: this is a file.
        if head.contains(['.', '/', '\\']) {
            return Err(TopologyError::UnknownFormat { file: text.into() });
        }
        let families = FAMILIES.iter().chain(presets::PRESETS.iter().map(|preset| &preset.family));
        let names = families.flat_map(|family| [family.name].into_iter().chain(family.aliases.iter().copied()));
        Err(TopologyError::UnknownTopology { name: head.into(), nearest: nearest(head, names).map(Into::into) })
    }
}

/// One `name=value` or `value` of a specification.
struct Item<'a> {
    /// Byte offset in the specification.
    start: usize,
    name: Option<&'a str>,
    value: &'a str,
}

/// Splits the arguments that begin at byte `from` at commas outside brackets and quotes.
fn split(text: &str, from: usize) -> Result<Vec<Item<'_>>, TopologyError> {
    let mut items = Vec::new();
    let (mut start, mut depth, mut quoted, mut equals) = (from, 0_usize, false, None);
    let mut push = |start: usize, end: usize, equals: Option<usize>| {
        let (name, value) = match equals {
            Some(at) => (Some(text[start..at].trim()), &text[at + 1..end]),
            None => (None, &text[start..end]),
        };
        items.push(Item { start, name, value: value.trim() });
    };
    for (at, c) in text.char_indices().filter(|&(at, _)| at >= from) {
        match c {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '[' => depth += 1,
            ']' if depth == 0 => return Err(syntax_error(text, at, "there is nothing that this `]` closes")),
            ']' => depth -= 1,
            '=' if depth == 0 && equals.is_none() => equals = Some(at),
            ',' if depth == 0 => {
                push(start, at, equals);
                (start, equals) = (at + 1, None);
            }
            _ => {}
        }
    }
    if quoted || depth > 0 {
        return Err(syntax_error(
            text,
            text.len(),
            if quoted { "a `\"` is not closed" } else { "a `[` is not closed" },
        ));
    }
    push(start, text.len(), equals);
    Ok(items)
}

fn syntax_error(spec: &str, at: usize, reason: impl Into<String>) -> TopologyError {
    TopologyError::Syntax { spec: spec.into(), column: 1 + spec[..at].chars().count(), reason: reason.into() }
}

struct Reader<'a> {
    text: &'a str,
    family: &'static Family,
}

impl Reader<'_> {
    fn read(&self, items: &[Item<'_>]) -> Result<Spec, TopologyError> {
        let parameters = self.family.parameters;
        let mut values: Vec<Option<Value>> = vec![None; parameters.len()];
        let mut named = false;
        for (position, item) in items.iter().enumerate() {
            let index = match item.name {
                Some(name) => self.parameter(name)?,
                None if item.value.is_empty() => {
                    return Err(syntax_error(self.text, item.start, "a value is missing here"));
                }
                None if named => {
                    return Err(syntax_error(self.text, item.start, "a value without a name follows one with a name"));
                }
                None if position >= parameters.len() => {
                    let rule = format!("`{}` has only {}", self.family.name, self.known());
                    return Err(syntax_error(self.text, item.start, format!("one value too many: {rule}")));
                }
                None => position,
            };
            named |= item.name.is_some();
            let parameter = &parameters[index];
            if values[index].is_some() {
                return Err(syntax_error(self.text, item.start, format!("`{}` is given twice", parameter.name)));
            }
            let value = parse(item.value, parameter.kind)
                .ok_or_else(|| self.invalid(parameter.name, format!("`{}`", item.value), parameter.kind.rule()))?;
            values[index] = Some(value);
        }
        let seed_given = values.iter().flatten().any(|value| matches!(value, Value::Seed(_)));
        for (value, parameter) in values.iter_mut().zip(parameters) {
            match parameter.absent {
                _ if value.is_some() => {}
                Absent::Allowed => {}
                Absent::Refused => {
                    let rule = format!("it is required ({})", parameter.help);
                    return Err(self.invalid(parameter.name, "not given".into(), &rule));
                }
                Absent::Default(text) => {
                    *value = Some(parse(text, parameter.kind).expect("the registry's defaults are of their kind"));
                }
            }
        }
        Ok(Spec { arguments: Arguments { family: self.family, values }, seed_given })
    }

    fn parameter(&self, name: &str) -> Result<usize, TopologyError> {
        let wanted = registry::normalised(name);
        let names = self.family.parameters.iter().map(|parameter| parameter.name);
        names.clone().position(|parameter| parameter == wanted).ok_or_else(|| TopologyError::UnknownParameter {
            topology: self.family.name.into(),
            parameter: name.into(),
            nearest: nearest(name, names).map(Into::into),
            known: self.known(),
        })
    }

    fn known(&self) -> String {
        self.family.parameters.iter().map(|parameter| parameter.name).collect::<Vec<_>>().join(", ")
    }

    fn invalid(&self, parameter: &str, value: String, constraint: &str) -> TopologyError {
        TopologyError::InvalidParameter {
            topology: self.family.name.into(),
            parameter: parameter.into(),
            value,
            constraint: constraint.into(),
        }
    }
}

/// Reads one value; `None` if it is not of the kind.
fn parse(text: &str, kind: Kind) -> Option<Value> {
    let unquoted = || text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let bracketed = || text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let list = |text: &str, separators: &[char]| {
        if text.trim().is_empty() {
            return Some(Value::Integers(Vec::new()));
        }
        text.split(separators).map(|item| item.trim().parse().ok()).collect::<Option<_>>().map(Value::Integers)
    };
    match kind {
        Kind::Integer => text.parse().ok().map(Value::Integer),
        Kind::Seed => text.parse().ok().map(Value::Seed),
        Kind::Boolean => text.parse().ok().map(Value::Boolean),
        Kind::Integers => list(bracketed()?, &[',']),
        Kind::Dimensions => match bracketed() {
            Some(inner) => list(inner, &[',']),
            None if text.is_empty() => None,
            None => list(text, &['x', 'X']),
        },
        Kind::Text => {
            let text = unquoted().map_or_else(|| text.to_owned(), |text| text.replace("\"\"", "\""));
            Some(text).filter(|text| !text.is_empty()).map(Value::Text)
        }
    }
}

/// Writes a value as a specification would.
pub(super) fn written(value: &Value, kind: Kind) -> String {
    let joined =
        |values: &[i64], separator: &str| values.iter().map(i64::to_string).collect::<Vec<_>>().join(separator);
    match value {
        Value::Integer(value) => value.to_string(),
        Value::Seed(value) => value.to_string(),
        Value::Boolean(value) => value.to_string(),
        Value::Integers(values) if kind == Kind::Dimensions && !values.is_empty() => joined(values, "x"),
        Value::Integers(values) => format!("[{}]", joined(values, ",")),
        Value::Text(text) if text.contains(|c: char| matches!(c, ',' | '[' | ']' | '"') || c.is_whitespace()) => {
            format!("\"{}\"", text.replace('"', "\"\""))
        }
        Value::Text(text) => text.clone(),
    }
}

/// Returns a text in quotes, as a value of a specification.
pub(crate) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// Returns the canonical form: every parameter that has a value, by name, in the order of the registry.
pub(super) fn canonical(arguments: &Arguments) -> String {
    let mut text = String::from(arguments.family.name);
    let mut separator = ':';
    for (value, parameter) in arguments.values.iter().zip(arguments.family.parameters) {
        if let Some(value) = value {
            text.push(separator);
            text.push_str(&format!("{}={}", parameter.name, written(value, parameter.kind)));
            separator = ',';
        }
    }
    text
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&canonical(&self.arguments))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::user_error::UserError;
    use proptest::prelude::*;

    fn canonical(text: &str) -> String {
        text.parse::<Spec>().unwrap_or_else(|error| panic!("{text}: {error}")).to_string()
    }

    fn error(text: &str) -> TopologyError {
        text.parse::<Spec>().expect_err(text)
    }

    #[test]
    fn the_forms_of_a_specification_are_equal() {
        assert_eq!(canonical("torus:8x8"), "torus:dims=8x8");
        assert_eq!(canonical("Torus:dims=[8, 8]"), "torus:dims=8x8");
        assert_eq!(canonical("random:n=64,d=6"), "random_regular:n=64,d=6,seed=1");
        assert_eq!(
            canonical("random:64,6,seed=18446744073709551615"),
            "random_regular:n=64,d=6,seed=18446744073709551615"
        );
        assert_eq!(canonical("random-digraph:n=64,d=6,seed=2"), "random_directed:n=64,d=6,seed=2");
        assert_eq!(canonical("imase_ab:n=256,d=8,a=-1"), "imase_ab:n=256,d=8,a=-1,b=1");
        assert_eq!(canonical("star:64"), "star:n=64");
        assert_eq!(canonical("a/graph.json"), "json:path=a/graph.json");
        assert_eq!(canonical("C:\\x,y\\cables.txt.gz"), "edges:path=\"C:\\x,y\\cables.txt.gz\"");
        assert_eq!(canonical("edges:path=\"a,b\",directed=true"), "edges:path=\"a,b\",directed=true");
        // A quote within quotes is written twice; text that would end a name is quoted.
        assert_eq!(canonical("a,\"b\".json"), "json:path=\"a,\"\"b\"\".json\"");
        assert_eq!(canonical(&canonical("a,\"b\".json")), "json:path=\"a,\"\"b\"\".json\"");
        assert_eq!(canonical(&canonical("\u{b}x.graphml")), "graphml:path=\"\u{b}x.graphml\"");
    }

    #[test]
    fn a_seed_from_elsewhere_is_for_random_families_only() {
        let mut random: Spec = "random:n=64,d=6".parse().unwrap();
        assert!(!random.seed_given());
        random.set_seed(9);
        assert_eq!((random.seed(), random.to_string()), (Some(9), "random_regular:n=64,d=6,seed=9".into()));
        let mut torus: Spec = "torus:4x4".parse().unwrap();
        torus.set_seed(9);
        assert_eq!(torus.seed(), None);
        assert!("random:n=4,d=2,seed=1".parse::<Spec>().unwrap().seed_given());
    }

    #[test]
    fn unknown_names_get_the_nearest_one() {
        let text = error("tours:8x8").to_string();
        assert_eq!(text, "there is no topology `tours` (did you mean `torus`?)");
        let text = error("random:n=4,d=2,sede=1").to_string();
        assert!(text.contains("no parameter `sede` (did you mean `seed`?); it has n, d, seed"), "{text}");
        assert!(matches!(error("qqqq:1"), TopologyError::UnknownTopology { nearest: None, .. }));
        assert!(error("qqqq").help().contains("imase_itoh"));
    }

    #[test]
    fn mistakes_have_a_column_or_a_rule() {
        let column = |text: &str| match error(text) {
            TopologyError::Syntax { column, .. } => column,
            other => panic!("{text}: {other}"),
        };
        assert_eq!(column(""), 1);
        assert_eq!(column("torus:"), 7);
        assert_eq!(column("torus:dims=4x4,dims=4x4"), 16);
        assert_eq!(column("star:4,5"), 8);
        assert_eq!(column("random:n=4,2"), 12);
        assert_eq!(column("torus:dims=[4,4"), 16);
        assert_eq!(column("torus:4]"), 8);
        assert_eq!(column("edges:\"a"), 9);
        assert_eq!(column("platform.xml"), 1);
        for text in [
            "torus",
            "torus:dims=",
            "torus:4x",
            "torus:4y4",
            "torus:99999999999999999999",
            "star:n=1.5",
            "random:4,2,-1",
            "edges:a,directed=perhaps",
            "imase_itoh:n=8",
        ] {
            assert!(matches!(error(text), TopologyError::InvalidParameter { .. }), "{text}: {}", error(text));
        }
    }

    proptest! {
        #[test]
        fn no_text_panics_and_canonical_forms_are_stable(text in "(torus|random|edges|imase_ab|x)?:?[a-z0-9=,x\\[\\]\"é-]{0,30}") {
            if let Ok(spec) = text.parse::<Spec>() {
                let written = spec.to_string();
                prop_assert_eq!(written.parse::<Spec>().unwrap().to_string(), written);
            }
        }
    }
}
