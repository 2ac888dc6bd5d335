//! Communication matrix of the ranks: a heat map in characters, as SVG, and a list for programs.
//!
//! If there are more ranks than fit, they are combined in groups of equal size. Tones are logarithmic: neighbours and
//! distant ranks often differ by powers of ten.

use crate::markup::{GENERATOR, escape_text};
use crate::report::csv::{Column, TRACE, lines};
use crate::trace::inspect::{Info, Volume};
use std::fmt::Write as _;
use std::io::{self, Write};

/// Largest number of rows of the heat map in characters.
const ROWS: usize = 32;
/// Largest number of rows of the drawing.
const CELLS: usize = 128;
/// Tones, from none to the largest volume.
const TONES: [char; 6] = [' ', '·', '░', '▒', '▓', '█'];

/// Bytes between groups of ranks.
struct Grouped {
    /// Number of ranks per group.
    size: usize,
    /// Number of groups.
    groups: usize,
    /// Bytes row by row: from, to.
    bytes: Vec<u64>,
}

impl Grouped {
    fn of(info: &Info, most: usize) -> Self {
        let ranks = info.ranks.len().max(1);
        let size = ranks.div_ceil(most);
        let groups = ranks.div_ceil(size);
        let mut bytes = vec![0; groups * groups];
        for &(from, to, volume) in &info.matrix {
            // Messages without bytes count as well.
            bytes[from as usize / size * groups + to as usize / size] += volume.bytes.max(1);
        }
        Self { size, groups, bytes }
    }

    fn most(&self) -> u64 {
        self.bytes.iter().copied().max().unwrap_or(0)
    }

    /// Returns the tone of a cell: 0 for nothing, 1 for the maximum, in between by the logarithm over four powers of
    /// ten.
    fn tone(&self, cell: u64) -> f64 {
        if cell == 0 {
            return 0.0;
        }
        let powers = (cell as f64 / self.most() as f64).log10();
        (1.0 + powers / 4.0).clamp(0.0, 1.0)
    }

    fn label(&self, group: usize, ranks: usize) -> String {
        let (first, last) = (group * self.size, ((group + 1) * self.size).min(ranks) - 1);
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    }
}

/// Writes the heat map in characters, in less than 80 columns.
///
/// # Errors
/// If writing to `out` fails.
pub fn text(info: &Info, out: &mut dyn Write) -> io::Result<()> {
    if info.matrix.is_empty() {
        return writeln!(out, "\nNo point-to-point messages.");
    }
    let grouped = Grouped::of(info, ROWS);
    let ranks = info.ranks.len();
    let groups = if grouped.size == 1 { String::new() } else { format!(", {} ranks a cell", grouped.size) };
    writeln!(out, "\nBytes from rank (down) to rank (across){groups}")?;
    let width = (0..grouped.groups).map(|g| grouped.label(g, ranks).len()).max().unwrap_or(1);
    writeln!(out, "{:>width$} +{}+", "", "-".repeat(2 * grouped.groups))?;
    for row in 0..grouped.groups {
        write!(out, "{:>width$} |", grouped.label(row, ranks))?;
        for &cell in &grouped.bytes[row * grouped.groups..][..grouped.groups] {
            let tone = match grouped.tone(cell) {
                _ if cell == 0 => 0,
                tone => 1 + (tone * (TONES.len() - 2) as f64).round() as usize,
            };
            write!(out, "{0}{0}", TONES[tone])?;
        }
        writeln!(out, "|")?;
    }
    writeln!(out, "{:>width$} +{}+", "", "-".repeat(2 * grouped.groups))?;
    let most = super::number::grouped(grouped.most());
    writeln!(out, "{:>width$}  {} = {most} bytes; each lighter shade is a tenth of the one before", "", TONES[5])
}

/// Writes the matrix as a drawing.
///
/// # Errors
/// If writing to `out` fails.
pub fn svg(name: &str, info: &Info, out: &mut dyn Write) -> io::Result<()> {
    let grouped = Grouped::of(info, CELLS);
    let (ranks, groups) = (info.ranks.len(), grouped.groups);
    let (left, top, side) = (60.0, 46.0, 512.0);
    let step = side / groups as f64;
    let mut body = String::new();
    for row in 0..groups {
        for column in 0..groups {
            let bytes = grouped.bytes[row * groups + column];
            if bytes == 0 {
                continue;
            }
            let (x, y) = (left + column as f64 * step, top + row as f64 * step);
            let opacity = 0.08 + 0.92 * grouped.tone(bytes);
            let (from, to) = (grouped.label(row, ranks), grouped.label(column, ranks));
            let _ = writeln!(
                body,
                "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{step:.2}\" height=\"{step:.2}\" fill=\"#0b4f8a\" \
                 fill-opacity=\"{opacity:.3}\"><title>{from} to {to}: {bytes} bytes</title></rect>"
            );
        }
    }
    // Labels are drawn only as far as they fit.
    let every = groups.div_ceil(16);
    for group in (0..groups).step_by(every) {
        let at = (group as f64 + 0.5) * step;
        let label = grouped.label(group, ranks);
        let _ = writeln!(
            body,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>\
             <text transform=\"translate({:.1} {:.1}) rotate(-40)\">{label}</text>",
            left - 5.0,
            top + at + 3.0,
            left + at,
            top - 4.0
        );
    }
    let (width, height) = (left + side + 24.0, top + side + 28.0);
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" font-family=\"sans-serif\" font-size=\"9\">{GENERATOR}\n\
         <title>{name}: bytes from rank (down) to rank (across)</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n{body}\
         <rect x=\"{left}\" y=\"{top}\" width=\"{side}\" height=\"{side}\" fill=\"none\" stroke=\"#555\"/>\n\
         <text x=\"{left}\" y=\"{:.1}\">{name}: bytes from rank (down) to rank (across); the darkest cell has {} bytes, \
         shades are logarithmic</text>\n</svg>",
        height - 10.0,
        super::number::grouped(grouped.most()),
        name = escape_text(name),
    )
}

/// Headings of the CSV, before that of the name of the trace.
pub(super) const HEADINGS: &str = "from,to,messages,bytes";

/// Row of the CSV: the name of the trace, and source, destination and messages of a pair.
type Pair<'a> = (&'a str, &'a (u32, u32, Volume));

/// Writes the pairs that exchange messages as CSV: source, destination, messages, bytes, name of the trace.
///
/// # Errors
/// If writing to `out` fails.
pub fn csv(name: &str, info: &Info, out: &mut dyn Write) -> io::Result<()> {
    let rows: Vec<Pair<'_>> = info.matrix.iter().map(|pair| (name, pair)).collect();
    let columns: &[Column<Pair<'_>>] = &[
        ("from", |(_, pair)| pair.0.to_string()),
        ("to", |(_, pair)| pair.1.to_string()),
        ("messages", |(_, pair)| pair.2.messages.to_string()),
        ("bytes", |(_, pair)| pair.2.bytes.to_string()),
        (TRACE, |(name, _)| (*name).to_owned()),
    ];
    lines(columns, &rows, out)
}
