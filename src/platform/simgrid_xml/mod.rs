//! Platform files of SimGrid, version 4.1.
//!
//! Read are zones inside zones with the routings `Full`, `Floyd`, `Dijkstra`, `DijkstraCache`, `Cluster` (with `host_link`,
//! `cabinet`, `backbone`) and `None`; clusters (`FLAT`, `TORUS`, `FAT_TREE`, `DRAGONFLY`); hosts, routers, links, routes and
//! zone routes. Everything else is refused by name and place, never skipped: a platform that is read in part would predict
//! something else. Only `prop` is a remark without effect, unless SMPI reads it.
//!
//! Rules of the format that are easy to get wrong:
//! - A SPLITDUPLEX link is two links, `NAME_UP` and `NAME_DOWN`, with the whole bandwidth each; a route has to say which.
//! - A route is symmetrical unless it says otherwise: the way back takes the same links in reverse order, UP and DOWN
//!   swapped. The route of a host to itself has no way back.
//! - Routers have no cost. They are ends of declared routes, and gateways.
//! - Hosts of `Full`, `Floyd` and `Dijkstra` zones have a loopback; those of clusters and of `None` only if it is declared.
//!
//! `document.rs` reads the elements, `cluster.rs` the clusters, `routes.rs` the routes; `network.rs` is what comes out: zones, points and the route
//! between two hosts. The ways inside a zone have a file for each routing: `declared.rs` (and `Full`), `floyd.rs`,
//! `dijkstra.rs`, `star.rs`, `torus.rs`, `fat_tree.rs`, `dragonfly.rs`. Routes are found when they are asked for.
//!
//! The document type that such files name is never fetched. One that declares something inside the file is refused, because
//! entities that expand to entities can fill any memory.

use roxmltree::{Document, ParsingOptions};

use super::Platform;
use super::error::PlatformError;
use super::parameters::Loopback;
use crate::topology::input::Located;

mod cluster;
mod declared;
mod dijkstra;
mod document;
mod dragonfly;
mod fat_tree;
mod floyd;
mod network;
mod radical;
mod routes;
mod source;
mod star;
#[cfg(test)]
mod tests;
mod torus;

use document::Description;
use source::Source;

/// Largest number of nodes of a document: 67,108,864.
const MAX_NODES: u32 = 1 << 26;

/// Reads a platform from the text of a file; `file` is its name for messages. The loopback is for hosts that declare no
/// route to themselves.
///
/// # Errors
/// [`PlatformError::Unsupported`] for what SimGrid may understand and this reader does not, [`PlatformError::File`] for what is
/// wrong; both with the place.
pub fn parse(file: &str, text: &str, loopback: Loopback) -> Result<Platform, PlatformError> {
    refuse_declarations(file, text)?;
    let options = ParsingOptions { allow_dtd: true, nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|error| {
        let place = error.pos();
        PlatformError::File(Located {
            file: file.into(),
            line: place.row as usize,
            column: place.col as usize,
            // The message ends with the place, which ours begins with.
            message: error.to_string().trim_end_matches(&format!(" at {place}")).to_owned(),
            help: "check that the file is well-formed XML, for example with xmllint".into(),
        })
    })?;
    let Description { hosts, links, loopback, network } =
        document::read(Source { file, document: &document }, loopback)?;
    Ok(Platform { name: file.into(), hosts, links, loopback: Some(loopback), routes: Box::new(network) })
}

/// Refuses a document type with declarations of its own: `<!DOCTYPE platform [ ... ]>`.
fn refuse_declarations(file: &str, text: &str) -> Result<(), PlatformError> {
    let mut rest = text.trim_start_matches('\u{feff}');
    loop {
        rest = rest.trim_start();
        let end = match rest {
            _ if rest.starts_with("<?") => rest.find("?>").map(|end| end + 2),
            _ if rest.starts_with("<!--") => rest.find("-->").map(|end| end + 3),
            _ => break,
        };
        // What is not closed, the parser complains about.
        let Some(end) = end else { return Ok(()) };
        rest = &rest[end..];
    }
    if !rest.starts_with("<!DOCTYPE") {
        return Ok(());
    }
    let mut quote = None;
    for (at, c) in rest.char_indices() {
        match (c, quote) {
            ('"' | '\'', None) => quote = Some(c),
            (_, Some(open)) if c == open => quote = None,
            ('>', None) => return Ok(()),
            ('[', None) => {
                let offset = text.len() - rest.len() + at;
                let before = &text[..offset];
                return Err(PlatformError::Unsupported(Located {
                    file: file.into(),
                    line: 1 + before.matches('\n').count(),
                    column: 1 + offset - before.rfind('\n').map_or(0, |newline| newline + 1),
                    message: "a document type with declarations inside the file is not supported".into(),
                    help: "platforms need no declarations; write `<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">`"
                        .into(),
                }));
            }
            _ => {}
        }
    }
    Ok(())
}
