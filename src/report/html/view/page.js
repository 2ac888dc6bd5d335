// The controls, the address, and the sentence that a view differs from the report as written.

const box = document.getElementById("view-template").content.firstElementChild.cloneNode(true);
const form = box.querySelector("form");
const differs = box.querySelector(".differs");
const actions = box.querySelector(".actions");
const problem = box.querySelector(".error");
let choice = { ...written(), sort: {}, filter: {} };
// Results under the choice; null for the report as written.
let model = null;

const LIMITS = ["dollars", "total", "watts", "metres"];
const OWN = ["energy_price", "years", "pue", "support"];

function field(name) {
  return form.elements.namedItem(name);
}

// The fields of the form with their values in a choice.
function fields(of) {
  const text = (value) => (value === null || value === undefined ? "" : plain(value));
  const out = {};
  of.weights.forEach((weight, w) => { out[`w${w}`] = text(weight); });
  DATA.networks.forEach((network, place) => {
    out[`on${place}`] = of.off.includes(place) ? "0" : "1";
    DATA.platforms.forEach((_, platform) => { out[`price${place}.${platform}`] = text(of.prices[`${place}.${platform}`]); });
  });
  out.base = String(of.base);
  of.axes.forEach((value, axis) => { out[`axis${axis}`] = text(value); });
  for (const name of LIMITS) out[name] = text(of.limits[name]);
  for (const name of OWN) out[name] = text(of.own[name]);
  return out;
}

// Sets a field, and returns whether the value is one that it can have.
function setField(name, value) {
  const control = field(name);
  if (!control) return false;
  if (control.type === "checkbox") {
    control.checked = value !== "0";
    return value === "0" || value === "1";
  }
  if (name === "base") {
    const radio = form.querySelector(`[name=base][value="${CSS.escape(value)}"]:enabled`);
    if (radio) radio.checked = true;
    return radio !== null;
  }
  control.value = value;
  return control.value === value && control.checkValidity();
}

function setForm(of) {
  for (const [name, value] of Object.entries(fields(of))) if (field(name)) setField(name, value);
}

// A message on the form, and the names of the fields that it is about.
class Wrong extends Error {
  constructor(message, names) {
    super(message);
    this.names = names;
  }
}

// Reads the form; throws a message where it cannot be a study.
function readForm() {
  const [wrong, ...more] = form.querySelectorAll("input:invalid");
  if (wrong) {
    const label = wrong.getAttribute("aria-label") ?? wrong.closest("label").querySelector("span").textContent;
    throw new Wrong(`${label}: ${wrong.validationMessage}`, [wrong, ...more].map((control) => control.name));
  }
  const numberOf = (name) => (field(name)?.value ? Number(field(name).value) : null);
  const next = { ...written(), sort: choice.sort, filter: choice.filter };
  next.weights = DATA.workloads.map((_, w) => numberOf(`w${w}`));
  if (!next.weights.some((weight) => weight > 0)) {
    throw new Wrong("At least one workload needs a weight above 0.", next.weights.map((_, w) => `w${w}`));
  }
  next.base = Number(form.querySelector("[name=base]:checked").value);
  next.off = DATA.networks.map((_, place) => place).filter((place) => place !== next.base && !field(`on${place}`).checked);
  next.axes = DATA.axes.map((_, axis) => numberOf(`axis${axis}`));
  for (const name of LIMITS) next.limits[name] = field(name) ? numberOf(name) : next.limits[name];
  for (const name of OWN) next.own[name] = field(name) ? numberOf(name) : next.own[name];
  for (const control of form.querySelectorAll("[name^=price]")) {
    if (control.value) next.prices[control.name.slice("price".length)] = Number(control.value);
  }
  const { energy_price: energy, years, pue, support } = next.own;
  if ((energy === null || years === null) && [energy, years, pue, support, next.limits.total].some((value) => value !== null)) {
    const missing = ["energy_price", "years"].filter((name) => next.own[name] === null);
    throw new Wrong("A total cost needs a price of energy and a number of years.", missing);
  }
  return next;
}

// Kinds of choices that differ from those of the report.
function changes(of) {
  const original = written();
  const same = (name) => JSON.stringify(of[name]) === JSON.stringify(original[name]);
  return [
    ["weights", !same("weights")],
    ["workloads", of.weights.includes(0)],
    ["networks", of.off.length > 0],
    ["baseline", !same("base")],
    ["settings", !same("axes")],
    ["costs", !(same("limits") && same("own") && same("prices"))],
  ].filter(([, isChanged]) => isChanged).map(([kind]) => kind);
}

// The part of the address after the anchor.
function address() {
  const original = fields(written());
  const pairs = Object.entries(fields(choice)).filter(([name, value]) => value !== original[name]);
  for (const [number, { column, isDescending }] of Object.entries(choice.sort)) {
    pairs.push([`sort${number}`, `${column}${isDescending ? "d" : "a"}`]);
  }
  for (const [number, text] of Object.entries(choice.filter)) if (text.trim()) pairs.push([`filter${number}`, text]);
  return pairs.map(([name, value]) => `&${name}=${encodeURIComponent(value)}`).join("");
}

function anchor() {
  return location.hash.slice(1).split("&")[0];
}

// Reads a view from the address; entries that this report does not have change nothing.
function readAddress() {
  setForm(written());
  const original = fields(written());
  const [sort, filter] = [{}, {}];
  for (const pair of location.hash.slice(1).split("&").slice(1)) {
    const at = pair.indexOf("=");
    const name = pair.slice(0, at);
    let value;
    try {
      value = decodeURIComponent(pair.slice(at + 1));
    } catch {
      continue;
    }
    const [, kind, number] = name.match(/^(sort|filter)(\d+)$/) ?? [];
    const [, column, direction] = value.match(/^(\d+)([ad])$/) ?? [];
    if (kind && !TABLES[number]) continue;
    if (kind === "filter") filter[number] = value;
    else if (kind === "sort" && headings(TABLES[number].table).some((of) => of.column === Number(column))) {
      sort[number] = { column: Number(column), isDescending: direction === "d" };
    } else if (name in original && !setField(name, value)) setField(name, original[name]);
  }
  try {
    choice = { ...readForm(), sort, filter };
  } catch {
    choice = { ...written(), sort, filter };
    setForm(choice);
  }
  for (const one of TABLES) if (one.input) one.input.value = filter[one.number] ?? "";
}

function sortBy(number, column) {
  const before = choice.sort[number];
  const sort = { ...choice.sort };
  if (before?.column !== column) sort[number] = { column, isDescending: false };
  else if (!before.isDescending) sort[number] = { column, isDescending: true };
  else delete sort[number];
  choice = { ...choice, sort };
  renderChoice(true);
}

function filterBy(number, text) {
  choice = { ...choice, filter: { ...choice.filter, [number]: text } };
  renderChoice(true);
}

function render() {
  const kinds = changes(choice);
  model = kinds.length ? compute(choice) : null;
  renderChoice(false);
  markAsWritten(kinds);
}

// Shows the choice; only its tables, if nothing but their order and filters has changed.
function renderChoice(onlyTables) {
  const focused = focusedHeading();
  renderParts(model, onlyTables);
  renderTables(choice, sortBy);
  focusHeading(focused);
  const texts = [...differences(choice), ...tableDifferences(choice)];
  const isChanged = texts.length > 0;
  document.body.classList.toggle("differs-from-written", isChanged);
  const sentences = isChanged ? [`This view differs from the report as written: ${texts.join("; ")}.`] : [];
  if (model && DATA.settings.length === 1) sentences.push(verdict(model, model.groups[0].columns)[0]);
  const said = sentences.map((sentence) => element("p", {}, sentence));
  // Screen readers announce what changes; the same words stay silent.
  if (differs.textContent !== sentences.join("")) differs.replaceChildren(...said);
  actions.hidden = !isChanged;
  for (const control of form.querySelectorAll("[name^=on]")) {
    control.disabled = control.name === `on${choice.base}`;
    control.checked = control.checked || control.disabled;
  }
  const hash = `#${anchor()}${address()}`;
  if (hash !== (location.hash || "#")) {
    try {
      history.replaceState(null, "", hash === "#" ? location.pathname + location.search : hash);
    } catch {
      // A page within another one may have no address of its own.
    }
  }
}

// Shows a message, and marks the fields that it is about.
function showProblem(text, names = []) {
  if (problem.textContent !== text) problem.textContent = text;
  problem.hidden = !text;
  for (const control of form.querySelectorAll("input, select")) {
    if (names.includes(control.name)) control.setAttribute("aria-invalid", "true");
    else control.removeAttribute("aria-invalid");
  }
}

function applyForm() {
  try {
    choice = readForm();
    showProblem("");
  } catch (error) {
    showProblem(error.message, error.names);
    return;
  }
  render();
}

// Numbers apply while they are typed. All controls of the form have this event, choices and boxes as well.
form.addEventListener("input", applyForm);
form.addEventListener("submit", (event) => event.preventDefault());
actions.querySelector("button").addEventListener("click", () => {
  choice = { ...written(), sort: {}, filter: {} };
  setForm(choice);
  for (const one of TABLES) if (one.input) one.input.value = "";
  showProblem("");
  render();
  box.querySelector("summary").focus();
});
window.addEventListener("hashchange", () => {
  // A link within the page keeps the view; another view in the address replaces it.
  if (location.hash.includes("&")) readAddress();
  render();
});

problem.setAttribute("role", "alert");
document.querySelector("body > header").append(box);
addFilters(filterBy);
readAddress();
render();
if (location.hash.includes("&")) document.getElementById(anchor())?.scrollIntoView();
