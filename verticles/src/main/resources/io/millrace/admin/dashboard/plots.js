// Lines over the last minutes, one an owner, each told by colour, dash and name.

import {attribute, byId, drawn, element, keyed, text} from "./elements.js";
import {age, rate} from "./words.js";

const WIDTH = 460;
const HEIGHT = 190;
const LEFT = 70;
const RIGHT = 8;
const TOP = 14;
const BOTTOM = 26;
const COLOURS = 8;

const PLOTS = [
  {id: "plot-throughput", title: "Published a second", of: (owner) => owner.per_second, words: rate, sum: true, least: 4},
  {id: "plot-lag", title: "Lag: age of the oldest unpublished message", of: (owner) => owner.lag_ms, words: age, least: 100},
  {id: "plot-latency", title: "Latency: append to acknowledged (dots: slowest shard)", of: (owner) => owner.latency_ms,
    more: (owner) => owner.latency_max_ms, words: age, least: 20},
];

let samples = [];
let minutes = 15;
const drawings = new Map();

export function begin(all, historyMinutes) {
  samples = all;
  minutes = historyMinutes;
  show();
}

export function add(sample) {
  if (samples.length > 0 && samples[samples.length - 1].at >= sample.at) {
    return;
  }
  samples.push(sample);
  samples = samples.filter((one) => one.at > sample.at - minutes * 60_000);
  show();
}

function ownerName(owner) {
  return owner.node === null ? "nobody" : owner.node;
}

// A step of 1, 2 or 5 times a power of ten, four of which reach over the value.
function niceMax(value) {
  const step = 10 ** Math.floor(Math.log10(Math.max(value, 1e-9) / 4));
  const factor = [1, 2, 5, 10].find((one) => one * step * 4 >= value);
  return factor * step * 4;
}

function frame(plot) {
  const parts = {
    grid: drawn("g", {class: "grid"}),
    lines: drawn("g", {class: "lines"}),
    cross: drawn("line", {class: "cross", y1: TOP, y2: HEIGHT - BOTTOM, visibility: "hidden"}),
    values: element("p", {class: "values"}),
  };
  const svg = drawn("svg", {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img"}, parts.grid, parts.lines, parts.cross);
  byId(plot.id).append(element("figcaption", {}, plot.title), svg, parts.values);
  parts.svg = svg;
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    point(plot, parts, (event.clientX - box.left) / box.width * WIDTH);
  });
  svg.addEventListener("pointerleave", () => point(plot, parts, null));
  return parts;
}

function point(plot, parts, x) {
  parts.x = x;
  let sample = samples[samples.length - 1];
  if (x !== null && samples.length > 0) {
    const at = parts.from + (x - LEFT) / (WIDTH - LEFT - RIGHT) * (parts.to - parts.from);
    sample = samples.reduce((best, one) => Math.abs(one.at - at) < Math.abs(best.at - at) ? one : best);
    attribute(parts.cross, "x1", parts.xOf(sample.at));
    attribute(parts.cross, "x2", parts.xOf(sample.at));
  }
  attribute(parts.cross, "visibility", x === null ? "hidden" : "visible");
  text(parts.values, sample ? summary(plot, sample, x === null ? "now" : `${age(parts.to - sample.at)} ago`) : "");
}

function summary(plot, sample, when) {
  const known = sample.owners.filter((owner) => plot.of(owner) !== null);
  if (known.length === 0) {
    return `${when}: nothing`;
  }
  const each = known.map((owner) => `${ownerName(owner)} ${plot.words(plot.of(owner))}`
      + (plot.more ? ` (slowest ${plot.words(plot.more(owner))})` : ""));
  const sum = plot.sum && known.length > 1
    ? `, together ${plot.words(known.reduce((all, owner) => all + plot.of(owner), 0))}` : "";
  return `${when}: ${each.slice(0, 4).join(", ")}${each.length > 4 ? ", ..." : ""}${sum}`;
}

function path(points, xOf, yOf) {
  let isPen = false;
  let d = "";
  for (const [at, value] of points) {
    if (value === null) {
      isPen = false;
      continue;
    }
    d += `${isPen ? "L" : "M"} ${xOf(at).toFixed(1)} ${yOf(value).toFixed(1)} `;
    isPen = true;
  }
  return d;
}

export function colourOf(names, name) {
  return name === "nobody" ? "line-nobody" : `line-${names.filter((one) => one !== "nobody").indexOf(name) % COLOURS}`;
}

function names() {
  return [...new Set(samples.flatMap((sample) => sample.owners.map(ownerName)))].sort();
}

function show() {
  const all = names();
  keyed(byId("plots-legend"), all, (name) => name,
      (name) => element("li", {}, element("span"), document.createTextNode(` ${name}`)),
      (made, name) => attribute(made.firstChild, "class", `swatch ${colourOf(all, name)}`));
  for (const plot of PLOTS) {
    if (!drawings.has(plot.id)) {
      drawings.set(plot.id, frame(plot));
    }
    draw(plot, drawings.get(plot.id), all);
  }
}

function draw(plot, parts, all) {
  const to = samples.length === 0 ? Date.now() : samples[samples.length - 1].at;
  const from = to - minutes * 60_000;
  const seen = samples.flatMap((sample) => sample.owners.flatMap((owner) =>
      [plot.of(owner), plot.more ? plot.more(owner) : null])).filter((value) => value !== null);
  const max = niceMax(Math.max(plot.least, ...seen));
  const xOf = (at) => LEFT + (at - from) / (to - from) * (WIDTH - LEFT - RIGHT);
  const yOf = (value) => HEIGHT - BOTTOM - value / max * (HEIGHT - TOP - BOTTOM);
  Object.assign(parts, {from, to, xOf});
  grid(plot, parts, max, yOf);
  const lines = all.flatMap((name) => {
    const points = samples.map((sample) => {
      const owner = sample.owners.find((one) => ownerName(one) === name);
      return [sample.at, owner ?? null];
    });
    const pick = (of) => points.map(([at, owner]) => [at, owner === null ? null : of(owner)]);
    const colour = colourOf(all, name);
    const line = {key: name, d: path(pick(plot.of), xOf, yOf), name: colour};
    return plot.more ? [{key: `${name} max`, d: path(pick(plot.more), xOf, yOf), name: `${colour} more`}, line] : [line];
  });
  keyed(parts.lines, lines, (line) => line.key, () => drawn("path"), (made, line) => {
    attribute(made, "d", line.d);
    attribute(made, "class", line.name);
  });
  attribute(parts.svg, "aria-label",
      `${plot.title}. ${samples.length === 0 ? "Nothing yet." : summary(plot, samples[samples.length - 1], "now")}`);
  point(plot, parts, parts.x ?? null);
}

function grid(plot, parts, max, yOf) {
  const marks = [0, 1, 2, 3, 4].map((i) => ({
    key: `y${i}`, x: LEFT - 6, y: yOf(max * i / 4) + 4, anchor: "end", words: plot.words(max * i / 4),
    x1: LEFT, x2: WIDTH - RIGHT, line: yOf(max * i / 4)}));
  for (const ago of [15, 10, 5, 0].map((share) => share * minutes / 15)) {
    const x = WIDTH - RIGHT - ago / minutes * (WIDTH - LEFT - RIGHT);
    marks.push({key: `x${ago}`, x, y: HEIGHT - 6, anchor: ago === 0 ? "end" : ago === minutes ? "start" : "middle",
      words: ago === 0 ? "now" : `${ago} min`, x1: x, x2: x, line: null});
  }
  keyed(parts.grid, marks, (mark) => mark.key,
      () => drawn("g", {}, drawn("line"), drawn("text")),
      (made, mark) => {
        const [line, label] = made.children;
        attribute(line, "x1", mark.x1);
        attribute(line, "x2", mark.x2);
        attribute(line, "y1", mark.line ?? HEIGHT - BOTTOM);
        attribute(line, "y2", mark.line ?? HEIGHT - BOTTOM + 4);
        attribute(label, "x", mark.x);
        attribute(label, "y", mark.y);
        attribute(label, "text-anchor", mark.anchor);
        text(label, mark.words);
      });
}
