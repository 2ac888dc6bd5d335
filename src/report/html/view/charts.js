// The charts, drawn as src/report/html draws them: bars.rs, pareto.rs, split.rs, heat.rs and svg.rs.

const SVG = document.querySelector("svg").namespaceURI;

// A drawing under construction.
class Drawing {
  constructor(width, height) {
    this.svg = document.createElementNS(SVG, "svg");
    this.svg.setAttribute("viewBox", `0 0 ${fixed(width, 0)} ${fixed(height, 0)}`);
  }

  add(name, attributes, text) {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) {
      element.setAttribute(key, typeof value === "number" ? fixed(value, 1) : value);
    }
    if (text !== undefined) element.textContent = text;
    this.svg.append(element);
  }

  rect(x, y, width, height, attributes) {
    this.add("rect", { x, y, width: Math.max(width, 0), height: Math.max(height, 0), ...attributes });
  }

  line(x1, y1, x2, y2, name) {
    this.add("line", { x1, y1, x2, y2, class: name });
  }

  text(x, y, name, text) {
    this.add("text", { x, y, class: name }, text);
  }

  upright(x, y, name, text) {
    this.add("text", { transform: `translate(${fixed(x, 1)} ${fixed(y, 1)}) rotate(-90)`, class: name }, text);
  }

  path(d, name) {
    this.add("path", { d, class: name });
  }

  // The element, with a title and a description for screen readers.
  finish(id, name, title, description) {
    const { svg } = this;
    svg.setAttribute("class", name);
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-labelledby", `${id}-t ${id}-d`);
    for (const [tag, suffix, text] of [["desc", "d", description], ["title", "t", title]]) {
      const element = document.createElementNS(SVG, tag);
      element.id = `${id}-${suffix}`;
      element.textContent = text;
      svg.prepend(element);
    }
    return svg;
  }
}

function fillOf(n) {
  return { fill: DATA.columns[n].fill, class: `net net${DATA.columns[n].look[0]}` };
}

function shortened(text, most) {
  const letters = Array.from(text);
  return letters.length <= most ? text : `${letters.slice(0, Math.max(most - 1, 0)).join("")}\u2026`;
}

function settingText(s) {
  return DATA.settings.length > 1 ? ` [${DATA.settings[s].name}]` : "";
}

// Round numbers from 0 to at least `most`, about six of them.
function ticks(most) {
  if (!(Number.isFinite(most) && most > 0)) return [0, 1];
  const rough = most / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((s) => s >= rough * 0.999) ?? rough;
  const count = Math.max(Math.ceil(most / step - 1e-9), 1);
  return Array.from({ length: count + 1 }, (_, i) => i * step);
}

// Round numbers from at most `least` to at least `most`, about five of them.
function ticksBetween(least, most) {
  const margin = Math.max((most - least) * 0.12, Math.abs(most) * 0.01);
  const [low, high] = [Math.max(least - margin, 0), most + margin];
  if (!(Number.isFinite(low) && Number.isFinite(high) && high > low)) return [0, 1];
  const step = ticks(high - low)[1];
  const [first, last] = [Math.floor(low / step), Math.ceil(high / step)];
  return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
}

function tick(value) {
  return value >= 1e4 ? grouped(Math.trunc(value)) : String(Math.round(value * 1e6) / 1e6);
}

// Groups of bars of one setting: every workload, and the mean of all.
function barGroups(model, columns) {
  const weight = (w) => (model.hasWeights ? ` \u00d7 ${plain(model.choice.weights[w])}` : "");
  const groups = model.workloads.map((w) => ({
    name: `${DATA.workloads[w].name}${weight(w)}`, bars: columns.map((n) => model.relative[w][n]),
  }));
  if (groups.length > 1) groups.push({ name: "geometric mean", bars: columns.map((n) => model.geometric[n]), strong: true });
  return groups;
}

// End of the scale; whiskers that exceed it are cut off.
function scaleEnd(groups) {
  const bars = groups.flatMap((group) => group.bars);
  const value = Math.max(1, ...bars.map((bar) => finite(bar.mean)));
  return Math.min(Math.max(value, ...bars.map(barEnd)), 1.5 * value);
}

function barEnd(bar) {
  const ends = whiskers(bar);
  return Math.max(finite(bar.mean), ends ? finite(ends[1]) : 0);
}

function drawWhisker(drawing, path) {
  drawing.path(path, "whisker-casing");
  drawing.path(path, "whisker");
}

function barsText(model, columns) {
  const text = (n) => {
    const ends = whiskers(model.geometric[n]);
    const spread = ends ? ` (${ratioText(ends[0])} to ${ratioText(ends[1])})` : "";
    return `${DATA.columns[n].short} ${DATA.columns[n].full}: ${ratioText(model.geometric[n].mean)}${spread}`;
  };
  return `Geometric means: ${columns.map(text).join("; ")}. The table of all results has the other values.`;
}

// Vertical bars in rows of groups, for wide screens and paper.
function wideBars(model, { s, columns }, scale) {
  const groups = barGroups(model, columns);
  const [width, left, height] = [1040, 40, 250];
  const count = columns.length;
  const room = width - left;
  const most = Math.min(Math.max(Math.trunc(room / (count * 11 + 18)), 1), Math.max(groups.length, 1));
  const rows = Math.max(Math.ceil(groups.length / most), 1);
  const perRow = Math.max(Math.ceil(groups.length / rows), 1);
  const pitch = room / perRow;
  const bar = Math.min(Math.max((pitch - 18) / count, 2), 30);
  const marks = ticks(Math.max(scaleEnd(groups), scale) * 1.08);
  const top = marks[marks.length - 1];
  const rowHeight = height + 70;
  const drawing = new Drawing(width, rows * rowHeight);
  for (let row = 0; row < rows; row += 1) {
    const some = groups.slice(row * perRow, (row + 1) * perRow);
    const base = row * rowHeight + height + 14;
    const y = (v) => base - finite(v) / top * height;
    for (const t of marks) {
      drawing.line(left, y(t), width, y(t), "grid");
      drawing.text(left - 6, y(t) + 4, "axis end", tick(t));
    }
    some.forEach((group, g) => {
      const middle = left + (g + 0.5) * pitch;
      const start = middle - bar * count / 2;
      group.bars.forEach(({ mean }, i) => {
        drawing.rect(start + i * bar + 0.5, y(mean), bar - 1, base - y(mean), fillOf(columns[i]));
      });
      drawing.line(left + g * pitch, y(1), left + (g + 1) * pitch, y(1), "baseline");
      group.bars.forEach((one, i) => {
        const x = start + (i + 0.5) * bar;
        const ends = whiskers(one);
        if (ends) {
          const cap = Math.min(bar * 0.28, 4);
          const [low, high] = [Math.max(finite(ends[0]), 0), finite(ends[1])];
          let path = `M${fixed(x, 1)} ${fixed(y(low), 1)}V${fixed(y(Math.min(high, top)), 1)}`;
          for (const end of [low, high].filter((v) => v > 0 && v <= top)) {
            path += `M${fixed(x - cap, 1)} ${fixed(y(end), 1)}h${fixed(2 * cap, 1)}`;
          }
          drawWhisker(drawing, path);
        }
        if (bar >= 10) {
          drawing.upright(x + 3.5, y(Math.min(barEnd(one), top)) - 4, "value", ratioText(one.mean));
          drawing.text(x, base + 13, "axis middle", DATA.columns[columns[i]].letter);
        }
      });
      drawing.text(middle, base + 32, group.strong ? "label middle strong" : "label middle",
        shortened(group.name, Math.trunc(pitch / 6.6)));
    });
    drawing.line(left, base, width, base, "frame");
  }
  return drawing.finish(barsId(s), "wide", barsTitle(s), barsText(model, columns));
}

function barsId(s) {
  return s === 0 ? "bars" : `bars-${s + 1}`;
}

function barsTitle(s) {
  return `Performance relative to the baseline, workload by workload${settingText(s)}`;
}

// Horizontal bars, for narrow screens.
function narrowBars(model, { s, columns }, scale) {
  const groups = barGroups(model, columns);
  const [width, left, right, bar] = [360, 22, 44, 17];
  const count = columns.length;
  const most = Math.max(scaleEnd(groups), scale);
  const groupHeight = 26 + count * bar + 12;
  const x = (v) => left + finite(v) / most * (width - left - right);
  const drawing = new Drawing(width, groups.length * groupHeight);
  groups.forEach((group, g) => {
    const top = g * groupHeight + 26;
    drawing.text(0, top - 9, "label strong", shortened(group.name, 44));
    group.bars.forEach(({ mean }, i) => {
      const y = top + i * bar;
      drawing.text(6, y + 12, "axis middle", DATA.columns[columns[i]].letter);
      drawing.rect(left, y + 1, x(mean) - left, bar - 2, fillOf(columns[i]));
    });
    drawing.line(x(1), top - 3, x(1), top + count * bar + 3, "baseline");
    group.bars.forEach((one, i) => {
      const middle = top + (i + 0.5) * bar;
      const ends = whiskers(one);
      if (ends) {
        const [low, high] = [Math.max(finite(ends[0]), 0), finite(ends[1])];
        let path = `M${fixed(x(low), 1)} ${fixed(middle, 1)}H${fixed(x(Math.min(high, most)), 1)}`;
        for (const end of [low, high].filter((v) => v > 0 && v <= most)) {
          path += `M${fixed(x(end), 1)} ${fixed(middle - 3.5, 1)}v7`;
        }
        drawWhisker(drawing, path);
      }
      drawing.text(x(Math.min(barEnd(one), most)) + 5, middle + 4, "value", ratioText(one.mean));
    });
  });
  return drawing.finish(`${barsId(s)}-narrow`, "narrow", barsTitle(s), barsText(model, columns));
}

function figure(caption, svg) {
  return element("figure", { class: "panel" }, element("figcaption", { class: "head" }, shortened(caption, 48)), svg);
}

// Parts of the time of a workload in a setting.
function splitPanel(model, w, { s, columns }) {
  const [width, left, right, bar, top] = [340, 20, 66, 19, 4];
  const most = Math.max(0, ...model.shown.map((n) => model.time[w][n].mean));
  const drawing = new Drawing(width, top + columns.length * bar + 4);
  const words = columns.map((n, row) => {
    const shares = REPLAYS[w][n][0].explanation.time_shares;
    const seconds = model.time[w][n].mean;
    const y = top + row * bar;
    drawing.text(6, y + 13, "axis middle", DATA.columns[n].letter);
    const length = most > 0 ? finite(seconds / most) * (width - left - right) : 0;
    const parts = ["compute", "latency", "bandwidth", "waiting"];
    let x = left;
    for (const name of parts) {
      const part = shares[name] * length;
      if (part >= 0.05) drawing.rect(x, y + 2, part, bar - 4, { fill: `url(#${name})`, class: "part" });
      x += part;
    }
    drawing.text(left + length + 5, y + 13.5, "value", secondsText(seconds));
    const all = parts.map((name) => `${name} ${percent(shares[name])}`).join(", ");
    return `${DATA.columns[n].letter}: ${secondsText(seconds)} in all, ${all}`;
  });
  const name = DATA.workloads[w].name + settingText(s);
  return figure(name, drawing.finish(`split-${w}-${s}`, "chart", `Where the time of ${name} goes`, words.join("; ")));
}

function loadsOf(w, n) {
  return REPLAYS[w][n][0].explanation.load_profile ?? [];
}

// The largest load, which has the darkest tone.
function darkest(model) {
  const loads = model.workloads.flatMap((w) => model.shown.flatMap((n) => loadsOf(w, n)));
  return loads.reduce((most, load) => Math.max(most, finite(load)), 0);
}

function tone(load, most) {
  return fixed(most > 0 ? Math.sqrt(Math.min(Math.max(finite(load) / most, 0), 1)) : 0, 3);
}

// Loads of the links under a workload in a setting.
function heatPanel(model, w, { s, columns }, most) {
  const [width, left, right, row] = [340, 20, 52, 17];
  const drawing = new Drawing(width, columns.length * row + 4);
  const words = columns.map((n, at) => {
    const loads = loadsOf(w, n);
    const y = 2 + at * row;
    drawing.text(6, y + 12, "axis middle", DATA.columns[n].letter);
    const step = (width - left - right) / Math.max(loads.length, 1);
    loads.forEach((load, i) => {
      drawing.rect(left + i * step, y + 1, step, row - 2, { class: "heat", "fill-opacity": tone(load, most) });
    });
    drawing.rect(left, y + 1, width - left - right, row - 2, { class: "outline" });
    const first = loads[0] ?? 0;
    drawing.text(width - right + 5, y + 12, "value", percent(first));
    return `${DATA.columns[n].letter}: busiest ${percent(first)}, mean ${percent(sum(loads) / Math.max(loads.length, 1))}`;
  });
  const name = DATA.workloads[w].name + settingText(s);
  return figure(name, drawing.finish(`heat-${w}-${s}`, "chart", `Load of the links under ${name}`, words.join("; ")));
}

function heatScale(most) {
  const drawing = new Drawing(340, 34);
  for (let at = 0; at < 32; at += 1) {
    const load = most * (at + 0.5) / 32;
    drawing.rect(20 + at * 8.375, 2, 8.375, 13, { class: "heat", "fill-opacity": tone(load, most) });
  }
  drawing.rect(20, 2, 268, 13, { class: "outline" });
  drawing.text(20, 29, "axis", "0 %");
  drawing.text(154, 29, "axis middle", percent(most / 2));
  drawing.text(288, 29, "axis end", percent(most));
  return drawing.finish("heat-scale", "chart", "Scale of the tones", "From no load to the largest one; small loads are spread.");
}
