//! Platform files of SimGrid, version 4.1.
//!
//! Supported elements are nested zones with the routings `Full`, `Floyd`, `Dijkstra`, `DijkstraCache`, `Cluster` (with
//! `host_link`, `cabinet`, `backbone`), `Vivaldi` (with `peer`) and `None`; clusters (`FLAT`, `TORUS`, `FAT_TREE`,
//! `DRAGONFLY`); hosts, routers, links, routes, zone routes and routes that bypass others; and `config`, whose
//! properties are passed on unchanged. Everything else is refused by name and position, never skipped: a platform that
//! is read in part would lead to other predictions. Disks, and properties that SMPI does not read, have no effect on
//! messages.
//!
//! Rules of the format that are easy to get wrong:
//! - A SPLITDUPLEX link is two links, `NAME_UP` and `NAME_DOWN`, with the full bandwidth each; a route has to name one
//!   of them.
//! - A route is symmetrical by default: the reverse route takes the same links in reverse order, with UP and DOWN
//!   swapped. The route of a host to itself has no reverse route.
//! - Routers have no cost. They are ends of declared routes, and gateways.
//! - Hosts of `Full`, `Floyd` and `Dijkstra` zones have a loopback; hosts of clusters and of `None` have one only if it
//!   is declared.
//!
//! `document.rs` reads the elements, `cluster.rs` the clusters, `routes.rs` the routes, into the state of `builder.rs`;
//! `network.rs` is the result: zones, points and the route between two hosts. Each routing inside a zone has its own
//! file: `declared.rs` (and `Full`), `floyd.rs`, `dijkstra.rs`, `star.rs`, `torus.rs`, `fat_tree.rs`, `dragonfly.rs`, `vivaldi.rs`. `bypass.rs`
//! has the routes that override all of these. Routes are computed on demand.
use super::Platform;
use super::error::PlatformError;
use super::loaded::Loaded;
use super::parameters::Loopback;
use crate::topology::xml;

mod builder;
mod bypass;
mod cluster;
mod declared;
mod dijkstra;
mod document;
mod dragonfly;
mod edges;
mod fat_tree;
mod floyd;
mod leaves;
mod network;
mod points;
mod radical;
mod routes;
mod source;
mod star;
#[cfg(test)]
mod tests;
mod torus;
mod vivaldi;

use document::Description;
use source::XmlSource;
use std::sync::Arc;

/// Reads a platform from the text of a file; `file` is its name for messages. The loopback is for hosts that declare no
/// route to themselves.
///
/// # Errors
/// [`PlatformError::Unsupported`] for elements that SimGrid may support and this reader does not,
/// [`PlatformError::File`] for invalid ones; both with the position.
pub fn parse(file: &str, text: &str, loopback: Loopback) -> Result<Platform, PlatformError> {
    Ok(parse_all(file, text, loopback)?.platform)
}

/// Reads a platform with the settings of its `config`, like [`parse`].
///
/// # Errors
/// The same errors as [`parse`].
pub fn parse_all(file: &str, text: &str, loopback: Loopback) -> Result<Loaded, PlatformError> {
    if let Some(located) = xml::declarations(file, text) {
        return Err(PlatformError::Unsupported(located));
    }
    let text = xml::with_plain_comments(xml::without_late_declaration(text));
    let document = xml::parse(file, &text).map_err(PlatformError::File)?;
    let Description { hosts, links, loopback, network, settings, remarks } =
        document::read(XmlSource { file, document: &document }, loopback)?;
    let platform = Platform {
        name: file.into(),
        hosts,
        failed: Vec::new(),
        links,
        loopback: Some(loopback),
        routes: Arc::new(network),
    };
    Ok(Loaded { settings, remarks, ..Loaded::from(platform) })
}
