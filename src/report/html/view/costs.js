// Performance against cost, drawn as src/report/html/pareto.rs draws it.

const AXES = [
  { id: "total", name: "total cost", heading: "against total cost", isMoney: true },
  { id: "dollars", name: "price", heading: "against price", isMoney: true },
  { id: "watts", name: "power in watts", heading: "against power" },
  { id: "metres", name: "cable in metres", heading: "against length of cable" },
  { id: "lanes", name: "one-way lanes (a two-way cable is two)", heading: "against amount of cable" },
];

// Outlines of marks around the origin.
const MARKS = [
  "M-6 0a6 6 0 1 0 12 0a6 6 0 1 0-12 0z", "M-6-6h12v12h-12z", "M0-7l7 12h-14z", "M0-8l7 8l-7 8l-7-8z", "M0 7l7-12h-14z",
  "M-2.5-7h5v4.500h4.500v5h-4.500v4.500h-5v-4.500h-4.500v-5h4.500z", "M-6-3l6-4l6 4v6l-6 4l-6-4z", "M-7-4h14v8h-14z",
];

// Places of a label around its mark.
const AROUND = [[15, 0], [-15, 0], [0, -16], [0, 17], [13, -13], [-13, -13], [13, 13], [-13, 13]];

function amount(model, axis, n) {
  if (axis.id === "lanes") return DATA.columns[n].lanes;
  if (axis.id === "metres") return DATA.columns[n].metres;
  return model.costs[n] ? model.costs[n][axis.id] : null;
}

// A panel for each kind of cost that is known of all networks, in each setting.
function paretoPanels(model) {
  const known = (axis) => model.shown.every((n) => amount(model, axis, n) !== null);
  const paid = AXES.filter((axis) => axis.id !== "lanes" && known(axis));
  const axes = paid.length ? paid : AXES.filter((axis) => axis.id === "lanes" && known(axis));
  return model.groups.flatMap((group) => axes.map((axis) => paretoPanel(model, axis, group)));
}

function paretoPanel(model, axis, { s, columns }) {
  const [width, height, right, top, bottom] = [460, 330, 34, 16, 48];
  const letter = (i) => DATA.columns[columns[i]].letter;
  const points = columns.map((n) => [finite(amount(model, axis, n) ?? 0), finite(model.geometric[n].mean)]);
  const spreads = columns.map((n) => whiskers(model.geometric[n]));
  const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
  const extent = (values) => ticksBetween(Math.min(...values), Math.max(0, ...values));
  const xs = extent(points.map((p) => p[0]));
  const highest = Math.max(0, ...points.map((p) => p[1]));
  const ends = spreads.flatMap((ends) => ends ?? []).map((end) => clamp(end, 0, 1.5 * highest));
  const ys = extent([...points.map((p) => p[1]), ...ends]);
  // Room for the longest number between the axis and its title.
  const left = Math.max(46, 26 + 6.4 * Math.max(0, ...ys.map((t) => tick(t).length)));
  const [xLow, xSpan] = [xs[0], xs[xs.length - 1] - xs[0]];
  const [yLow, ySpan] = [ys[0], ys[ys.length - 1] - ys[0]];
  const x = (v) => left + (v - xLow) / xSpan * (width - left - right);
  const y = (v) => height - bottom - (v - yLow) / ySpan * (height - top - bottom);
  const drawing = new Drawing(width, height);
  for (const t of xs) {
    drawing.line(x(t), top, x(t), height - bottom, "grid");
    drawing.text(x(t), height - bottom + 17, "axis middle", tick(t));
  }
  for (const t of ys) {
    drawing.line(left, y(t), width - right, y(t), "grid");
    drawing.text(left - 6, y(t) + 4, "axis end", tick(t));
  }
  if (yLow <= 1 && yLow + ySpan >= 1) drawing.line(left, y(1), width - right, y(1), "baseline");
  const isBeaten = ([cost, speed]) => points.some((b) =>
    b[0] <= cost && b[1] >= speed && (b[0] < cost || b[1] > speed));
  const best = points.map((_, i) => i).filter((i) => !isBeaten(points[i])).sort((a, b) => points[a][0] - points[b][0] || a - b);
  if (best.length) {
    const line = best.map((i, at) => {
      const [px, py] = [fixed(x(points[i][0]), 1), fixed(y(points[i][1]), 1)];
      return at === 0 ? `M${px} ${py}` : `H${px}V${py}`;
    });
    const end = Math.max(width - right, x(points[best[best.length - 1]][0]));
    drawing.path(`${line.join("")}H${fixed(end, 1)}`, "frontier");
  }
  const taken = points.map((p) => [x(p[0]), y(p[1])]);
  points.forEach((point, i) => {
    const { look } = DATA.columns[columns[i]];
    const [px, py] = [x(point[0]), y(point[1])];
    if (spreads[i]) {
      const [low, high] = spreads[i].map((end) => fixed(y(clamp(end, yLow, yLow + ySpan)), 1));
      drawing.path(`M${fixed(px, 1)} ${low}V${high}`, "whisker");
    }
    drawing.add("path", {
      d: MARKS[look[1]], transform: `translate(${fixed(px, 1)} ${fixed(py, 1)})`, class: `mark stroke-net${look[0]}`,
    });
    const places = [1, 1.7, 2.4, 3.2].flatMap((far) => AROUND.map(([a, b]) => [px + a * far, py + b * far, far]));
    const isFree = ([a, b]) => a > left + 6 && a < width - 6 && b > 6 && b < height - bottom - 4
      && taken.every((t) => Math.abs(t[0] - a) >= 12.5 || Math.abs(t[1] - b) >= 12.5);
    const [a, b, far] = places.find(isFree) ?? [px + 15, py, 1];
    if (far > 1) drawing.line(px, py, a, b, "leader");
    drawing.text(a, b + 4.5, "label strong middle halo", letter(i));
    taken.push([a, b]);
  });
  drawing.text((left + width - right) / 2, height - 8, "axis middle",
    axis.isMoney ? `${axis.name} in ${DATA.currency[0]}` : axis.name);
  drawing.upright(12, (top + height - bottom) / 2, "axis middle", "relative performance");
  drawing.line(left, height - bottom, width - right, height - bottom, "frame");
  const all = points.map((p, i) => `${letter(i)}: ${tick(p[0])} and ${ratioText(p[1])}`);
  const unbeaten = best.map((i) => `${letter(i)} ${DATA.columns[columns[i]].full}`);
  const svg = drawing.finish(`pareto-${axis.id}-${s}`, "chart", `Performance ${axis.heading}`,
    `Cost and geometric mean of the relative performance: ${all.join("; ")}. Not beaten in both: ${unbeaten.join(", ")}.`);
  const caption = `Performance ${axis.heading}${settingText(s)}. On the line, and not beaten in both: ${best.map(letter).join(", ")}.`;
  return element("figure", { class: "panel" }, svg, element("figcaption", {}, caption));
}
