// Puts the page together: signs in, listens, and hands each reading to the parts that show it.

import * as acts from "./acts.js";
import {attribute, byId, element, keyed, text} from "./elements.js";
import {listen} from "./feed.js";
import * as inbox from "./inbox.js";
import * as nodes from "./nodes.js";
import * as parked from "./parked.js";
import * as plots from "./plots.js";
import * as ring from "./ring.js";
import * as session from "./session.js";
import * as shards from "./shards.js";
import {age, number, rate} from "./words.js";

let clockAhead = 0;
let historyMinutes = 15;
let sample = null;
let readAt = null;
let stop = () => {};

function now() {
  return Date.now() + clockAhead;
}

function tiles(reading) {
  const all = reading.shards.shards;
  const slots = reading.partitions.slots;
  const sum = (of) => all.reduce((total, shard) => total + of(shard), 0);
  const lag = Math.max(0, ...all.map((shard) => shard.lag_ms));
  const unowned = all.filter((shard) => shard.owner === null && !shard.paused).length;
  const free = slots.filter((slot) => slot.state === "free").length;
  const latencies = (sample?.owners ?? []).map((owner) => owner.latency_ms).filter((value) => value !== null);
  return [
    ["Published a second", sample ? rate(sample.owners.reduce((total, owner) => total + owner.per_second, 0)) : "-", ""],
    ["Lag", age(lag), lag > 30_000 ? "bad" : lag > 5_000 ? "warn" : ""],
    ["Backlog", number(sum((shard) => shard.backlog)), ""],
    ["Latency", latencies.length > 0 ? age(Math.max(...latencies)) : "-", ""],
    ["Parked", number(sum((shard) => shard.parked)), sum((shard) => shard.parked) > 0 ? "warn" : ""],
    ["Lanes", number(sum((shard) => shard.lanes.length)), sum((shard) => shard.lanes.length) > 0 ? "warn" : ""],
    ["Shards unowned", number(unowned), unowned > 0 ? "bad" : ""],
    ["Slots free", `${free} of ${slots.length}`, free === 0 ? "warn" : ""],
  ];
}

function showTiles(reading) {
  keyed(byId("tiles"), tiles(reading), ([name]) => name,
      ([name]) => element("div", {class: "tile"}, element("b"), element("span", {}, name)),
      (made, [, value, mood]) => {
        text(made.firstChild, value);
        attribute(made, "class", `tile ${mood}`);
      });
}

function showReady(ready) {
  const pill = byId("ready");
  text(pill, ready.ready ? "ready" : "not ready");
  attribute(pill, "class", `pill ${ready.ready ? "good" : "bad"}`);
  reasons(ready.reasons ?? []);
}

function reasons(all) {
  const parent = byId("reasons");
  parent.hidden = all.length === 0;
  keyed(parent, all, (reason) => reason, (reason) => element("p", {}, reason), () => {});
}

function reading(body) {
  readAt = Date.now();
  if (body.sample) {
    sample = body.sample;
    plots.add(body.sample);
  }
  showReady(body.ready);
  showTiles(body);
  ring.show(body.partitions, now());
  shards.show(body.shards, sample, now());
  parked.show(body.shards.shards.reduce((sum, shard) => sum + shard.parked, 0), now());
  inbox.show(body.inbox, now());
  nodes.show(body.nodes, now());
  byId("state").hidden = false;
  byId("state").classList.remove("stale");
  showLive();
}

function hello(body) {
  clockAhead = body.now - Date.now();
  historyMinutes = body.history_minutes;
  text(byId("node"), body.node);
  document.title = `${body.node} - Millrace`;
  text(byId("who"), `${body.caller}, ${body.role}`);
  byId("sign-out").hidden = !session.hasToken();
  acts.allow(body.role);
}

function heard(event, body) {
  switch (event) {
    case "hello":
      hello(body);
      break;
    case "history":
      sample = body.samples[body.samples.length - 1] ?? null;
      plots.begin(body.samples, historyMinutes);
      break;
    case "reading":
      reading(body);
      break;
    case "trouble":
      trouble(`The database cannot be read: ${body.trouble}`);
      break;
  }
}

// What is shown stays, but looks old.
function trouble(words) {
  attribute(byId("ready"), "class", "pill bad");
  text(byId("ready"), "not ready");
  reasons([words]);
  byId("state").classList.add("stale");
  showLive();
}

function lost(words, seconds) {
  attribute(byId("ready"), "class", "pill bad");
  text(byId("ready"), "no connection");
  reasons([`${words}; the next try is in ${seconds} s`]);
  byId("state").classList.add("stale");
}

function showLive() {
  text(byId("live"), readAt === null ? "" : `read ${age(Date.now() - readAt)} ago`);
}

function start() {
  byId("sign-in").hidden = true;
  byId("sign-out").hidden = !session.hasToken();
  stop();
  stop = listen(heard, lost);
}

function askForToken(problem) {
  stop();
  byId("state").hidden = true;
  byId("sign-out").hidden = true;
  text(byId("who"), "");
  text(byId("ready"), "signed out");
  attribute(byId("ready"), "class", "pill");
  reasons([]);
  text(byId("sign-in-problem"), problem);
  byId("sign-in").hidden = false;
  byId("token").focus();
}

session.whenRefused(askForToken);
byId("sign-in").addEventListener("submit", (event) => {
  event.preventDefault();
  const token = byId("token").value.trim();
  byId("token").value = "";
  if (!/^[\x21-\x7e]+$/.test(token)) {
    text(byId("sign-in-problem"), "a token has letters, digits and signs of ASCII alone");
    return;
  }
  session.signIn(token);
  start();
});
byId("sign-out").addEventListener("click", () => {
  session.signOut();
  // What another was shown is not for the next one.
  location.reload();
});
byId("turn").addEventListener("click", acts.turnRing);
parked.begin();
setInterval(showLive, 1_000);
start();
