//! Parts of inline SVG. User-supplied text is escaped by [`escape`].

pub(super) use crate::markup::escape_text as escape;
use std::fmt::Write;

/// Number of colours, and of patterns over them that distinguish networks without colour.
pub(super) const PATTERNS: usize = 8;

/// Returns the colour and pattern of a network: the ninth has the first colour again, with another pattern. All pairs
/// differ for 64 networks.
pub(super) fn look(network: usize) -> (usize, usize) {
    let (colour, round) = (network % PATTERNS, network / PATTERNS);
    (colour, (colour + 3 * round) % PATTERNS)
}

/// Shortens a text to at most `most` characters.
pub(super) fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// A drawing under construction.
pub(super) struct Svg {
    body: String,
    width: f64,
    height: f64,
}

impl Svg {
    pub fn new(width: f64, height: f64) -> Self {
        Self { body: String::new(), width, height }
    }

    /// Draws a rectangle; `attributes` are class and similar.
    pub fn rect(&mut self, x: f64, y: f64, width: f64, height: f64, attributes: &str) {
        let (w, h) = (width.max(0.0), height.max(0.0));
        let _ = write!(self.body, "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" height=\"{h:.1}\" {attributes}/>");
    }

    pub fn line(&mut self, x1: f64, y1: f64, x2: f64, y2: f64, class: &str) {
        let _ =
            write!(self.body, "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" class=\"{class}\"/>");
    }

    /// Draws a text, which is escaped.
    pub fn text(&mut self, x: f64, y: f64, class: &str, text: &str) {
        let _ = write!(self.body, "<text x=\"{x:.1}\" y=\"{y:.1}\" class=\"{class}\">{}</text>", escape(text));
    }

    /// Draws a text that reads upwards.
    pub fn upright(&mut self, x: f64, y: f64, class: &str, text: &str) {
        let text = escape(text);
        let _ = write!(
            self.body,
            "<text transform=\"translate({x:.1} {y:.1}) rotate(-90)\" class=\"{class}\">{text}</text>"
        );
    }

    /// Appends anything else, which must already be escaped.
    pub fn raw(&mut self, svg: &str) {
        self.body.push_str(svg);
    }

    /// Returns the element, with a title and a description for screen readers. `id` must be unique in the document.
    pub fn finish(self, id: &str, class: &str, title: &str, description: &str) -> String {
        format!(
            "<svg class=\"{class}\" viewBox=\"0 0 {:.0} {:.0}\" role=\"img\" aria-labelledby=\"{id}-t {id}-d\">\
             <title id=\"{id}-t\">{}</title><desc id=\"{id}-d\">{}</desc>{}</svg>",
            self.width,
            self.height,
            escape(title),
            escape(description),
            self.body
        )
    }
}

/// Returns the fill of a network.
pub(super) fn network_fill(network: usize) -> String {
    format!("fill=\"{}\" class=\"net net{}\"", network_pattern(network), look(network).0)
}

/// Returns the address of the pattern that fills the shapes of a network.
pub(super) fn network_pattern(network: usize) -> String {
    let (colour, pattern) = look(network);
    format!("url(#net{colour}-{pattern})")
}

/// Pattern of a part of the time: its name, and the marks over its colour in an 8 by 8 tile.
pub(super) const PARTS: [(&str, &str); 4] =
    [("compute", ""), ("latency", OVERLAYS[2]), ("bandwidth", OVERLAYS[1]), ("waiting", "")];

/// Patterns over the colour, in an 8 by 8 tile.
const OVERLAYS: [&str; PATTERNS] = [
    "",
    "<path d=\"M-2 2l4-4M0 8l8-8M6 10l4-4\" class=\"over\"/>",
    "<circle cx=\"2\" cy=\"2\" r=\"1.3\" class=\"dot\"/><circle cx=\"6\" cy=\"6\" r=\"1.3\" class=\"dot\"/>",
    "<path d=\"M0 2h8M0 6h8\" class=\"over\"/>",
    "<path d=\"M-2 6l4 4M0 0l8 8M6-2l4 4\" class=\"over\"/>",
    "<path d=\"M0 4h8M4 0v8\" class=\"over\"/>",
    "<path d=\"M2 0v8M6 0v8\" class=\"over\"/>",
    "<path d=\"M0 4l4-4l4 4M0 8l4-4l4 4\" class=\"over\"/>",
];

/// Returns the definitions that all drawings share: fills of `networks` networks and of the parts of the time.
pub(super) fn definitions(networks: usize) -> String {
    let mut out = String::from("<svg width=\"0\" height=\"0\" class=\"definitions\" aria-hidden=\"true\"><defs>");
    let mut tile = |id: &str, fill: &str, over: &str| {
        let _ = write!(
            out,
            "<pattern id=\"{id}\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\">\
             <rect width=\"8\" height=\"8\" class=\"fill-{fill}\"/>{over}</pattern>"
        );
    };
    for (colour, pattern) in (0..networks.min(PATTERNS * PATTERNS)).map(look) {
        tile(&format!("net{colour}-{pattern}"), &format!("net{colour}"), OVERLAYS[pattern]);
    }
    for (part, over) in PARTS {
        tile(part, part, over);
    }
    out.push_str("</defs></svg>");
    out
}

/// Returns round numbers from 0 to at least `most`, about six of them.
pub(super) fn ticks(most: f64) -> Vec<f64> {
    if !(most.is_finite() && most > 0.0) {
        return vec![0.0, 1.0];
    }
    let rough = most / 5.0;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().map(|m| m * power).find(|s| *s >= rough * 0.999).unwrap_or(rough);
    let count = (most / step - 1e-9).ceil().max(1.0) as usize;
    (0..=count).map(|i| i as f64 * step).collect()
}

/// Returns round numbers from at most `least` to at least `most`, about five of them.
pub(super) fn ticks_between(least: f64, most: f64) -> Vec<f64> {
    let margin = ((most - least) * 0.12).max(most.abs() * 0.01);
    let (low, high) = ((least - margin).max(0.0), most + margin);
    if !(low.is_finite() && high.is_finite() && high > low) {
        return vec![0.0, 1.0];
    }
    let step = ticks(high - low)[1];
    let (first, last) = ((low / step).floor() as i64, (high / step).ceil() as i64);
    (first..=last).map(|i| i as f64 * step).collect()
}

/// Formats a tick.
pub(super) fn tick(value: f64) -> String {
    if value >= 1e4 { crate::report::number::grouped(value as u64) } else { format!("{}", (value * 1e6).round() / 1e6) }
}

/// Formats a ratio; a dash if it is not finite, as for a run that takes no time.
pub(super) fn ratio(value: f64) -> String {
    if value.is_finite() { format!("{value:.2}") } else { "—".into() }
}

/// Returns a finite value for a length.
pub(super) fn finite(value: f64) -> f64 {
    if value.is_finite() { value } else { 0.0 }
}
