// The parts of the page that follow a choice. Names are text nodes, never markup.

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// A number with its exact value.
function number(value, text) {
  return element("data", { value: plain(value) }, Number.isFinite(value) ? text(value) : "\u2014");
}

function thousandths(value) {
  return number(value, (v) => fixed(v, 3));
}

// A ratio with half of its interval, if it has one.
function estimated({ mean, half }) {
  return number(mean, (v) => (half > 0 ? `${fixed(v, 3)} \u00b1 ${fixed(half, 3)}` : fixed(v, 3)));
}

function cell(...children) {
  return element("td", { class: "n" }, ...children);
}

function heading(text, name) {
  return element("th", { scope: "col", ...(name ? { class: name } : {}) }, text);
}

// Heading over two columns, of networks with their letters.
function networkHeading() {
  return element("th", { scope: "col", colspan: 2 }, "Network");
}

function rowHeading(model, n) {
  const th = element("th", { scope: "row" }, DATA.columns[n].name);
  if (model.base[n] === n) th.append(" ", element("small", {}, "(baseline)"));
  return th;
}

function networkRow(model, n, ...cells) {
  const attributes = model.base[n] === n ? { class: "base" } : {};
  return element("tr", attributes, element("td", { class: "letter" }, DATA.columns[n].short), rowHeading(model, n), ...cells);
}

// Row that names a setting above its networks.
function settingRow(s, span) {
  return element("tr", { class: "setting" }, element("th", { colspan: span, scope: "colgroup" }, `[${DATA.settings[s].name}]`));
}

// Rows of all settings, each in an order of its own.
function rowsOfSettings(model, span, ordered, row) {
  return model.groups.flatMap(({ s, columns }) =>
    [...(DATA.settings.length > 1 ? [settingRow(s, span)] : []), ...ordered(columns).map(row)]);
}

function fillTable(table, headings, rows) {
  table.replaceChildren(element("thead", {}, element("tr", {}, ...headings)), element("tbody", {}, ...rows));
}

function ranking(model, table) {
  const hasIntervals = model.hasRepetitions || model.isExtrapolated;
  const mean = (n) => model.geometric[n].mean;
  const longest = Math.max(0, ...model.shown.map(mean).filter(Number.isFinite));
  const weighted = (name) => (model.hasWeights ? `Weighted ${name}` : name[0].toUpperCase() + name.slice(1));
  const bar = (n) => {
    const svg = document.createElementNS(SVG, "svg");
    const rect = document.createElementNS(SVG, "rect");
    const width = Math.round(longest > 0 ? 1200 * (mean(n) / longest) : 0) / 10;
    for (const [key, value] of Object.entries({ class: "bar", viewBox: "0 0 120 14", "aria-hidden": "true" })) svg.setAttribute(key, value);
    for (const [key, value] of Object.entries({ y: "1", width: fixed(width, 1), height: "12", ...fillOf(n) })) rect.setAttribute(key, value);
    svg.append(rect);
    return element("td", { class: "wide-only" }, svg);
  };
  const row = (columns) => (n) => {
    const values = model.workloads.map((w) => model.relative[w][n].mean);
    const ends = interval(model.geometric[n]);
    return networkRow(model, n, bar(n), cell(element("b", {}, thousandths(mean(n)))),
      ...(hasIntervals ? [element("td", { class: "n nowrap" }, ends ? intervalText(ends) : "\u2014")] : []),
      cell(thousandths(model.arithmetic[n].mean)),
      cell(`${fixed(Math.min(...values), 2)}\u2013${fixed(Math.max(0, ...values), 2)}`),
      cell(`${wins(model, columns, n)} of ${model.workloads.length}`), cell(DATA.columns[n].cables ?? "\u2014"));
  };
  const bars = element("th", { scope: "col", class: "wide-only" }, element("span", { class: "hidden" }, "Bar"));
  const headings = [networkHeading(), bars, heading(weighted("geometric mean"), "n"),
    ...(hasIntervals ? [heading("Its 95 % interval", "n")] : []), heading(weighted("arithmetic mean"), "n"),
    heading("Lowest\u2013highest", "n"), heading("Fastest on", "n"), heading("Cables", "n")];
  const span = hasIntervals ? 9 : 8;
  const rows = model.groups.flatMap(({ s, columns }) => [...(DATA.settings.length > 1 ? [settingRow(s, span)] : []),
    ...byMean(model, columns).map(row(columns))]);
  fillTable(table, headings, rows);
}

function quoteMark() {
  return [" ", element("small", {}, "(quoted)")];
}

function offersTable(model, table) {
  const sign = DATA.currency[1];
  // Intervals that are only those of repetitions have a table of their own.
  const shown = (mean, { mean: of, half }) => estimated({ mean, half: model.isExtrapolated && half ? half * mean / of : null });
  const row = ({ n, performance, cost, per, within }) => {
    const of = (name) => (cost && cost[name] !== null ? number(cost[name], whole) : "unknown");
    const marked = (name, isMarked) => (isMarked && cost && cost[name] !== null ? [of(name), ...quoteMark()] : [of(name)]);
    const multiple = (name) => {
      const reference = model.offers[model.base[n]].per[name];
      return per[name] === null || reference === null ? null : shown(per[name] / reference, model.geometric[n]);
    };
    const money = multiple("money");
    return networkRow(model, n, cell(shown(performance, model.geometric[n])), cell(...marked("dollars", isQuoted(model, n))),
      ...(model.owned ? [cell(of("total"))] : []),
      cell(...marked("watts", DATA.columns[n].quoted_watts)), cell(of("metres")),
      ...(model.isLimited ? [element("td", {}, within === null ? "unknown" : within ? "within" : "over")] : []),
      cell(money ? element("b", {}, money) : "\u2014"), cell(multiple("watts") ?? "\u2014"), cell(multiple("metres") ?? "\u2014"));
  };
  const headings = [networkHeading(), heading("Performance", "n"), heading(`Price, ${sign}`, "n"),
    ...(model.owned ? [heading(`In total, ${sign}`, "n")] : []), heading("Power, W", "n"), heading("Cable, m", "n"),
    ...(model.isLimited ? [heading("Budget")] : []), heading(`For the ${model.owned ? "total" : "price"}`, "n"),
    heading("For a watt", "n"), heading("For a metre", "n")];
  const ordered = (columns) => ranked(columns.map((n) => model.offers[n]));
  fillTable(table, headings, rowsOfSettings(model, headings.length + 1, ordered, row));
}

function acrossTable(model, table) {
  const { rows } = across(model);
  const row = ({ name, values, money, best }) => element("tr", {}, element("th", { scope: "row" }, name),
    ...values.map((value, s) => {
      const shown = cell(s === best ? element("b", {}, estimated(value)) : estimated(value));
      if (money) shown.append(element("br", {}), element("small", {}, estimated(money[s])));
      return shown;
    }));
  fillTable(table, [heading("Network"), ...model.groups.map(({ s }) => heading(DATA.settings[s].name, "n"))], rows.map(row));
}

// Legend of the networks of the first setting.
function key(model, ul) {
  [...ul.children].forEach((item, n) => {
    item.querySelector("small")?.remove();
    if (model.choice.off.includes(DATA.columns[n].place)) item.remove();
    else if (model.base[n] === n) item.append(" ", element("small", {}, "(baseline)"));
  });
}

function networksTable(model, table) {
  for (const row of table.querySelectorAll("tr[data-columns]")) {
    const columns = row.dataset.columns.split(" ").map(Number);
    if (!columns.some((n) => model.shown.includes(n))) row.remove();
    if (model.base[columns[0]] === columns[0]) row.setAttribute("class", "base");
    else row.removeAttribute("class");
    const price = model.costs[columns[0]]?.dollars ?? null;
    const shown = price === null ? ["\u2014"] : [number(price, whole), ...(isQuoted(model, columns[0]) ? quoteMark() : [])];
    row.querySelector("[data-cell=price]")?.replaceChildren(...shown);
  }
}

// Removes the rows of what is not shown, and keeps each workload's heading with the rows that remain.
function keepRows(model, table) {
  const count = DATA.columns.length;
  for (const body of table.tBodies) {
    const head = body.querySelector("th");
    for (const row of [...body.rows]) {
      const at = Number(row.dataset.cells);
      const w = Math.floor(at / count);
      const isMean = w >= DATA.workloads.length;
      if (!model.shown.includes(at % count) || !(isMean || model.workloads.includes(w))) row.remove();
    }
    if (body.rows.length) {
      body.rows[0].prepend(head);
      head.rowSpan = body.rows.length;
    }
  }
  [...table.tBodies].filter((body) => !body.rows.length).forEach((body) => body.remove());
}

function resultsTable(model, table) {
  keepRows(model, table);
  for (const row of table.querySelectorAll("tr[data-cells]")) {
    const at = Number(row.dataset.cells);
    const of = model.relative[Math.floor(at / DATA.columns.length)][at % DATA.columns.length];
    const shown = [element("b", {}, thousandths(of.mean))];
    if (of.half > 0) shown.push(" ", element("small", {}, "\u00b1 ", thousandths(of.half)));
    row.querySelector("[data-cell=relative]").replaceChildren(...shown);
  }
}

function repetitionsTable(model, table) {
  keepRows(model, table);
  const count = DATA.columns.length;
  for (const row of table.querySelectorAll("tr[data-cells]")) {
    const at = Number(row.dataset.cells);
    const [w, n] = [Math.floor(at / count), at % count];
    const means = [model.arithmetic, model.geometric][w - DATA.workloads.length];
    const of = means ? means[n] : model.relative[w][n];
    const cells = row.querySelectorAll("td");
    const ends = interval(of);
    if (means) cells[1].replaceChildren(String(of.count));
    cells[4].replaceChildren(element("b", {}, thousandths(of.mean)));
    cells[5].replaceChildren(of.deviation === null ? "\u2014" : thousandths(of.deviation));
    cells[6].replaceChildren(...(ends ? [thousandths(ends[0]), "\u2013", thousandths(ends[1])] : ["\u2014"]));
  }
}

function criticalPaths(model, dl) {
  const count = DATA.columns.length;
  for (const term of [...dl.querySelectorAll("dt")]) {
    const at = Number(term.dataset.cells);
    if (model.shown.includes(at % count) && model.workloads.includes(Math.floor(at / count))) continue;
    term.nextElementSibling.remove();
    term.remove();
  }
}

function panels(model, draw) {
  return model.workloads.flatMap((w) => model.groups.map((group) => draw(w, group)));
}

// Sentences on one setting in a list that may have others after them.
function answers(ul, texts) {
  ul.querySelectorAll("li[data-answer]").forEach((item) => item.remove());
  ul.prepend(...texts.map((text) => element("li", { "data-answer": "" }, text)));
}

// What updates a part, by its name; parts of one setting have its number at the end.
const PARTS = {
  baseline: (model, span) => {
    const { letter, name } = DATA.networks[model.choice.base];
    span.replaceChildren(`${letter} ${name}`);
  },
  "baseline-letter": (model, span) => span.replaceChildren(DATA.networks[model.choice.base].letter),
  measure: (model, item) => item.replaceChildren(measure(model)),
  weights: (model, span) => {
    span.replaceChildren(model.hasWeights ? " The number behind a workload is its weight in the mean." : "");
  },
  ranking,
  across: acrossTable,
  "across-title": (model, title) => {
    title.replaceChildren(`Across settings: geometric mean relative to ${DATA.columns[across(model).reference].full}`);
  },
  sensitivity: sensitivityTable,
  "sensitivity-sentences": (model, ul) => {
    if (model.choice.axes.some((value) => value !== null)) return;
    ul.replaceChildren(...sensitivitySentences(model, sensitivity(model)).map((sentence) => element("li", {}, sentence)));
  },
  duplex: (model, ul) => {
    const sentences = duplex(model);
    ul.replaceChildren(...sentences.map((sentence) => element("li", {}, sentence)));
    ul.closest("aside").hidden = !sentences.length;
  },
  key,
  example: (model, p) => {
    p.hidden = model.budget !== null;
  },
  pareto: (model, box) => box.replaceChildren(...paretoPanels(model)),
  "offers-intro": (model, p) => p.replaceChildren(offersIntro(model)),
  "offers-title": (model, title) => title.replaceChildren(offersTitle(model)),
  offers: offersTable,
  "offers-unknown": (model, p) => {
    const names = shortNames(model.shown.filter((n) => (model.costs[n]?.money ?? null) === null));
    const what = model.owned ? "total cost, which needs price and power," : "price";
    p.replaceChildren(names.length ? `There is no ${what} known for ${names.join(", ")}: they are last, by performance.` : "");
  },
  networks: networksTable,
  split: (model, box) => box.replaceChildren(...panels(model, (w, group) => splitPanel(model, w, group))),
  heat: (model, box) => {
    const most = darkest(model);
    box.replaceChildren(...panels(model, (w, group) => heatPanel(model, w, group, most)));
  },
  "heat-scale": (model, figure) => figure.replaceChildren(heatScale(darkest(model))),
  results: resultsTable,
  repetitions: repetitionsTable,
  critical: criticalPaths,
};

const PARTS_OF_SETTINGS = {
  verdict: (model, p, group) => p.replaceChildren(verdict(model, group.columns)[0]),
  remarks: (model, ul, group) => answers(ul, verdict(model, group.columns)[1]),
  bars: (model, box, group, scale) => box.replaceChildren(wideBars(model, group, scale)),
  "bars-narrow": (model, box, group, scale) => box.replaceChildren(narrowBars(model, group, scale)),
};

// Parts as written, to go back to. Lists of remarks contain a part, so only their own sentences are kept.
const ORIGINALS = [...document.querySelectorAll("[data-view]")].map((part) => {
  const own = [...part.querySelectorAll("li[data-answer]")].map((item) => item.textContent);
  return { part, name: part.dataset.view, nodes: [...part.childNodes].map((node) => node.cloneNode(true)), own };
});

// Shows the report as written, or a model of another choice; only the tables, if nothing else has changed.
function renderParts(model, onlyTables) {
  const scale = model ? Math.max(0, ...model.groups.map(({ columns }) => scaleEnd(barGroups(model, columns)))) : 0;
  const shownSettings = model ? model.groups.map(({ s }) => s) : null;
  for (const { part, name, nodes, own } of ORIGINALS) {
    if (onlyTables && part.localName !== "table") continue;
    const [, kind, s] = name.match(/^(.*)-(\d+)$/) ?? [];
    const isRemarks = kind === "remarks";
    if (isRemarks) answers(part, own);
    else part.replaceChildren(...nodes.map((node) => node.cloneNode(true)));
    if (name === "duplex") part.closest("aside").hidden = false;
    if (name === "example") part.hidden = false;
    if (!model) {
      if (kind) part.hidden = false;
      continue;
    }
    if (!kind) {
      PARTS[name](model, part);
      continue;
    }
    const group = model.groups.find((one) => one.s === Number(s));
    part.hidden = !group;
    if (group) PARTS_OF_SETTINGS[kind](model, part, group, scale);
  }
  for (const title of document.querySelectorAll("[data-setting]")) {
    title.hidden = shownSettings !== null && !shownSettings.includes(Number(title.dataset.setting));
  }
}

// Marks the parts that rest on a changed choice and are not computed again.
function markAsWritten(kinds) {
  document.querySelectorAll(".as-written").forEach((mark) => mark.remove());
  for (const part of document.querySelectorAll("[data-rests-on]")) {
    if (!part.dataset.restsOn.split(" ").some((kind) => kinds.includes(kind))) continue;
    const text = "As written: this part does not follow the view.";
    if (part.matches("li, p")) part.append(element("small", { class: "as-written" }, " (As written: this sentence does not follow the view.)"));
    else if (part.matches("ul, section")) part.before(element("p", { class: "note as-written" }, text));
    else part.after(element("p", { class: "note as-written" }, text));
  }
}
