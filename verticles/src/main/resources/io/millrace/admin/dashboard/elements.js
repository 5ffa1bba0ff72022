// Elements of the page. Text only ever becomes text: nothing that the API answers is read as HTML.

const SVG = "http://www.w3.org/2000/svg";

export function byId(id) {
  return document.getElementById(id);
}

export function element(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function drawn(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    attribute(made, name, value);
  }
  made.append(...children);
  return made;
}

export function attribute(of, name, value) {
  if (value === null || value === false || value === undefined) {
    of.removeAttribute(name);
  } else if (of.getAttribute(name) !== String(value)) {
    of.setAttribute(name, value === true ? "" : value);
  }
}

export function text(of, value) {
  if (of.textContent !== value) {
    of.textContent = value;
  }
}

// Makes the children of a parent those of a list: one element a key, kept while its key is there, so that focus,
// choices and scrolling survive.
export function keyed(parent, items, keyOf, make, update) {
  const there = new Map();
  for (const child of parent.children) {
    there.set(child.dataset.key, child);
  }
  let before = null;
  for (const item of items) {
    const key = String(keyOf(item));
    let child = there.get(key);
    there.delete(key);
    if (!child) {
      child = make(item);
      child.dataset.key = key;
    }
    update(child, item);
    const place = before ? before.nextElementSibling : parent.firstElementChild;
    if (place !== child) {
      parent.insertBefore(child, place);
    }
    before = child;
  }
  there.forEach((gone) => gone.remove());
}

// A row of a table with so many cells: classes by cell, and what a cell is called where there is no room for columns.
export function row(classes, labels = []) {
  return element("tr", {}, ...classes.map((name, i) => element("td", {class: name || null, "data-label": labels[i]})));
}

export function cells(of, values) {
  values.forEach((value, i) => text(of.children[i], value));
}

// Names and values, one pair after the other.
export function facts(parent, pairs) {
  let list = parent.querySelector("dl");
  if (!list) {
    list = element("dl");
    parent.append(list);
  }
  keyed(list, pairs.filter(([, value]) => value !== null && value !== ""), ([name]) => name,
      ([name]) => element("div", {}, element("dt", {}, name), element("dd")),
      (pair, [, value]) => text(pair.lastChild, value));
}
