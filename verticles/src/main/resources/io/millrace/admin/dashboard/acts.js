// Changes: each asks for a reason first, says what came of it, and is there for operators alone.

import {attribute, byId, text} from "./elements.js";
import {post} from "./session.js";

let isOperator = false;

export function allow(role) {
  isOperator = role === "operator";
  for (const button of document.querySelectorAll("[data-operator]")) {
    mark(button);
  }
}

// A button that only operators can use says so to the others.
export function mark(button, isUseful = true, hint = null) {
  button.disabled = !isOperator || !isUseful;
  attribute(button, "title", isOperator ? hint : "needs a token of an operator");
}

export function say(words) {
  text(byId("news"), words);
}

// Asks for the reason, sends path with body and reason, and says what done(answer) makes of the answer.
export function act({title, explanation, button, isHarm, run, done}) {
  const dialog = byId("act");
  text(byId("act-title"), title);
  text(byId("act-text"), explanation);
  text(byId("act-problem"), "");
  const doIt = byId("act-do");
  text(doIt, button);
  doIt.classList.toggle("harm", Boolean(isHarm));
  doIt.disabled = false;
  byId("act-reason").value = "";
  byId("act-form").onsubmit = async (event) => {
    event.preventDefault();
    doIt.disabled = true;
    text(byId("act-problem"), "");
    try {
      say(done(await run(byId("act-reason").value.trim())));
      dialog.close();
    } catch (cause) {
      text(byId("act-problem"), cause.message);
      doIt.disabled = false;
    }
  };
  byId("act-not").onclick = () => dialog.close();
  dialog.showModal();
  byId("act-reason").focus();
}

export function turnRing() {
  act({
    title: "Turn the ring",
    explanation: "Closes the hot slot at the next round of maintenance, as soon as it holds a message and another slot is free.",
    button: "Turn",
    run: (reason) => post("ring/turn", {reason}),
    done: (answer) => answer.changed ? "The ring turns at the next round." : "That had been asked for already.",
  });
}
