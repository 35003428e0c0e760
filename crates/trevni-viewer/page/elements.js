// Makes elements and texts.

/** Writes numbers as people read them. */
export const number = new Intl.NumberFormat("en");

/** Returns a new element with a text. */
export function create(tag, text, className) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
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
