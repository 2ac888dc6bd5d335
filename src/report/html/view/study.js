// The study under a reader's choice: relative performance, means, cost and budget, as src/study computes them.

// The choice that is the report as written.
function written() {
  return {
    weights: DATA.workloads.map((workload) => workload.weight),
    off: [],
    base: DATA.columns[DATA.columns[0].baseline].place,
    axes: DATA.axes.map(() => null),
    limits: { dollars: null, total: null, watts: null, metres: null, ...DATA.budget },
    own: { energy_price: null, years: null, pue: null, support: null, ...DATA.ownership },
    prices: {},
  };
}

// Replays of each cell, workload by workload, column by column.
const REPLAYS = (() => {
  let next = 0;
  const take = (column) => RESULTS.cells.slice(next, (next += column.repetitions));
  return DATA.workloads.map(() => DATA.columns.map(take));
})();

function ratio(reference, seconds) {
  return seconds === reference ? 1 : reference / seconds;
}

// Half of the interval of extrapolated times relative to them, a mean over the repetitions; 0 for whole replays.
function halfOf(replays) {
  const of = ({ extrapolation: found }) => (found ? found.half_width / found.simulated_seconds : 0);
  return sum(replays.map(of)) / replays.length;
}

// Adds a half width, relative to the mean, to that of a statistic (src/study/matrix.rs).
function widened(of, relative) {
  return relative > 0 ? { ...of, half: (of.half ?? 0) + relative * Math.abs(of.mean) } : of;
}

function entry(values, repetition) {
  return values[values.length === 1 ? 0 : repetition];
}

// Cost of ownership under a choice; null without a price of energy and years.
function ownership(own) {
  if (own.energy_price === null || own.years === null) return null;
  return { ...own, pue: own.pue ?? 1, support: own.support ?? 0 };
}

function totalCost(owned, price, watts) {
  const hours = owned.years * 365.25 * 24;
  return price * (1 + owned.support * owned.years) + watts * owned.pue / 1000 * hours * owned.energy_price;
}

function costOf(choice, owned, column) {
  const price = choice.prices[`${column.place}.${column.platform}`];
  const cost = { dollars: price ?? column.dollars, watts: column.watts, metres: column.metres, total: null };
  if (owned && cost.dollars !== null && cost.watts !== null) cost.total = totalCost(owned, cost.dollars, cost.watts);
  cost.money = owned ? cost.total : cost.dollars;
  return cost.dollars === null && cost.watts === null ? null : cost;
}

// `true` or `false`, or null where that depends on an unknown value.
function allows(limits, cost) {
  if (!cost) return null;
  const checks = Object.keys(limits).filter((name) => limits[name] !== null)
    .map((name) => (cost[name] === null ? null : cost[name] <= limits[name]));
  return checks.includes(false) ? false : checks.includes(null) ? null : true;
}

// Computes everything that depends on a choice.
function compute(choice) {
  const { columns, settings } = DATA;
  const isShown = (s) => choice.axes.every((value, axis) => value === null || settings[s].values[axis] === value);
  const isOn = (column) => isShown(column.setting) && !choice.off.includes(column.place);
  const workloads = choice.weights.map((_, w) => w).filter((w) => choice.weights[w] > 0);
  const weights = workloads.map((w) => choice.weights[w]);
  const base = columns.map((column) =>
    columns.findIndex((other) => other.setting === column.setting && other.place === choice.base));
  const times = REPLAYS.map((row) => row.map((replays) => replays.map((replay) => replay.simulated_seconds)));
  const series = times.map((row) => row.map((own, n) => {
    const reference = row[base[n]];
    const pairs = Math.max(own.length, reference.length);
    return Array.from({ length: pairs }, (_, k) => ratio(entry(reference, k), entry(own, k)));
  }));
  const halves = REPLAYS.map((row) => row.map(halfOf));
  const widths = halves.map((row) => row.map((half, n) => (n === base[n] ? 0 : half + row[base[n]])));
  const relative = series.map((row, w) => row.map((values, n) => widened(statistic(values), widths[w][n])));
  const means = (mean, size) => columns.map((_, n) => {
    const repetitions = Math.max(...workloads.map((w) => series[w][n].length));
    const of = (k) => mean(workloads.map((w) => entry(series[w][n], k)), weights);
    const sizes = workloads.map((w, i) => weights[i] * size(relative[w][n]));
    const width = arithmetic(workloads.map((w) => widths[w][n]), sizes);
    return widened(statistic(Array.from({ length: repetitions }, (_, k) => of(k))), width);
  });
  const shown = columns.map((_, n) => n).filter((n) => isOn(columns[n]));
  const owned = ownership(choice.own);
  const costs = columns.map((column) => costOf(choice, owned, column));
  const isLimited = Object.values(choice.limits).some((limit) => limit !== null);
  // Prices of one's own are a budget as well, without limits.
  const isPriced = Object.keys(choice.prices).length > 0;
  const budget = DATA.budget || isLimited || isPriced || (owned && !DATA.ownership) ? choice.limits : null;
  const model = {
    choice, workloads, weights, base, shown, owned, costs, isLimited, budget,
    // Half of the interval of the times of a column, relative to them: the mean of the workloads.
    ownWidth: (n) => arithmetic(workloads.map((w) => halves[w][n]), weights),
    // Settings that are shown, each with its columns.
    groups: settings.map((_, s) => ({ s, columns: shown.filter((n) => columns[n].setting === s) }))
      .filter(({ s, columns: own }) => isShown(s) && own.length),
    time: times.map((row, w) => row.map((own, n) => widened(statistic(own), halves[w][n]))),
    relative,
    arithmetic: means(arithmetic, (of) => of.mean),
    geometric: means(geometric, () => 1),
    hasWeights: weights.some((weight) => weight !== weights[0]),
    hasRepetitions: shown.some((n) => columns[n].repetitions > 1),
    isExtrapolated: shown.some((n) => workloads.some((w) => halves[w][n] > 0)),
  };
  model.offers = columns.map((_, n) => offer(model, n));
  return model;
}

// A network as a buyer sees it.
function offer(model, n) {
  const cost = model.costs[n];
  const performance = model.geometric[n].mean;
  const over = (value) => (value !== null && value > 0 ? performance / value : null);
  const per = cost ? { money: over(cost.money), watts: over(cost.watts), metres: over(cost.metres) }
    : { money: null, watts: null, metres: null };
  return { n, performance, cost, per, within: model.budget ? allows(model.budget, cost) : null };
}

// Offers in the order of a buyer: within the budget first, then by performance for the money.
function ranked(offers) {
  const outside = (one) => (one.within === null ? 2 : one.within ? 0 : 1);
  const merit = (one) => one.per.money ?? one.performance;
  return [...offers].sort((a, b) => outside(a) - outside(b) || merit(b) - merit(a) || a.n - b.n);
}

// Neighbours in that order with overlapping intervals (src/study/procurement.rs).
function undecidedOffers(model, columns) {
  const ends = (n) => endsOf(model.geometric[n]);
  const scaled = (one, end) => (one.per.money === null ? end : end / one.cost.money);
  const order = ranked(columns.map((n) => model.offers[n]));
  return order.slice(1).map((worse, at) => [order[at], worse]).filter(([better, worse]) =>
    better.within === worse.within && (better.per.money === null) === (worse.per.money === null)
    && [better, worse].some(({ n }) => model.geometric[n].half > 0)
    && scaled(worse, ends(worse.n)[1]) >= scaled(better, ends(better.n)[0]))
    .map((pair) => pair.map(({ n }) => n));
}

// Columns by performance, best first.
function byMean(model, columns) {
  return [...columns].sort((a, b) => model.geometric[b].mean - model.geometric[a].mean || a - b);
}

// Number of workloads on which a network is the fastest of these, or within one per cent of it.
function wins(model, columns, n) {
  const time = (w, column) => model.time[w][column].mean;
  const fastest = (w) => Math.min(...columns.map((column) => time(w, column)));
  return model.workloads.filter((w) => time(w, n) <= fastest(w) * (1 + DATA.equal)).length;
}

// Every network in every setting, relative to the baseline in the first one (src/study/across.rs).
function across(model) {
  const { columns } = DATA;
  const { groups } = model;
  // Networks that all settings have, as Comparison::in_all chooses them.
  const ofPlace = (group, place) => group.columns.find((n) => columns[n].place === place);
  const shared = groups[0].columns.map((n) => columns[n].place)
    .filter((place) => groups.every((group) => ofPlace(group, place) !== undefined));
  const reference = model.base[0];
  const speed = (n) => estimate(
    geometric(model.workloads.map((w) => ratio(model.time[w][reference].mean, model.time[w][n].mean)), model.weights),
    n === reference ? 0 : model.ownWidth(n) + model.ownWidth(reference));
  const priced = (n) => {
    const value = model.budget && model.costs[n] ? model.costs[n].money : null;
    return value !== null && value > 0 ? value : null;
  };
  const perMoney = (n) => (priced(n) !== null && priced(reference) !== null
    ? per(speed(n), priced(n) / priced(reference)) : null);
  // No model is best: models show how much an answer depends on them.
  const modelAxis = DATA.axes.findIndex((axis) => axis.name === "model");
  const models = new Set(groups.map(({ s }) => DATA.settings[s].values[modelAxis]));
  const rows = shared.map((place) => {
    const own = groups.map((group) => ofPlace(group, place));
    const values = own.map(speed);
    const money = own.map(perMoney);
    return {
      name: columns[own[0]].name, values, money: money.includes(null) ? null : money,
      best: models.size > 1 ? null : values.reduce((best, value, s) => (value.mean > values[best].mean ? s : best), 0),
    };
  });
  return { reference, rows };
}
