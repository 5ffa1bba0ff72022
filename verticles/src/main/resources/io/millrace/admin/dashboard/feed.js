// The stream of server-sent events. The browser's own reader of such streams cannot show a token, so that it is read here.

import {Refused, request} from "./session.js";

const SILENCE_MS_MAX = 40_000;
const PAUSE_MS_MAX = 30_000;

// Calls heard(event, data) for each event, and lost(text, seconds) when there is no connection. Goes on until stopped.
export function listen(heard, lost) {
  let isStopped = false;
  let current = null;
  let wake = () => {};
  (async () => {
    let failures = 0;
    while (!isStopped) {
      let trouble = null;
      let isHeard = false;
      try {
        await stream((event, data) => {
          isHeard = true;
          heard(event, data);
        }, (abort) => { current = abort; });
      } catch (cause) {
        trouble = cause;
      }
      if (isStopped || (trouble instanceof Refused && trouble.isFinal())) {
        return;
      }
      // The server ends a stream now and then, which is no failure.
      failures = isHeard ? 0 : failures + 1;
      if (trouble !== null || failures > 0) {
        const pause = Math.min(PAUSE_MS_MAX, 1000 * 2 ** failures) * (0.5 + Math.random() / 2);
        lost(trouble instanceof Refused ? trouble.message : "no connection to the node", Math.ceil(pause / 1000));
        await new Promise((done) => { wake = done; setTimeout(done, pause); });
      }
    }
  })();
  return () => {
    isStopped = true;
    current?.abort();
    wake();
  };
}

async function stream(heard, begun) {
  const abort = new AbortController();
  begun(abort);
  let watch;
  const stillThere = () => {
    clearTimeout(watch);
    watch = setTimeout(() => abort.abort(), SILENCE_MS_MAX);
  };
  stillThere();
  try {
    const answer = await request("events", {signal: abort.signal, cache: "no-store"});
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const {done, value} = await reader.read();
      if (done) {
        return;
      }
      stillThere();
      const parts = (rest + value).split("\n\n");
      rest = parts.pop();
      parts.forEach((part) => event(part, heard));
    }
  } finally {
    clearTimeout(watch);
    // Whatever ended the reading: the server has few places.
    abort.abort();
  }
}

function event(part, heard) {
  let name = "message";
  let data = "";
  for (const line of part.split("\n")) {
    if (line.startsWith("event: ")) {
      name = line.slice(7);
    } else if (line.startsWith("data: ")) {
      data += line.slice(6);
    }
  }
  if (data) {
    heard(name, JSON.parse(data));
  }
}
