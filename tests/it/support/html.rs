//! HTML pages as a browser parses them.

use html5ever::tendril::TendrilSink;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};
use std::collections::{BTreeMap, HashSet};

/// Parses a page, and keeps the errors of the parser.
pub fn parse(page: &str) -> RcDom {
    let options = ParseOpts {
        tokenizer: html5ever::tokenizer::TokenizerOpts { exact_errors: true, ..Default::default() },
        ..Default::default()
    };
    parse_document(RcDom::default(), options).one(page)
}

/// Attributes of an element.
pub type Attributes = BTreeMap<String, String>;

/// All elements in the order of the page: name, attributes, text within.
pub fn elements(dom: &RcDom) -> Vec<(String, Attributes, String)> {
    fn text(node: &Handle, out: &mut String) {
        if let NodeData::Text { contents } = &node.data {
            out.push_str(&contents.borrow());
        }
        node.children.borrow().iter().for_each(|child| text(child, out));
    }
    fn walk(node: &Handle, out: &mut Vec<(String, Attributes, String)>) {
        if let NodeData::Element { name, attrs, .. } = &node.data {
            let attributes = attrs.borrow().iter().map(|a| (a.name.local.to_string(), a.value.to_string())).collect();
            let mut within = String::new();
            text(node, &mut within);
            out.push((name.local.to_string(), attributes, within));
        }
        node.children.borrow().iter().for_each(|child| walk(child, out));
    }
    let mut out = Vec::new();
    walk(&dom.document, &mut out);
    out
}

/// Fails unless a page is valid, its ids are unique, and all links lead to one of them.
pub fn check_validity(page: &str) {
    let dom = parse(page);
    assert!(dom.errors.borrow().is_empty(), "{:?}", dom.errors.borrow());
    let elements = elements(&dom);
    let mut ids = HashSet::new();
    for id in elements.iter().filter_map(|(_, a, _)| a.get("id")) {
        assert!(ids.insert(id.clone()), "id {id} twice");
    }
    for (name, attributes, _) in &elements {
        for target in ["href", "aria-labelledby"].iter().filter_map(|a| attributes.get(*a)) {
            for id in target.split(' ') {
                assert!(ids.contains(id.trim_start_matches('#')), "{name} points to {target}");
            }
        }
        if let Some(pattern) = attributes.get("fill").and_then(|f| f.strip_prefix("url(#")) {
            assert!(ids.contains(pattern.trim_end_matches(')')), "{pattern}");
        }
    }
    assert_eq!(elements.iter().filter(|e| e.0 == "h1").count(), 1);
}
