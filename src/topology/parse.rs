//! Specification strings: `family:parameter=value,...`, or the name of a graph file.
//!
//! Values without a name are assigned to the parameters in order: `torus:8x8`, `star:64`, `imase_itoh:64,6`. Commas
//! inside brackets or double quotes do not separate; a double quote within quotes is written twice. A string that does
//! not begin with the name of a family and has the extension of a graph file (`.json`, `.graphml`, `.gml`, `.txt`,
//! `.edges`, `.ibnet`, `.anynet`, compressed or not) names that file. Equality networks may have their name in the publication, `N14K6[-1,1,3,9](4)`.

use super::error::TopologyError;
use super::families::equality;
use super::family::{Absent, Arguments, Family, Kind, Value, normalised};
use super::input::plain_name;
use super::presets;
use super::registry::{self, FAMILIES};
use super::spec::Spec;
use crate::similar::nearest;
use std::path::Path;
use std::str::FromStr;

/// Extensions of graph files and the family that reads them.
const EXTENSIONS: [(&str, &str); 7] = [
    (".json", "json"),
    (".graphml", "graphml"),
    (".gml", "gml"),
    (".txt", "edges"),
    (".edges", "edges"),
    (".ibnet", "ibnet"),
    (".anynet", "anynet"),
];

impl FromStr for Spec {
    type Err = TopologyError;

    fn from_str(text: &str) -> Result<Self, TopologyError> {
        let (head, rest) = text.split_once(':').map_or((text, None), |(head, rest)| (head, Some(rest)));
        if let Some(family) = registry::find(head) {
            let items = match rest {
                Some(rest) => split(text, text.len() - rest.len())?,
                None => Vec::new(),
            };
            return SpecReader { text, family }.read(&items);
        }
        if let Some(written) = equality::from_name(text)? {
            return written.parse();
        }
        if let Some(preset) = presets::find(head) {
            let items = match rest {
                Some(rest) => split(text, text.len() - rest.len())?,
                None => Vec::new(),
            };
            return preset.spec(&SpecReader { text, family: &preset.family }.read(&items)?.arguments);
        }
        let name = plain_name(Path::new(text));
        if let Some((_, reader)) = EXTENSIONS.iter().find(|(extension, _)| name.ends_with(extension)) {
            let family = registry::find(reader).expect("the table of extensions names families");
            return SpecReader { text, family }.read(&[Item { start: 0, name: Some("path"), value: text }]);
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
        let known = FAMILIES.iter().map(|family| family.name).collect::<Vec<_>>().join(", ");
        Err(TopologyError::UnknownTopology { name: head.into(), nearest: nearest(head, names).map(Into::into), known })
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

struct SpecReader<'a> {
    text: &'a str,
    family: &'static Family,
}

impl SpecReader<'_> {
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
        let wanted = normalised(name);
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
            Some(text).filter(|text| !text.is_empty() && !text.contains('\n')).map(Value::Text)
        }
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
