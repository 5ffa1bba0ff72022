// Parked messages, by page, and what an operator does about them.

import {act, mark, say} from "./acts.js";
import {byId, cells, element, keyed, row, text} from "./elements.js";
import {get, post, request} from "./session.js";
import {bytes, number, plural, since} from "./words.js";

const PAGE = 50;
const LABELS = ["", "Topic", "Aggregate", "Event", "State", "Reason", "Payload", "Parked"];
const DOWNLOAD_BYTES_MAX = 16_000_000;

let messages = [];
let next = null;
let count = null;
let nowMs = 0;
let isLoading = false;
// The filter of what is shown: what is typed meanwhile does not count yet.
let applied = {};
const chosen = new Set();

function filter() {
  const given = new FormData(byId("parked-filter"));
  return Object.fromEntries([...given].filter(([, value]) => value !== ""));
}

async function load(cursor) {
  if (isLoading) {
    return;
  }
  isLoading = true;
  try {
    if (!cursor) {
      applied = filter();
    }
    const query = new URLSearchParams({...applied, limit: PAGE, ...(cursor ? {cursor} : {})});
    const page = await get(`parked?${query}`);
    messages = cursor ? [...messages, ...page.messages] : page.messages;
    next = page.next;
    render();
  } catch (cause) {
    say(`Parked messages cannot be shown: ${cause.message}`);
  } finally {
    isLoading = false;
  }
}

export function begin() {
  byId("parked-filter").addEventListener("submit", (event) => {
    event.preventDefault();
    load(null);
  });
  byId("parked-more").addEventListener("click", () => load(next));
  byId("parked-all").addEventListener("change", (event) => {
    messages.forEach((message) => event.target.checked ? chosen.add(message.id) : chosen.delete(message.id));
    render();
  });
  byId("redrive").addEventListener("click", () => some("redrive"));
  byId("discard").addEventListener("click", () => some("discard"));
  byId("redrive-all").addEventListener("click", all);
}

// total: how many there are; the page is read anew when it has changed.
export function show(total, now) {
  nowMs = now;
  text(byId("parked-count"), total === 0 ? "" : number(total));
  if (total !== count) {
    count = total;
    load(null);
  } else {
    render();
  }
}

function make(message) {
  const made = row(["", "", "", "", "", "words", "number", ""], LABELS);
  const box = element("input", {type: "checkbox",
    "aria-label": `Choose the message of ${message.aggregate_type} ${message.aggregate_id} in ${message.topic}`});
  box.addEventListener("change", () => {
    if (box.checked) {
      chosen.add(message.id);
    } else {
      chosen.delete(message.id);
    }
    render();
  });
  made.firstChild.append(box);
  if (message.payload_bytes !== null) {
    const button = element("button", {type: "button", class: "plain", title: "Download, bytes unchanged"},
        bytes(message.payload_bytes));
    button.addEventListener("click", () => download(message));
    made.children[6].append(button);
  } else {
    made.children[6].append("tombstone");
  }
  return made;
}

function render() {
  const there = new Set(messages.map((message) => message.id));
  [...chosen].filter((id) => !there.has(id)).forEach((id) => chosen.delete(id));
  keyed(byId("parked-rows"), messages, (message) => message.id, make, (made, message) => {
    made.firstChild.firstChild.checked = chosen.has(message.id);
    const state = message.wanted ? `${message.state}, ${message.wanted} wanted` : message.state;
    const rest = [message.topic, `${message.aggregate_type} ${message.aggregate_id}`, message.event_type ?? "", state,
      message.reason ?? message.kind];
    rest.forEach((value, i) => text(made.children[i + 1], value));
    text(made.children[7], since(message.parked_at, nowMs));
  });
  byId("parked-none").hidden = messages.length > 0;
  text(byId("parked-none"), count > 0 ? "None of them matches." : "Nothing is parked.");
  byId("parked-more").hidden = next === null;
  byId("parked-all").checked = messages.length > 0 && chosen.size === messages.length;
  mark(byId("redrive"), chosen.size > 0);
  mark(byId("discard"), chosen.size > 0);
  const isFiltered = Object.keys(applied).length > 0;
  mark(byId("redrive-all"), messages.length > 0 && isFiltered, isFiltered ? null : "show a topic, an aggregate or a state first");
}

function some(verb) {
  const ids = messages.filter((message) => chosen.has(message.id)).map((message) => message.message_id);
  act({
    title: `${verb === "redrive" ? "Redrive" : "Discard"} ${plural(ids.length, "message", "messages")}`,
    explanation: verb === "redrive"
      ? "The shards' owners publish them again, in their aggregates' order."
      : "They are never published. This cannot be undone.",
    button: verb === "redrive" ? "Redrive" : "Discard",
    isHarm: verb === "discard",
    run: (reason) => post(`parked/${verb}`, {reason, message_ids: ids.slice(0, 1000)}),
    done: (answer) => asked(verb, answer.messages),
  });
}

function asked(verb, number) {
  chosen.clear();
  load(null);
  return `${verb === "redrive" ? "Redrive" : "Discard"} asked for: ${plural(number, "message", "messages")}.`;
}

// Page by page, until there is no further one.
function all() {
  const wanted = applied;
  const words = Object.entries(wanted).map(([name, value]) => `${name.replace("_", " ")} ${value}`).join(", ");
  act({
    title: "Redrive all that match",
    explanation: `All parked messages with ${words} are published again, in their aggregates' order.`,
    button: "Redrive all",
    run: async (reason) => {
      let sum = 0;
      let cursor = null;
      do {
        const body = {reason, ...wanted, limit: 1000, ...(cursor ? {cursor} : {})};
        const answer = await post("parked/redrive", body);
        sum += answer.messages;
        cursor = answer.next;
      } while (cursor !== null);
      return {messages: sum};
    },
    done: (answer) => asked("redrive", answer.messages),
  });
}

async function download(message) {
  try {
    const answer = await request(`parked/${message.id}/payload?max_bytes=${DOWNLOAD_BYTES_MAX}`);
    const link = element("a", {href: URL.createObjectURL(await answer.blob()), download: `${message.message_id}.bin`});
    link.click();
    URL.revokeObjectURL(link.href);
  } catch (cause) {
    say(`The payload cannot be brought: ${cause.message}`);
  }
}
