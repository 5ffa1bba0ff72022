// The ring, drawn as one: a sector a slot, coloured by its state, filled from the inside by its size.

import {attribute, byId, drawn, element, facts, keyed, text} from "./elements.js";
import {age, bytes, clock, number, since} from "./words.js";

const MIDDLE = 160;
const INNER = 78;
const OUTER = 138;
const GAP = 0.02;
const STATES = [
  ["hot", "receives messages"],
  ["draining", "closed, being read to its end"],
  ["published", "kept, then cleaned"],
  ["free", "empty, waits"],
];

let svg = null;
let middle = null;
let chosen = null;
let last = null;

function sector(from, to, inner, outer) {
  const at = (angle, radius) => `${MIDDLE + radius * Math.sin(angle)} ${MIDDLE - radius * Math.cos(angle)}`;
  const large = to - from > Math.PI ? 1 : 0;
  return `M ${at(from, inner)} L ${at(from, outer)} A ${outer} ${outer} 0 ${large} 1 ${at(to, outer)}`
      + ` L ${at(to, inner)} A ${inner} ${inner} 0 ${large} 0 ${at(from, inner)} Z`;
}

function begin() {
  svg = drawn("g");
  middle = ["big", "small", "small"].map((name, i) =>
      drawn("text", {class: name, x: MIDDLE, y: MIDDLE - 6 + i * 20, "text-anchor": "middle"}));
  byId("ring-picture").append(
      drawn("svg", {viewBox: "0 0 320 320", role: "group", "aria-label": "Slots of the ring, clockwise"},
          ...middle, svg));
  svg.addEventListener("keydown", (event) => {
    const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
    if (step && last) {
      event.preventDefault();
      const all = [...svg.children];
      const next = all[(all.indexOf(event.target.closest("[data-key]")) + step + all.length) % all.length];
      next.focus();
      choose(Number(next.dataset.key));
    }
  });
  keyed(byId("ring-legend"), STATES, ([name]) => name,
      ([name, meaning]) => element("li", {title: meaning}, element("span", {class: `swatch slot-${name}`}),
          document.createTextNode(` ${name} `), element("b")),
      () => {});
}

function choose(slot) {
  chosen = slot;
  show(last.page, last.nowMs);
}

function make(slot) {
  const made = drawn("g", {role: "button"},
      drawn("path", {class: "room"}), drawn("path", {class: "fill"}), drawn("text", {"text-anchor": "middle"}));
  made.addEventListener("click", () => choose(slot.slot));
  made.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      choose(slot.slot);
    }
  });
  return made;
}

function update(made, slot, place, count, bytesMax) {
  const turn = 2 * Math.PI / count;
  const from = place * turn + GAP;
  const to = (place + 1) * turn - GAP;
  const share = slot.rows === 0 ? 0 : Math.max(0.06, slot.bytes / bytesMax);
  const label = (OUTER + 12);
  const [room, fill, name] = made.children;
  attribute(made, "class", `slot slot-${slot.state}${slot.slot === chosen ? " chosen" : ""}`);
  attribute(made, "aria-pressed", slot.slot === chosen ? "true" : "false");
  attribute(made, "tabindex", slot.slot === chosen ? "0" : "-1");
  attribute(made, "aria-label",
      `slot ${slot.slot}, ${slot.state}, ${number(slot.rows)} messages, ${bytes(slot.bytes)}`);
  attribute(room, "d", sector(from, to, INNER, OUTER));
  attribute(fill, "d", sector(from, to, INNER, INNER + (OUTER - INNER) * share));
  const angle = (from + to) / 2;
  attribute(name, "x", MIDDLE + label * Math.sin(angle));
  attribute(name, "y", MIDDLE - label * Math.cos(angle) + 4);
  text(name, String(slot.slot));
}

// page: as of /partitions.
export function show(page, nowMs) {
  if (svg === null) {
    begin();
  }
  last = {page, nowMs};
  const slots = page.slots;
  const hot = slots.find((slot) => slot.current);
  if (chosen === null || !slots.some((slot) => slot.slot === chosen)) {
    chosen = hot ? hot.slot : slots[0]?.slot ?? null;
  }
  const bytesMax = Math.max(1, ...slots.map((slot) => slot.bytes));
  keyed(svg, slots, (slot) => slot.slot, make,
      (made, slot) => update(made, slot, slots.indexOf(slot), slots.length, bytesMax));
  for (const [i, [name]] of STATES.entries()) {
    text(byId("ring-legend").children[i].querySelector("b"),
        number(slots.filter((slot) => slot.state === name).length));
  }
  text(middle[0], bytes(slots.reduce((sum, slot) => sum + slot.bytes, 0)));
  text(middle[1], `${number(slots.reduce((sum, slot) => sum + slot.rows, 0))} messages`);
  text(middle[2], hot?.oldest_at ? `hot for ${age(nowMs - Date.parse(hot.oldest_at))}` : "");
  const slot = slots.find((one) => one.slot === chosen);
  if (slot) {
    detail(slot, nowMs);
  }
}

function detail(slot, nowMs) {
  const parent = byId("slot");
  if (!parent.firstChild) {
    parent.append(element("h3"));
  }
  text(parent.firstChild, `Slot ${slot.slot}: ${slot.state}`);
  facts(parent, [
    ["Messages", slot.rows === 0 ? "none" : `${slot.rows_counted ? "" : "about "}${number(slot.rows)}`],
    ["Size", bytes(slot.bytes)],
    ["Dead tuples", slot.dead_rows === 0 ? null : number(slot.dead_rows)],
    ["Oldest", slot.oldest_at && `${since(slot.oldest_at, nowMs)} (${clock(slot.oldest_at)})`],
    ["Newest", slot.newest_at && since(slot.newest_at, nowMs)],
    ["Closed", slot.closed_at && since(slot.closed_at, nowMs)],
    ["Published", slot.published_at && since(slot.published_at, nowMs)],
    ["Not cleaned, because", slot.why_not_cleaned],
  ]);
}
