// The sentences of the summary, as src/report/html/summary.rs and src/report/offers.rs write them.

function named(n) {
  return `${DATA.columns[n].full} (${DATA.columns[n].short})`;
}

function shortNames(columns) {
  return columns.map((n) => DATA.columns[n].short);
}

function limitsText(limits) {
  const currency = DATA.currency[0];
  const units = { dollars: currency, total: `${currency} in total`, watts: "watts", metres: "metres" };
  const parts = Object.keys(units).filter((name) => limits[name] !== null)
    .map((name) => `${limitText(limits[name])} ${units[name]}`);
  return parts.length ? parts.join(", ") : "no limit";
}

function measure(model) {
  const count = model.workloads.length;
  const names = model.workloads.map((w) => `${DATA.workloads[w].name} ${plain(model.choice.weights[w])}`);
  const weights = model.hasWeights ? `with these weights: ${list(names)}` : "each with the same weight";
  return "Measure: performance relative to the baseline, as geometric mean over "
    + `${count === 1 ? "the one workload" : `the ${count} workloads`}, ${weights}.`;
}

// Conclusion on one setting: a sentence, and remarks on it.
function verdict(model, columns) {
  const all = byMean(model, columns);
  const mean = (n) => model.geometric[n].mean;
  const within = all.filter((n) => !model.budget || model.offers[n].within === true);
  if (!all.length) return ["", []];
  if (model.budget && !within.length) {
    return [`No network is known to stay within the budget of ${limitsText(model.budget)}.`, []];
  }
  const order = within;
  const best = order[0];
  const mix = model.isLimited ? `For this mix and within ${limitsText(model.budget)}` : "For this mix";
  const ties = order.filter((n) => mean(n) >= mean(best) / (1 + DATA.equal));
  const reference = model.base[best];
  const times = (n) => `${ratioText(mean(n))} times the baseline`;
  let sentence;
  if (all.length === 1) sentence = `Only ${named(best)} takes part: there is nothing to compare it with.`;
  else if (order.length === 1 && model.isLimited) {
    sentence = `Only ${named(best)} is known to stay within ${limitsText(model.budget)}.`;
  } else if (ties.length > 1) sentence = `${mix}, ${list(ties.map(named))} are equally fast within 1 %.`;
  else if (best === reference) sentence = `${mix}, no other network is as fast as the baseline, ${named(reference)}.`;
  else sentence = `${mix}, ${named(best)} is the fastest: ${times(best)}, ${named(reference)}.`;
  const remarks = [];
  if (!order.includes(all[0])) {
    const why = model.costs[all[0]] ? "over the budget" : "of unknown price";
    const than = mean(all[0]) > mean(best) * (1 + DATA.equal) ? "is faster" : "is as fast within 1 %";
    const what = `${model.base[all[0]] === all[0] ? "the baseline" : times(all[0])}, ${than}`;
    remarks.push(`${named(all[0])}, ${what}, but ${why}.`);
  }
  // Prices that the study does not have are an example, and no reason to buy.
  if (model.budget) remarks.push(...worth(model, order), ...mixed(model, columns));
  if (model.hasRepetitions || model.isExtrapolated) remarks.push(...undecided(model, order));
  if (order.length > 1 && model.workloads.length > 1) {
    remarks.push(...winners(model, order, order.length < all.length ? " within the budget" : ""));
    remarks.push(...ties.filter((n) => n !== model.base[n]).map((n) => worst(model, n)));
  }
  remarks.push(...lanes(model, order));
  return [sentence, remarks];
}

function worth(model, order) {
  const best = (per) => {
    const offers = order.map((n) => model.offers[n]).filter((one) => one.per[per] !== null);
    const most = Math.max(...offers.map((one) => one.per[per]));
    return list(offers.filter((one) => one.per[per] >= most * (1 - 1e-9)).map((one) => named(one.n)));
  };
  const [money, watts] = [best("money"), best("watts")];
  if (order.length < 2 || !money || !watts) return [];
  return [money === watts ? `Best performance for the money and per watt: ${money}.`
    : `Best performance for the money: ${money}; per watt: ${watts}.`];
}

function undecided(model, [best, ...others]) {
  const ends = (n) => endsOf(model.geometric[n]);
  const near = others.filter((n) => ends(n)[1] >= ends(best)[0]).map(named);
  return near.length ? [`The interval of ${named(best)} overlaps with ${near.length === 1 ? "that" : "those"} of `
    + `${list(near)}: ${model.hasRepetitions ? "these seeds" : "extrapolated times"} do not decide which of them is faster.`] : [];
}

function winners(model, order, among) {
  const count = model.workloads.length;
  const won = order.map((n) => [n, wins(model, order, n)]);
  if (won.some(([, of]) => of === count)) return [];
  const some = won.filter(([, of]) => of > 0).map(([n, of]) => `${named(n)} on ${of}`);
  return [`No network${among} is the fastest everywhere. Of ${count} workloads, these are the fastest${among} or within `
    + `1 % of it: ${list(some)}. So the answer depends on how much each workload counts.`];
}

function worst(model, n) {
  const value = (w) => model.relative[w][n].mean;
  const w = model.workloads.reduce((least, other) => (value(other) < value(least) ? other : least));
  return `${named(n)} does worst on ${DATA.workloads[w].name}: ${ratioText(value(w))} times the baseline.`;
}

// Nearly the same performance with fewer lanes.
function lanes(model, [best, ...others]) {
  const own = (n) => DATA.columns[n].lanes;
  const mean = (n) => model.geometric[n].mean;
  if (own(best) === null) return [];
  const n = others.find((other) => own(other) !== null && own(other) < own(best) && mean(other) >= 0.9 * mean(best));
  if (n === undefined) return [];
  return [`${named(n)} reaches ${fixed(100 * mean(n) / mean(best), 0)} % of that performance with `
    + `${fixed(100 * own(n) / own(best), 0)} % of the one-way lanes (a two-way cable is two).`];
}

// Directions of cables, and what sharing them changes.
function duplex(model) {
  const { columns } = DATA;
  const of = (mode) => shortNames(model.shown.filter((n) => columns[n].duplex === mode));
  const [full, shared, oneWay] = [of("full"), of("shared"), of("one-way")];
  if (!shared.length && !oneWay.length) return [];
  const have = (names) => `${list(names)} ${names.length === 1 ? "has" : "have"}`;
  const out = [];
  if (full.length) out.push(`${have(full)} full duplex: each direction of a cable has the full bandwidth.`);
  if (shared.length) {
    out.push(`${have(shared)} shared duplex: both directions of a cable share one bandwidth, as in older published studies.`);
  }
  if (oneWay.length) out.push(`${have(oneWay)} one-way cables.`);
  for (const group of model.groups) out.push(...bothModes(model, group.columns));
  if (!shared.length && full.length && oneWay.length) {
    out.push("One-way and two-way networks are compared here; with --duplex shared the answer may be different.");
  }
  return out;
}

function bothModes(model, own) {
  const { columns } = DATA;
  const times = (a, b) => ratioText(model.geometric[b].mean / model.geometric[a].mean);
  const name = (n) => columns[n].short;
  const out = [];
  for (const a of own.filter((n) => columns[n].duplex === "full")) {
    for (const b of own.filter((n) => columns[n].graph === columns[a].graph && columns[n].duplex === "shared")) {
      out.push(`${name(a)} and ${name(b)} are the same graph: sharing makes it ${times(a, b)} times as fast.`);
      const best = byMean(model, own).find((n) => columns[n].topology !== columns[a].topology);
      if (best === undefined) continue;
      out.push(`Seen from ${name(a)}, ${name(best)} is ${times(a, best)} times as fast; seen from ${name(b)}, `
        + `${times(b, best)} times. Ask the vendor which of the two a real cable is.`);
    }
  }
  return out;
}

// Whether the price of a column is quoted, in the study or by the reader.
function isQuoted(model, n) {
  const { quoted, place, platform } = DATA.columns[n];
  return quoted || model.choice.prices[`${place}.${platform}`] !== undefined;
}

// That quotes are compared with prices of the list.
function mixed(model, columns) {
  const priced = columns.filter((n) => model.costs[n] && model.costs[n].dollars !== null);
  const quoted = shortNames(priced.filter((n) => isQuoted(model, n)));
  const listed = shortNames(priced.filter((n) => !isQuoted(model, n)));
  return quoted.length && listed.length ? [`Mixed prices: quoted for ${list(quoted)}, of the list ${DATA.list} for ${list(listed)}. `
    + "They compare only if they cover the same parts."] : [];
}

// What the prices are, for the table of offers.
function caveats(model) {
  const parts = DATA.caveats;
  const priced = model.budget ? model.shown.filter((n) => model.costs[n]) : [];
  const quoted = shortNames(priced.filter((n) => isQuoted(model, n)));
  const quotedWatts = shortNames(priced.filter((n) => DATA.columns[n].quoted_watts));
  const shown = shortNames(model.shown);
  const nearest = parts.nearest.filter((name) => shown.includes(name) && !quoted.includes(name));
  let text = parts.origin;
  if (nearest.length) {
    text += ` ${list(nearest)}: the list has no prices for their link rate, so those of the nearest listed rate apply.`;
  }
  if (quoted.length) text += ` Quoted price: ${list(quoted)}.`;
  if (quotedWatts.length) text += ` Quoted watts: ${list(quotedWatts)}.`;
  if (quoted.length || quotedWatts.length) {
    text += " Quotes compare with figures of the list only if they cover the same parts.";
  }
  text += parts.scope;
  if (model.shown.some((n) => DATA.columns[n].duplex === "one-way")) text += ` ${parts.one_way}`;
  if (model.owned) {
    const { support, energy_price: energy, pue, years } = model.owned;
    text += ` Total cost: price, ${support * 100} % of it per year for support, and energy at ${energy} `
      + `${DATA.currency[2]} per kWh with a PUE of ${pue}, over ${years} years.`;
  }
  return text + parts.settings;
}

function offersTitle(model) {
  const example = DATA.example !== null && !model.budget ? `, with the example prices of the list ${DATA.example}` : "";
  return `Performance for the money${example}`;
}

function offersIntro(model) {
  const budget = model.isLimited ? `; networks within the budget (${limitsText(model.budget)}) come first` : "";
  return `Ranked by the ${model.hasWeights ? "weighted " : ""}geometric mean of relative performance over the `
    + `${model.owned ? "total cost" : "price"}${budget}. The last three columns are multiples of the baseline\u2019s. `
    + `Metres are those of cables between switches on the floor plan. ${intervals(model)}${caveats(model)}`;
}

// What intervals leave open in the order of offers.
function intervals(model) {
  const pairs = model.groups.flatMap(({ columns }) => undecidedOffers(model, columns))
    .map((pair) => shortNames(pair).join(" and "));
  const open = pairs.length
    ? `Intervals of neighbours overlap, so which of the two is better for the money is not certain: ${pairs.join(", ")}. ` : "";
  return `${model.isExtrapolated ? `${intervalsText(model, true)} ` : ""}${open}`;
}

// The differences of a choice from the written report, one in a part.
function differences(choice) {
  const original = written();
  const out = [];
  const changed = choice.weights.map((_, w) => w).filter((w) => choice.weights[w] !== original.weights[w]);
  const left = changed.filter((w) => choice.weights[w] === 0).map((w) => DATA.workloads[w].name);
  const weighed = changed.filter((w) => choice.weights[w] !== 0);
  if (weighed.length) {
    const text = (w) => `${DATA.workloads[w].name} ${plain(choice.weights[w])} instead of ${plain(original.weights[w])}`;
    out.push(`weights: ${weighed.map(text).join(", ")}`);
  }
  if (left.length) out.push(`without ${left.length === 1 ? "workload" : "workloads"} ${list(left)}`);
  const label = (place) => `${DATA.networks[place].letter} ${DATA.networks[place].name}`;
  if (choice.off.length) out.push(`without ${choice.off.length === 1 ? "network" : "networks"} ${list(choice.off.map(label))}`);
  if (choice.base !== original.base) out.push(`baseline: ${label(choice.base)} instead of ${label(original.base)}`);
  choice.axes.forEach((value, axis) => {
    if (value !== null) out.push(`only ${DATA.axes[axis].name} ${DATA.axes[axis].values[value] || "intact"}`);
  });
  const sign = DATA.currency[1];
  const names = {
    dollars: `price at most, in ${sign}`, total: `total cost at most, in ${sign}`, watts: "watts at most", metres: "metres at most",
    energy_price: `energy, ${sign} per kWh`, years: "years of operation", pue: "PUE", support: "support per year",
  };
  for (const group of ["limits", "own"]) {
    for (const [name, value] of Object.entries(choice[group])) {
      const before = original[group][name];
      if (value === before) continue;
      out.push(`${names[name]}: ${value === null ? "none" : limitText(value)}${before === null ? "" : ` instead of ${limitText(before)}`}`);
    }
  }
  for (const [key, value] of Object.entries(choice.prices)) {
    const [place, platform] = key.split(".").map(Number);
    const on = DATA.platforms[platform] ? ` on ${DATA.platforms[platform]}` : "";
    const before = DATA.networks[place].prices[platform];
    out.push(`price of ${label(place)}${on}: ${limitText(value)} instead of ${before ?? "unknown"}`);
  }
  return out;
}
