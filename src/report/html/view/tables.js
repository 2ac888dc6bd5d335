// Tables are sorted by their headings and filtered by text.

const TABLES = [...document.querySelectorAll("main table")].map((table, number) => {
  const nodes = table.dataset.view ? null : [...table.childNodes].map((node) => node.cloneNode(true));
  const section = table.closest("section.scroll");
  return { table, number, section, nodes, name: section?.getAttribute("aria-label") ?? "table" };
});

// Number of rows from which on a table has a filter.
const FILTERED = 10;

// The number of the column in which each heading ends.
function headings(table) {
  let column = -1;
  return [...(table.tHead?.rows[0].cells ?? [])].map((th) => ({ th, column: (column += th.colSpan) }));
}

function cellOf(row, column) {
  let at = -1;
  return [...row.cells].find((one) => (at += one.colSpan) >= column) ?? null;
}

// Seconds per unit: times of tables without exact values have the unit that leaves one to three digits before the point.
const UNITS = { s: 1, ms: 1e-3, us: 1e-6, ns: 1e-9 };

// The number or text by which a row is sorted; unknown values are last in either direction.
function sortKey(row, column) {
  const of = cellOf(row, column);
  const exact = of?.querySelector("data");
  if (exact) return Number.isFinite(Number(exact.value)) ? Number(exact.value) : null;
  const text = (of?.textContent ?? "").trim();
  if (["", "-", "\u2014", "unknown", "not modelled"].includes(text)) return null;
  const [, digits, unit] = text.replace(/,(?=\d{3})/g, "").match(/^([-+]?\d+(?:\.\d+)?(?:e\d+)?)(?: (s|ms|us|ns)\b)?/) ?? [];
  return digits ? Number(digits) * (UNITS[unit] ?? 1) : text.toLowerCase();
}

function compareKeys(a, b) {
  if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
  return typeof a === "number" ? -1 : 1;
}

// Gives every row its own heading, in one body, where rows share one.
function flatten(table) {
  if (!table.querySelector("th[rowspan]")) return;
  let head = null;
  const rows = [...table.tBodies].flatMap((body) => [...body.rows]);
  for (const row of rows) {
    const own = row.querySelector("th");
    head = own ?? head;
    if (!own) row.prepend(head.cloneNode(true));
    row.cells[0].removeAttribute("rowspan");
    row.cells[0].scope = "row";
  }
  table.tBodies[0].append(...rows);
  [...table.tBodies].slice(1).forEach((body) => body.remove());
}

function sortRows(table, column, isDescending) {
  flatten(table);
  const sorted = (rows) => {
    const keyed = rows.map((row) => ({ row, key: sortKey(row, column) }));
    const [known, unknown] = [keyed.filter(({ key }) => key !== null), keyed.filter(({ key }) => key === null)];
    known.sort((a, b) => compareKeys(a.key, b.key) * (isDescending ? -1 : 1));
    return [...known, ...unknown].map(({ row }) => row);
  };
  for (const body of table.tBodies) {
    // Rows of a setting stay below its name.
    const groups = [[]];
    for (const row of body.rows) {
      if (row.matches(".setting")) groups.push([row], []);
      else groups[groups.length - 1].push(row);
    }
    body.append(...groups.flatMap((rows) => (rows[0]?.matches(".setting") ? rows : sorted(rows))));
  }
}

// Hides the rows without these words, and returns the numbers of rows that are shown and of all.
function filterRows(table, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length) flatten(table);
  const rows = [...table.tBodies].flatMap((body) => [...body.rows]).filter((row) => !row.matches(".setting"));
  for (const row of rows) {
    const titles = [...row.querySelectorAll("abbr")].map((abbr) => abbr.title);
    const own = [...row.cells].map((one) => one.textContent).concat(titles).join(" ").toLowerCase();
    row.hidden = !words.every((word) => own.includes(word));
  }
  return [rows.filter((row) => !row.hidden).length, rows.length];
}

// Puts a button into every heading that sorts.
function addButtons(one, order, onSort) {
  for (const { th, column } of headings(one.table)) {
    if (th.querySelector(".hidden")) continue;
    const button = element("button", { type: "button", class: "sort" }, ...th.childNodes);
    button.addEventListener("click", () => onSort(one.number, column));
    th.replaceChildren(button);
    if (order?.column === column) th.setAttribute("aria-sort", order.isDescending ? "descending" : "ascending");
  }
}

// Renders the order and the filter of all tables; parts have been rendered before.
function renderTables(choice, onSort) {
  for (const one of TABLES) {
    const order = choice.sort[one.number];
    if (one.nodes) one.table.replaceChildren(...one.nodes.map((node) => node.cloneNode(true)));
    if (order) sortRows(one.table, order.column, order.isDescending);
    const [shown, all] = filterRows(one.table, choice.filter[one.number] ?? "");
    if (one.count) one.count.textContent = shown < all ? `${shown} of ${all} rows` : "";
    addButtons(one, order, onSort);
  }
}

// The heading that has the focus, which it loses when its table is rendered.
function focusedHeading() {
  const th = document.activeElement?.closest("main thead th");
  const table = th?.closest("table");
  return th && { table, column: headings(table).find((of) => of.th === th)?.column };
}

function focusHeading(focused) {
  const found = focused && headings(focused.table).find(({ column }) => column === focused.column);
  found?.th.querySelector("button")?.focus();
}

// Puts a filter above each long table.
function addFilters(onFilter) {
  for (const one of TABLES) {
    const rows = [...one.table.tBodies].flatMap((body) => [...body.rows]);
    if (rows.length < FILTERED || !one.section) continue;
    one.input = element("input", { type: "search", autocomplete: "off", "aria-label": `Filter: ${one.name}` });
    one.count = element("span", { role: "status", class: "count" });
    one.input.addEventListener("input", () => onFilter(one.number, one.input.value));
    one.section.before(element("p", { class: "filter" }, element("label", {}, "Filter ", one.input), " ", one.count));
  }
}

// Orders and filters in words.
function tableDifferences(choice) {
  const heading = (one, column) => headings(one.table).find((of) => of.column === column)?.th.textContent.trim() ?? "";
  const sorted = Object.entries(choice.sort).map(([number, { column, isDescending }]) => {
    const one = TABLES[number];
    return `\u201c${one.name}\u201d sorted by \u201c${heading(one, column)}\u201d${isDescending ? ", descending" : ""}`;
  });
  const filtered = Object.entries(choice.filter).filter(([, text]) => text.trim())
    .map(([number, text]) => `\u201c${TABLES[number].name}\u201d only with \u201c${text.trim()}\u201d`);
  return [...sorted, ...filtered];
}
