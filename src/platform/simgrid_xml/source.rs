//! Elements and attributes of a document, and errors with their positions.

use roxmltree::{Attribute, Document, Node};

use super::super::error::PlatformError;
use super::super::units::FromSimGrid;
use crate::topology::input::Located;

/// A document and the name of its file.
#[derive(Clone, Copy)]
pub(super) struct XmlSource<'a, 'input> {
    pub(super) file: &'a str,
    pub(super) document: &'a Document<'input>,
}

impl<'a, 'input> XmlSource<'a, 'input> {
    pub(super) fn located(&self, at: usize, message: String, help: &str) -> Located {
        let place = self.document.text_pos_at(at);
        Located {
            file: self.file.into(),
            line: place.row as usize,
            column: place.col as usize,
            message,
            help: help.into(),
        }
    }

    /// Returns the error for a broken rule, at a byte of the document.
    pub(super) fn wrong<T>(&self, at: usize, message: String, help: &str) -> Result<T, PlatformError> {
        Err(PlatformError::File(self.located(at, message, help)))
    }

    /// Returns the error for a feature that SimGrid may support and mopsim does not simulate.
    pub(super) fn unsupported<T>(&self, at: usize, message: String, help: &str) -> Result<T, PlatformError> {
        Err(PlatformError::Unsupported(self.located(at, message, help)))
    }

    /// Returns the line of a byte of the document.
    pub(super) fn line(&self, at: usize) -> u32 {
        self.document.text_pos_at(at).row
    }

    /// Returns the elements inside another; text between them is an error.
    pub(super) fn elements(&self, node: Node<'a, 'input>) -> Result<Vec<Node<'a, 'input>>, PlatformError> {
        for child in node.children().filter(Node::is_text) {
            if child.text().is_some_and(|text| !text.trim().is_empty()) {
                let message = format!("there is text inside `{}`", node.tag_name().name());
                return self.wrong(child.range().start, message, "platforms have elements and attributes only");
            }
        }
        Ok(node.children().filter(Node::is_element).collect())
    }

    /// Refuses children of an element that must not have any.
    pub(super) fn empty(&self, node: Node<'a, 'input>) -> Result<(), PlatformError> {
        match self.elements(node)?.first() {
            None => Ok(()),
            Some(&inner) => self.refuse_element(inner),
        }
    }

    /// Refuses children other than properties.
    pub(super) fn properties_only(&self, node: Node<'a, 'input>) -> Result<(), PlatformError> {
        for inner in self.elements(node)? {
            if inner.tag_name().name() != "prop" {
                return self.refuse_element(inner);
            }
            self.property(inner)?;
        }
        Ok(())
    }

    /// Checks a property: a remark for programs, without effect on the network unless SMPI reads it.
    pub(super) fn property(&self, node: Node<'a, 'input>) -> Result<(), PlatformError> {
        self.attributes(node, &["id", "value"])?;
        self.empty(node)?;
        let id = self.required(node, "id")?;
        if id.value().starts_with("smpi/") {
            let message = format!("property `{}` changes what messages of this host cost", id.value());
            return self.unsupported(id.range().start, message, "leave it out; overheads of hosts are not simulated");
        }
        Ok(())
    }

    /// Refuses an element by name.
    pub(super) fn refuse_element<T>(&self, node: Node<'a, 'input>) -> Result<T, PlatformError> {
        let inside = node.parent_element().map_or("", |parent| parent.tag_name().name());
        let name = node.tag_name().name();
        let message = format!("element `{name}` inside `{inside}` is not supported");
        self.unsupported(node.range().start, message, refusal_help(name))
    }

    /// Refuses attributes that this reader does not know.
    pub(super) fn attributes(&self, node: Node<'a, 'input>, known: &[&str]) -> Result<(), PlatformError> {
        match node.attributes().find(|attribute| !known.contains(&attribute.name())) {
            None => Ok(()),
            Some(other) => {
                let message = format!("attribute `{}` of `{}` is not supported", other.name(), node.tag_name().name());
                let profile = other.name().ends_with("_file");
                let help = if profile { PROFILES.to_owned() } else { format!("supported are {}", known.join(", ")) };
                self.unsupported(other.range().start, message, &help)
            }
        }
    }

    /// Returns a required attribute.
    pub(super) fn required(&self, node: Node<'a, 'input>, name: &str) -> Result<Attribute<'a, 'input>, PlatformError> {
        match node.attribute_node(name) {
            Some(attribute) => Ok(attribute),
            None => {
                let message = format!("`{}` has no attribute `{name}`", node.tag_name().name());
                self.wrong(node.range().start, message, &format!("add {name}=\"...\""))
            }
        }
    }

    /// Reads a quantity with a unit of SimGrid.
    pub(super) fn parsed<T: FromSimGrid>(&self, attribute: Attribute<'a, 'input>) -> Result<T, PlatformError> {
        T::from_simgrid(attribute.value()).or_else(|error| {
            let message = format!("attribute `{}`: {error}", attribute.name());
            self.wrong(attribute.range_value().start, message, "units are those of SimGrid, e.g. 1.25GBps, 1us, 1Gf")
        })
    }

    /// Reads a required quantity.
    pub(super) fn quantity<T: FromSimGrid>(&self, node: Node<'a, 'input>, name: &str) -> Result<T, PlatformError> {
        self.parsed(self.required(node, name)?)
    }

    /// Returns the number of cores of a host; 1 if it is missing.
    pub(super) fn cores(&self, node: Node<'a, 'input>) -> Result<u32, PlatformError> {
        let Some(core) = node.attribute_node("core") else { return Ok(1) };
        match core.value().trim().parse::<u32>() {
            Ok(cores) if cores >= 1 => Ok(cores),
            _ => {
                let message = format!("`core` is `{}`, and must be a number of cores, at least 1", core.value());
                self.wrong(core.range().start, message, "write for example core=\"4\"")
            }
        }
    }
}

/// Remedy for speeds, bandwidths, latencies and states that change.
const PROFILES: &str = "states, speeds and bandwidths that change over time are not simulated yet (ask for it if you need \
                        it); they are constant here, so leave the profile out";

/// Returns the remedy for an element that is not simulated.
fn refusal_help(name: &str) -> &'static str {
    match name {
        "config" => "put it into the platform, in front of the first zone",
        "trace" | "trace_connect" => PROFILES,
        "storage" | "storage_type" | "mount" => "input and output are not simulated; leave it out",
        "peer" => "a peer is a point of a zone with routing Vivaldi; elsewhere describe it by a host with a link",
        "actor" | "process" => "the trace says what runs, and a host file where; leave the deployment out",
        "include" => "put the content of the other file here",
        "random" | "model_prop" => "SimGrid ignores it; leave it out",
        _ => {
            "supported are zones (Full, Floyd, Dijkstra, Cluster), clusters, hosts, routers, links, routes and zone \
             routes"
        }
    }
}

/// Returns `true` if the number of a quantity is zero, whatever its unit.
pub(super) fn is_zero(text: &str) -> bool {
    let rest = text.trim().trim_start_matches(['0', '.']);
    rest.len() < text.trim().len() && !rest.starts_with(|c: char| c.is_ascii_digit() || matches!(c, 'x' | 'X'))
}
