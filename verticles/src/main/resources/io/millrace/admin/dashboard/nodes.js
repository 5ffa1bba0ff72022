// The nodes: one whose heartbeats stand still between two readings is dead, paused or cut off.

import {attribute, byId, cells, keyed, row} from "./elements.js";
import {number, since} from "./words.js";

const STILL_MS = 15_000;
const seen = new Map();

// nodes: as of /nodes.
export function show(nodes, nowMs) {
  for (const node of nodes) {
    if (seen.get(node.node)?.heartbeats !== node.heartbeats) {
      seen.set(node.node, {heartbeats: node.heartbeats, at: nowMs});
    }
  }
  [...seen.keys()].filter((id) => !nodes.some((node) => node.node === id)).forEach((id) => seen.delete(id));
  keyed(byId("nodes-rows"), nodes, (node) => node.node, () => row(["", "wrap", "number", "", ""]), (made, node) => {
    const still = nowMs - seen.get(node.node).at;
    const isStill = still > STILL_MS;
    cells(made, [node.name, node.maintaining ? `${node.role}, turns the ring` : node.role, number(node.shards),
      isStill ? `none for ${Math.round(still / 1000)} s` : "beats", since(node.started_at, nowMs)]);
    attribute(made, "class", isStill ? "bad" : null);
  });
}
