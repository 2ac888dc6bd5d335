// Numbers as mopsim prints them (src/report/number.rs) and the statistics of src/study/statistics.rs and mean.rs.

const DATA = JSON.parse(document.getElementById("view-json").textContent);
const RESULTS = JSON.parse(document.getElementById("results-json").textContent);

// Fixed decimals. Rust rounds a value exactly between two neighbours to the even one, toFixed to the larger one.
function fixed(value, digits) {
  const scale = 10 ** digits;
  const doubled = Math.abs(value) * 2 * scale;
  const isTie = Number.isInteger(doubled) && doubled % 2 === 1 && doubled / (2 * scale) === Math.abs(value)
    && doubled % 5 ** digits === 0;
  if (!isTie) return value.toFixed(digits);
  const lower = (doubled - 1) / 2;
  return (value < 0 ? "-" : "") + ((lower % 2 === 0 ? lower : lower + 1) / scale).toFixed(digits);
}

// Integer with commas.
function grouped(value) {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}

function whole(value) {
  return grouped(Math.round(value));
}

// Limit of a budget.
function limitText(value) {
  return Number.isInteger(value) ? grouped(value) : plain(value);
}

function secondsText(seconds) {
  if (seconds >= 1e9) return seconds.toExponential(3).replace("e+", "e") + " s";
  if (seconds === 0 || seconds >= 1) return fixed(seconds, 3) + " s";
  if (seconds >= 1e-3) return fixed(seconds * 1e3, 3) + " ms";
  if (seconds >= 1e-6) return fixed(seconds * 1e6, 3) + " us";
  return fixed(seconds * 1e9, 3) + " ns";
}

function percent(share) {
  return fixed(share * 100, 1) + " %";
}

// Ratio in sentences and drawings.
function ratioText(value) {
  return Number.isFinite(value) ? fixed(value, 2) : "\u2014";
}

// `A`, `A and B`, `A, B and C`.
function list(parts) {
  return parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts[parts.length - 1]}`;
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}

function finite(value) {
  return Number.isFinite(value) ? value : 0;
}

// Mean of repetitions, with standard deviation and half of the 95 % confidence interval, or null for a single one.
function statistic(values) {
  const count = values.length;
  if (count < 2) return { count: 1, mean: count ? values[0] : 0, deviation: null, half: null };
  const mean = values[0] + sum(values.map((value) => value - values[0])) / count;
  const deviation = Math.sqrt(sum(values.map((value) => (value - mean) * (value - mean))) / (count - 1));
  return { count, mean, deviation, half: DATA.student[count - 2] * deviation / Math.sqrt(count) };
}

// A single value with half of its interval relative to it, which adds up in ratios; 0 for an exact value.
function estimate(mean, width) {
  return { mean, width, half: width > 0 ? width * Math.abs(mean) : null };
}

// The value over a positive number.
function per({ mean, width }, divisor) {
  return estimate(mean / divisor, width);
}

// Whether the value is above a bound; null if its interval contains the bound.
function isAbove({ mean, half }, bound) {
  const [low, high] = [mean - (half ?? 0), mean + (half ?? 0)];
  return low > bound ? true : high > bound ? null : false;
}

// Whether any value is above a bound; null if that is open.
function anyAbove(values, bound) {
  const all = values.map((value) => isAbove(value, bound));
  return all.includes(true) ? true : all.includes(null) ? null : false;
}

// Meaning of intervals in tables that leave repetitions out, and in those that cover them (src/report/steady.rs).
function intervalsText(model, isAll) {
  const start = "The number after \u00b1 is half of the 95 % interval that follows from ";
  if (!model.hasRepetitions) return `${start}the extrapolation of times.`;
  return isAll ? `${start}repetitions and from the extrapolation of times.`
    : `${start}the extrapolation of times; the spread of repetitions is not part of it.`;
}

// Ends of the confidence interval, or null for a single value.
function interval(of) {
  if (of.half === null) return null;
  return [Math.max(of.mean - of.half, of.mean >= 0 ? 0 : -Infinity), of.mean + of.half];
}

// The ends, or the only value twice.
function endsOf(of) {
  return interval(of) ?? [of.mean, of.mean];
}

// The interval where repetitions differ.
function whiskers(of) {
  const ends = interval(of);
  return ends && ends[0] < ends[1] ? ends : null;
}

function intervalText([low, high]) {
  return `${fixed(low, 3)}\u2013${fixed(high, 3)}`;
}

function arithmetic(values, weights) {
  return sum(values.map((value, i) => value * weights[i])) / sum(weights);
}

function geometric(values, weights) {
  return Math.exp(arithmetic(values.map(Math.log), weights));
}

// Shortest digits without an exponent, as Rust displays a number.
function plain(value) {
  const [digits, exponent] = String(Math.abs(value)).split("e-");
  return (value < 0 ? "-" : "") + (exponent ? `0.${"0".repeat(exponent - 1)}${digits.replace(".", "")}` : digits);
}
