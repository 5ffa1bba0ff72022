// Shards by owner: a cell each, with its lag as colour and what is special about it as a mark; and the lanes.

import {act, mark} from "./acts.js";
import {attribute, byId, cells, element, facts, keyed, row, text} from "./elements.js";
import {post} from "./session.js";
import {age, number, plural, rate, since} from "./words.js";

const SLOW_MS = 1_000;
const LATE_MS = 30_000;

let chosen = null;
let last = null;

function byOwner(shards) {
  const owners = new Map();
  for (const shard of shards) {
    const name = shard.owner === null ? (shard.paused ? "paused" : "nobody") : String(shard.node);
    if (!owners.has(name)) {
      owners.set(name, []);
    }
    owners.get(name).push(shard);
  }
  return [...owners].sort(([one], [other]) => one < other ? -1 : 1);
}

function marks(shard) {
  return (shard.paused ? "❚❚" : "") + (shard.parked > 0 ? "⚑" : "") + (shard.lanes.length > 0 ? "⇉" : "")
      + (shard.sweeping ? "↻" : "");
}

function lagClass(shard) {
  return shard.lag_ms < SLOW_MS ? "lag-fine" : shard.lag_ms < LATE_MS ? "lag-slow" : "lag-late";
}

function describe(shard) {
  return `shard ${shard.shard}, lag ${age(shard.lag_ms)}, ${plural(shard.backlog, "message", "messages")} waiting`
      + (shard.paused ? ", paused" : "") + (shard.parked > 0 ? `, ${number(shard.parked)} parked` : "")
      + (shard.lanes.length > 0 ? `, ${plural(shard.lanes.length, "lane", "lanes")}` : "")
      + (shard.sweeping ? ", sweeping" : "");
}

function moveFocus(event) {
  const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
  if (step) {
    event.preventDefault();
    const all = [...byId("owners").querySelectorAll("button")];
    all[(all.indexOf(event.target) + step + all.length) % all.length].focus();
  }
}

function cell(shard) {
  const made = element("button", {type: "button"}, element("span"), element("b"));
  made.addEventListener("click", () => {
    chosen = shard.shard;
    show(last.page, last.sample, last.nowMs);
  });
  made.addEventListener("keydown", moveFocus);
  return made;
}

// page: as of /shards. sample: the newest, or null.
export function show(page, sample, nowMs) {
  last = {page, sample, nowMs};
  keyed(byId("owners"), byOwner(page.shards), ([name]) => name,
      () => element("div", {class: "owner"}, element("h3"), element("div", {class: "cells"})),
      (made, [name, shards]) => {
        const known = sample?.owners.find((owner) => (owner.node ?? "nobody") === name);
        text(made.firstChild, `${name}: ${plural(shards.length, "shard", "shards")}`
            + (known ? `, ${rate(known.per_second)}/s` : "")
            + `, lag ${age(Math.max(...shards.map((shard) => shard.lag_ms)))}`);
        attribute(made, "class", name === "nobody" ? "owner unowned" : "owner");
        keyed(made.lastChild, shards, (shard) => shard.shard, cell, (button, shard) => {
          text(button.firstChild, String(shard.shard));
          text(button.lastChild, marks(shard));
          attribute(button, "class", `cell ${lagClass(shard)}`);
          attribute(button, "aria-label", describe(shard));
          attribute(button, "title", describe(shard));
          attribute(button, "aria-pressed", shard.shard === chosen ? "true" : "false");
        });
      });
  const shard = page.shards.find((one) => one.shard === chosen);
  byId("shard").hidden = !shard;
  if (shard) {
    detail(shard, nowMs);
  }
  lanes(page.shards);
}

function detail(shard, nowMs) {
  const parent = byId("shard");
  if (!parent.firstChild) {
    parent.append(element("h3"), element("p", {class: "acts"},
        element("button", {type: "button", "data-operator": true})));
    parent.querySelector("button").addEventListener("click", () => pause(shardNow()));
  }
  text(parent.querySelector("h3"), `Shard ${shard.shard}`);
  facts(parent, [
    ["Owner", shard.owner === null ? "nobody" : `${shard.node}, epoch ${shard.epoch}`],
    ["State", shard.paused ? "paused" : shard.state],
    ["Reason", shard.reason],
    ["Lag", age(shard.lag_ms)],
    ["Waiting", number(shard.backlog)],
    ["Parked", number(shard.parked)],
    ["Newest receipt", since(shard.published_at, nowMs)],
    ["Head", String(shard.head)],
    ["Lanes", shard.lanes.map((lane) => `${lane.topic} (${lane.state}, ${age(lane.lag_ms)})`).join(", ")],
  ]);
  const button = parent.querySelector("button");
  text(button, shard.paused ? "Resume" : "Pause");
  mark(button);
}

function shardNow() {
  return last.page.shards.find((one) => one.shard === chosen);
}

function pause(shard) {
  const verb = shard.paused ? "resume" : "pause";
  act({
    title: `${shard.paused ? "Resume" : "Pause"} shard ${shard.shard}`,
    explanation: shard.paused
      ? "A node claims it and goes on where it stopped."
      : "Its owner settles what is in flight and gives it back. Messages go on being appended, and wait.",
    button: shard.paused ? "Resume" : "Pause",
    run: (reason) => post(`shards/${shard.shard}/${verb}`, {reason}),
    done: (answer) => `Shard ${answer.shard} is ${answer.paused ? "paused" : "not paused"}`
        + `${answer.changed ? "" : ", as it was"}.`,
  });
}

function lanes(shards) {
  const topics = new Map();
  for (const shard of shards) {
    for (const lane of shard.lanes) {
      const known = topics.get(lane.topic);
      topics.set(lane.topic, {...lane, shards: (known?.shards ?? 0) + 1,
        lag_ms: Math.max(lane.lag_ms, known?.lag_ms ?? 0)});
    }
  }
  const all = [...topics.values()].sort((one, other) => other.lag_ms - one.lag_ms);
  text(byId("lanes-count"), all.length === 0 ? "" : number(all.length));
  byId("lanes-none").hidden = all.length > 0;
  byId("lanes-table").hidden = all.length === 0;
  keyed(byId("lanes-rows"), all, (lane) => lane.topic, () => row(["", "number", "number", "", "words"]),
      (made, lane) => cells(made, [lane.topic, number(lane.shards), age(lane.lag_ms), lane.state, lane.reason ?? ""]));
}
