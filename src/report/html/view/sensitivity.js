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
  const own = REPLAYS.map((row) => row.slice(0, all).map((replays) =>
    estimate(replays[0].simulated_seconds, halfOf(replays.slice(0, 1)))));
  const changed = ({ seconds, half_widths: widths }) => own.map((row, w) =>
    row.map((_, n) => estimate(seconds[w * all + n], widths[w * all + n] ?? 0)));
  const ownWidth = (times, n) => arithmetic(model.workloads.map((w) => times[w][n].width), model.weights);
  const means = (times) => times[0].map((_, n) => estimate(
    geometric(model.workloads.map((w) => ratio(times[w][base].mean, times[w][n].mean)), model.weights),
    n === base ? 0 : ownWidth(times, n) + ownWidth(times, base)));
  const within = columns.filter((n) => !model.budget || model.offers[n].within === true);
  const affordable = within.length ? within : columns;
  const fastest = (of) => largest(affordable.map((n) => [n, of[n].mean]));
  const money = (n) => (model.budget && model.costs[n] ? model.costs[n].money : null);
  const perMoney = (of, n) => of[n].mean / money(n);
  const bestBuy = (of) => largest(affordable.filter((n) => money(n) > 0).map((n) => [n, perMoney(of, n)]));
  const stated = means(own);
  const [winner, buy] = [fastest(stated), bestBuy(stated)];
  // Whether intervals leave open that any other network is ahead by more than 1 %. The baseline adds nothing to a lead.
  const isOpen = (best, times, of, price) => best !== null && anyAbove(affordable.filter((n) => n !== best && price(n) > 0)
    .map((n) => estimate(of[n].mean / of[best].mean / price(n) * price(best), ownWidth(times, n) + ownWidth(times, best))),
  1 + APART) === null;
  const effects = DATA.assumptions.map((assumption) => {
    const times = changed(assumption);
    // The same replays have the same errors.
    const width = (n) => (assumption.columns.includes(n) ? ownWidth(own, n) + ownWidth(times, n) : 0);
    const relative = means(times);
    const [now, nowBuy] = [fastest(relative), bestBuy(relative)];
    return {
      name: assumption.name, relative, fastest: now, buy: nowBuy,
      moved: relative.map(({ mean }, n) => {
        const moved = mean / stated[n].mean;
        return { mean: moved - 1, half: n === base ? null : estimate(moved, width(n) + width(base)).half };
      }),
      touched: (n) => assumption.columns.includes(n) || assumption.columns.includes(base),
      speedup: estimate(geometric(model.workloads.map((w) => ratio(own[w][base].mean, times[w][base].mean)), model.weights), width(base)),
      winnerChanges: relative[now].mean > relative[winner].mean * (1 + APART),
      winnerIsOpen: isOpen(winner, times, relative, () => 1),
      buyIsOpen: isOpen(buy, times, relative, money),
      buyChanges: buy !== null && nowBuy !== null && perMoney(relative, nowBuy) > perMoney(relative, buy) * (1 + APART),
    };
  });
  return { columns, eligible: affordable, isLimited: model.isLimited && within.length > 0, base, stated, winner, buy, effects };
}

// A change: `+3.1 %`, or with half of its interval, `+3.1 ± 0.4 %`.
function movedText({ mean, half }) {
  const tenths = Math.sign(mean) * Math.round(Math.abs(mean) * 1000) / 10;
  return `${tenths < 0 ? "-" : "+"}${fixed(Math.abs(tenths), 1)}${half > 0 ? ` \u00b1 ${fixed(half * 100, 1)}` : ""} %`;
}

function sensitivitySentences(model, { columns, eligible, isLimited, stated, winner, buy, effects }) {
  const flips = effects.filter((effect) => effect.winnerChanges);
  // The changes under which something certainly holds; null if all are open.
  const under = (open) => (open === 0 ? `under each of the ${effects.length} changes`
    : open < effects.length ? `under ${effects.length - open} of the ${effects.length} changes` : null);
  const holds = under(effects.filter((effect) => effect.winnerIsOpen).length);
  const start = `${named(winner)} is the fastest network${isLimited ? " within the budget" : ""}`;
  const isAlone = isLimited && eligible.length === 1;
  const flip = (effect) => `${effect.name} (${DATA.columns[effect.fastest].short}, `
    + `${fixed(effect.relative[effect.fastest].mean / effect.relative[winner].mean, 2)} times ${DATA.columns[winner].short})`;
  const out = [isAlone
    ? `${named(winner)} is the only network known to be within the budget, so no change makes another one the fastest.`
    : flips.length
    ? `${start}, but not under ${flips.length} of the ${effects.length} changes: ${list(flips.map(flip))}.`
    : holds ? `${start}, and stays so ${holds}, to within 1 %.` : `${start} as stated.`];
  const asFast = eligible.filter((n) => n !== winner && stated[n].mean * (1 + APART) >= stated[winner].mean);
  if (asFast.length) out.push(`As fast, within 1 %: ${list(asFast.map(named))}.`);
  if (buy !== null && !isAlone) {
    const others = effects.filter((effect) => effect.buyChanges).map((effect) => `${effect.name} (${DATA.columns[effect.buy].short})`);
    const open = effects.filter((effect) => effect.buyIsOpen).length;
    const buyHolds = open === 0 ? "under each of them" : under(open) ?? "as stated";
    out.push(`${named(buy)} has the best performance for the money${isLimited ? " within the budget" : ""}, ${others.length ? `but not under ${list(others)}` : buyHolds}.`);
  }
  for (const [what, isOpen] of [
    ["the fastest network changes", (effect) => effect.winnerIsOpen],
    ["the best performance for the money changes", (effect) => effect.buyIsOpen],
  ]) {
    const open = effects.filter(isOpen).map((effect) => effect.name);
    if (open.length && !isAlone) out.push(`Whether ${what} is not certain (?), because intervals overlap: ${list(open)}.`);
  }
  if ((isLimited || buy !== null) && effects.some((effect) => effect.name.startsWith("host links"))) {
    out.push("Prices and limits stay those of the stated host links where these are changed.");
  }
  const moves = effects.flatMap((effect) => columns.map((n) => ({ effect, n, moved: effect.moved[n] })));
  if (moves.length) {
    const most = moves.reduce((a, b) => (Math.abs(b.moved.mean) > Math.abs(a.moved.mean) ? b : a));
    out.push(`Largest effect: ${most.effect.name} changes ${named(most.n)} by ${movedText(most.moved)}.`);
  }
  if (model.isExtrapolated) out.push(intervalsText(model, false));
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
      ? element("td", { class: tone(effect.moved[n].mean) }, number(effect.moved[n].mean, () => movedText(effect.moved[n]))) : cell("\u2014"))),
    cell(estimated(effect.speedup)),
    element("td", {}, effect.winnerChanges ? element("b", { class: "flip" }, DATA.columns[effect.fastest].short)
      : DATA.columns[effect.fastest].short, effect.winnerIsOpen ? " (?)" : ""));
  const first = element("tr", { class: "base" }, element("th", { scope: "row" }, "as stated"),
    ...columns.map((n) => cell(estimated(stated[n]))), cell("1.000"),
    element("td", {}, element("b", {}, DATA.columns[winner].short)));
  const letters = columns.map((n) => heading(DATA.columns[n].short, "n"));
  fillTable(table, [heading("Assumption"), ...letters, heading(`Speed of ${DATA.columns[base].short}`, "n"), heading("Fastest")],
    [first, ...effects.map(row)]);
}
