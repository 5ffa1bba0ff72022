// The inbox: a bar a bucket, the floor, this node's consumers, and what was not applied.

import {attribute, byId, cells, drawn, element, keyed, row, text} from "./elements.js";
import {age, bytes, number, plural, since} from "./words.js";

const HEIGHT = 56;
const STEP = 22;

function bar(bucket) {
  return `bucket of ${bucket.from.slice(0, 10)}, ${bucket.state}, ${bucket.rows_counted ? "" : "over "}${number(bucket.rows)} ids,`
      + ` ${bytes(bucket.bytes)}; ${bucket.why_not_dropped}`;
}

function buckets(inbox) {
  const all = inbox.buckets.filter((bucket) => bucket.parent === "inbox")
      .sort((one, other) => one.bucket - other.bucket);
  const parent = byId("buckets");
  if (!parent.firstChild) {
    parent.append(drawn("svg", {role: "group", "aria-label": "Buckets of ids, the oldest first"}));
  }
  const max = Math.max(1, ...all.map((bucket) => bucket.bytes));
  const svg = parent.firstChild;
  attribute(svg, "viewBox", `0 0 ${Math.max(30, all.length) * STEP} ${HEIGHT + 16}`);
  keyed(svg, all, (bucket) => bucket.bucket,
      () => drawn("g", {tabindex: "0", role: "img"}, drawn("title"), drawn("rect", {rx: 2}),
          drawn("text", {"text-anchor": "middle", y: HEIGHT + 13})),
      (made, bucket) => {
        const height = Math.max(3, bucket.bytes / max * HEIGHT);
        const x = all.indexOf(bucket) * STEP;
        const [title, rect, label] = made.children;
        attribute(made, "class", `bucket bucket-${bucket.state}${bucket.rows === 0 ? " empty" : ""}`);
        attribute(made, "aria-label", bar(bucket));
        text(title, bar(bucket));
        attribute(rect, "x", x + 1);
        attribute(rect, "width", STEP - 4);
        attribute(rect, "y", HEIGHT - height);
        attribute(rect, "height", height);
        attribute(label, "x", x + STEP / 2 - 1);
        text(label, bucket.from.slice(8, 10));
      });
}

// inbox: as of /inbox.
export function show(inbox, nowMs) {
  buckets(inbox);
  text(byId("floor"), `Ids are kept for ${age(inbox.retention_ms)}. The floor is ${inbox.floor_at.slice(0, 10)}: older`
      + ` messages are parked. ${plural(inbox.buckets_ahead, "bucket is", "buckets are")} made ahead.`);
  byId("consumers").hidden = inbox.consumers.length === 0;
  keyed(byId("consumers-rows"), inbox.consumers, (consumer) => consumer.consumer,
      () => row(["", "words", "number", "number"]),
      (made, consumer) => {
        cells(made, [consumer.consumer, consumer.ready ? "works" : consumer.reasons.join("; "),
          number(consumer.topic_partitions.length),
          number(consumer.topic_partitions.reduce((sum, one) => sum + (one.lag ?? 0), 0))]);
        attribute(made, "class", consumer.ready ? null : "bad");
      });
  byId("inbox-parked").hidden = inbox.parked.length === 0;
  keyed(byId("inbox-parked-rows"), inbox.parked, (some) => `${some.consumer} ${some.reason}`,
      () => row(["", "", "number", ""]),
      (made, some) => cells(made, [some.consumer, some.reason.replaceAll("_", " "),
        `${some.messages_counted ? "" : "over "}${number(some.messages)}`, since(some.oldest_at, nowMs)]));
}
