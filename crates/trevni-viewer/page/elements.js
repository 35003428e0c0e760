// Makes elements and texts.

/** Writes numbers as people read them. */
export const number = new Intl.NumberFormat("en");

// Control characters, and those that change the direction of text.
const HARMFUL = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const ESCAPES = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Returns a text with escapes in place of characters that are invisible or move others. */
export function escaped(text) {
  return String(text).replace(HARMFUL, (c) => ESCAPES[c] ?? `\\u{${c.codePointAt(0).toString(16)}}`);
}

/** Returns a new element with a text. */
export function create(tag, text, className) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = escaped(text);
  if (className) made.className = className;
  return made;
}

/** Returns a number of bytes as people read it. */
export function bytes(count) {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  let unit = 0;
  while (count >= 1000 && unit + 1 < units.length) {
    count /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? count : count.toPrecision(3)} ${units[unit]}`;
}
