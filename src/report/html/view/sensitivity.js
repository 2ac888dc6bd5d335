// Sensitivity to changed assumptions in the first setting (src/study/sensitivity.rs and src/report/sensitivity.rs).

const APART = 0.01;

// The first of the largest values, as [item, value] pairs; null without any.
function largest(pairs) {
  return pairs.reduce((best, pair) => (best && best[1] >= pair[1] ? best : pair), null)?.[0] ?? null;
}

function sensitivity(model) {
  const all = DATA.columns.filter((column) => column.setting === 0).length;
  const columns = model.shown.filter((n) => n < all);
  const base = model.base[0];
  // Times of the first repetition, and of each change.
  const own = REPLAYS.map((row) => row.slice(0, all).map((replays) => replays[0].simulated_seconds));
  const changed = ({ seconds }) => own.map((_, w) => seconds.slice(w * all, (w + 1) * all));
  const means = (times) => times[0].map((_, n) =>
    geometric(model.workloads.map((w) => ratio(times[w][base], times[w][n])), model.weights));
  const within = columns.filter((n) => !model.budget || model.offers[n].within === true);
  const affordable = within.length ? within : columns;
  const fastest = (of) => largest(affordable.map((n) => [n, of[n]]));
  const money = (n) => (model.budget && model.costs[n] ? model.costs[n].money : null);
  const perMoney = (of, n) => of[n] / money(n);
  const bestBuy = (of) => largest(affordable.filter((n) => money(n) > 0).map((n) => [n, perMoney(of, n)]));
  const stated = means(own);
  const [winner, buy] = [fastest(stated), bestBuy(stated)];
  const effects = DATA.assumptions.map((assumption) => {
    const times = changed(assumption);
    const relative = means(times);
    const [now, nowBuy] = [fastest(relative), bestBuy(relative)];
    return {
      name: assumption.name, relative, fastest: now, buy: nowBuy,
      moved: relative.map((value, n) => value / stated[n] - 1),
      touched: (n) => assumption.columns.includes(n) || assumption.columns.includes(base),
      speedup: geometric(model.workloads.map((w) => ratio(own[w][base], times[w][base])), model.weights),
      winnerChanges: relative[now] > relative[winner] * (1 + APART),
      buyChanges: buy !== null && nowBuy !== null && perMoney(relative, nowBuy) > perMoney(relative, buy) * (1 + APART),
    };
  });
  return { columns, eligible: affordable, isLimited: model.isLimited && within.length > 0, base, stated, winner, buy, effects };
}

// A change: `+3.1 %`.
function movedText(moved) {
  const tenths = Math.sign(moved) * Math.round(Math.abs(moved) * 1000) / 10;
  return `${tenths < 0 ? "-" : "+"}${fixed(Math.abs(tenths), 1)} %`;
}

function sensitivitySentences(model, { columns, eligible, isLimited, stated, winner, buy, effects }) {
  const flips = effects.filter((effect) => effect.winnerChanges);
  const start = `${named(winner)} is the fastest network${isLimited ? " within the budget" : ""}`;
  const isAlone = isLimited && eligible.length === 1;
  const flip = (effect) => `${effect.name} (${DATA.columns[effect.fastest].short}, `
    + `${fixed(effect.relative[effect.fastest] / effect.relative[winner], 2)} times ${DATA.columns[winner].short})`;
  const out = [isAlone
    ? `${named(winner)} is the only network known to be within the budget, so no change makes another one the fastest.`
    : flips.length
    ? `${start}, but not under ${flips.length} of the ${effects.length} changes: ${list(flips.map(flip))}.`
    : `${start}, and stays so under each of the ${effects.length} changes, to within 1 %.`];
  const asFast = eligible.filter((n) => n !== winner && stated[n] * (1 + APART) >= stated[winner]);
  if (asFast.length) out.push(`As fast, within 1 %: ${list(asFast.map(named))}.`);
  if (buy !== null && !isAlone) {
    const others = effects.filter((effect) => effect.buyChanges).map((effect) => `${effect.name} (${DATA.columns[effect.buy].short})`);
    out.push(`${named(buy)} has the best performance for the money${isLimited ? " within the budget" : ""}, ${others.length ? `but not under ${list(others)}` : "under each of them"}.`);
  }
  if ((isLimited || buy !== null) && effects.some((effect) => effect.name.startsWith("host links"))) {
    out.push("Prices and limits stay those of the stated host links where these are changed.");
  }
  const moves = effects.flatMap((effect) => columns.map((n) => ({ effect, n, moved: effect.moved[n] })));
  if (moves.length) {
    const most = moves.reduce((a, b) => (Math.abs(b.moved) > Math.abs(a.moved) ? b : a));
    out.push(`Largest effect: ${most.effect.name} changes ${named(most.n)} by ${movedText(most.moved)}.`);
  }
  if (DATA.columns.some((column) => column.repetitions > 1)) out.push("Of the repetitions, only the first one is varied.");
  return out;
}

function sensitivityTable(model, table) {
  // Marked as written where settings are chosen: it is about the first one.
  if (model.choice.axes.some((value) => value !== null)) return;
  const { columns, base, stated, winner, effects } = sensitivity(model);
  const tone = (moved) => `n ${moved < 0 ? "down" : "up"}${Math.min(Math.round(Math.abs(moved) * 25), 5)}`;
  const row = (effect) => element("tr", {}, element("th", { scope: "row" }, effect.name),
    ...columns.map((n) => (effect.touched(n)
      ? element("td", { class: tone(effect.moved[n]) }, number(effect.moved[n], movedText)) : cell("\u2014"))),
    cell(thousandths(effect.speedup)),
    element("td", {}, effect.winnerChanges ? element("b", { class: "flip" }, DATA.columns[effect.fastest].short)
      : DATA.columns[effect.fastest].short));
  const first = element("tr", { class: "base" }, element("th", { scope: "row" }, "as stated"),
    ...columns.map((n) => cell(thousandths(stated[n]))), cell("1.000"),
    element("td", {}, element("b", {}, DATA.columns[winner].short)));
  const letters = columns.map((n) => heading(DATA.columns[n].short, "n"));
  fillTable(table, [heading("Assumption"), ...letters, heading(`Speed of ${DATA.columns[base].short}`, "n"), heading("Fastest")],
    [first, ...effects.map(row)]);
}
