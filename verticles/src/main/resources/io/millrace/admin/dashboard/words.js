// Numbers, sizes, times and ages as people read them.

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

export function number(value) {
  return value === null || value === undefined ? "-" : Math.round(value).toLocaleString("en-US");
}

export function rate(value) {
  return value >= 100 || value === 0 ? number(value) : value.toFixed(1);
}

export function bytes(value) {
  let unit = 0;
  let size = value;
  while (size >= 1024 && unit < UNITS.length - 1) {
    size /= 1024;
    unit++;
  }
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${UNITS[unit]}`;
}

// A length of time in milliseconds.
export function age(ms) {
  if (ms === null || ms === undefined) {
    return "-";
  }
  const s = ms / 1000;
  if (ms < 1000) {
    return `${Math.round(ms)} ms`;
  }
  if (s < 100) {
    return `${s < 10 ? s.toFixed(1) : Math.round(s)} s`;
  }
  if (s < 6000) {
    return `${Math.round(s / 60)} min`;
  }
  return s < 172_800 ? `${Math.round(s / 3600)} h` : `${Math.round(s / 86_400)} d`;
}

// How long ago a time was; an empty text for no time. The server's clock decides: clocks of browsers are often wrong.
export function since(text, nowMs) {
  return text ? `${age(Math.max(0, nowMs - Date.parse(text)))} ago` : "";
}

export function clock(text) {
  return text ? text.replace("T", " ").replace(/\.\d+Z$/, "Z") : "-";
}

export function plural(count, one, many) {
  return `${number(count)} ${count === 1 ? one : many}`;
}
