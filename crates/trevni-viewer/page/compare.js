// Compares the file with another one: columns side by side, then the rows that differ.

import { bytes, create, escaped, number } from "./elements.js";

/** Rows that are compared at once, of files that can be read from any row. */
const STEP = 250_000;

/** The fields of two files, in the order of the first. */
function pairs(a, b) {
  const ours = new Map(a.fields.map((field) => [field.name, field]));
  const theirs = new Map(b.fields.map((field) => [field.name, field]));
  const names = new Set([...ours.keys(), ...theirs.keys()]);
  return [...names].map((name) => ({ name, a: ours.get(name), b: theirs.get(name) }));
}

/** The bytes of a field: those of its columns. */
function size(file, name) {
  if (!file.columns) return null;
  const isOf = (column) => column === name || (column.startsWith(name) && "#[>".includes(column[name.length]));
  return file.columns.filter((column) => isOf(column.name)).reduce((sum, column) => sum + column.bytes, 0);
}

function row(cells, tag = "td") {
  const line = create("tr");
  for (const cell of cells) {
    const [text, className] = Array.isArray(cell) ? cell : [cell];
    const made = create(tag, text, className);
    if (tag === "th") made.scope = "col";
    else made.title = escaped(text);
    line.append(made);
  }
  return line;
}

function sized(count) {
  return [count === null ? "" : bytes(count), "number"];
}

/** Shows the columns of both files side by side. */
export function showColumns(table, a, b) {
  const head = create("thead");
  head.append(row(["column", a.name, b.name, `bytes of ${a.name}`, `bytes of ${b.name}`], "th"));
  const body = create("tbody");
  for (const { name, a: ours, b: theirs } of pairs(a, b)) {
    const types = [ours, theirs].map((field) => field?.type ?? "missing");
    const className = types[0] === types[1] ? "" : "differs";
    const sizes = [ours && size(a, name), theirs && size(b, name)].map((count) => sized(count ?? null));
    body.append(row([name, ...types.map((type) => [type, className]), ...sizes]));
  }
  const total = [a, b].map((file) => sized(file.bytes));
  body.append(row(["all", ...[a, b].map((file) => (file.rows === null ? "" : `${number.format(file.rows)} rows`)), ...total]));
  table.replaceChildren(head, body);
}

/** Compares all rows, and shows those that differ. */
export async function compareRows({ table, verdict, progress }, a, b, ask, signal) {
  const canSkip = a.columns && b.columns;
  const most = Math.max(a.rows ?? 0, b.rows ?? 0);
  const counts = [0, 0];
  let [found, start, isCut] = [0, 0, false];
  const [head, body] = [create("thead"), create("tbody")];
  head.append(row(["row", "column", a.name, b.name], "th"));
  table.replaceChildren(head, body);
  progress.max = most || 1;
  progress.value = 0;
  while (!signal.aborted) {
    verdict.textContent = `Comparing from row ${number.format(start)}`;
    const request = { do: "diff", start };
    if (canSkip) request.count = STEP;
    const part = await ask(request);
    if (signal.aborted) return;
    if (part.types.length > 0) {
      verdict.textContent = escaped(`The rows cannot be compared: ${part.types.join("; ")}`);
      return;
    }
    for (const { row: at, column, a: ours, b: theirs } of part.rows) {
      found += 1;
      body.append(row([[number.format(at), "number"], column, ours, theirs]));
    }
    counts.forEach((count, file) => (counts[file] = count + part.counts[file]));
    start += STEP;
    progress.value = Math.min(start, most);
    isCut = part.cut;
    if (!canSkip || start >= most || isCut) break;
  }
  progress.value = progress.max;
  if (found === 0) table.replaceChildren();
  const facts = [];
  if (found > 0) facts.push(`${number.format(found)} values differ${isCut ? " in the first rows that do" : ""}`);
  if (a.rows !== b.rows && a.rows !== null && b.rows !== null) {
    facts.push(`${number.format(a.rows)} and ${number.format(b.rows)} rows`);
  } else if (!isCut && counts[0] !== counts[1]) {
    facts.push(`${number.format(counts[0])} and ${number.format(counts[1])} rows`);
  }
  verdict.textContent = facts.length > 0 ? facts.join(", ") : `Equal: ${number.format(counts[0])} rows`;
}
