// Shows a file: asks for what is in view, and puts answers into the document as text, never as HTML.

import { bytes, create } from "./elements.js";
import { Picture } from "./picture.js";
import { RowTable } from "./table.js";

const element = (id) => document.getElementById(id);
const number = new Intl.NumberFormat("en");

/** Sends a request, and returns the answer. */
async function ask(request) {
  const response = await fetch("api", { method: "POST", body: JSON.stringify(request) });
  if (!response.ok) throw new Error(`the server answers ${response.status}`);
  const answer = await response.json();
  if (answer.read !== undefined) element("read").textContent = `${bytes(answer.read)} read`;
  if (answer.error) throw new Error(answer.error);
  return answer;
}

function show(error) {
  element("error").textContent = error ? error.message : "";
  element("error").hidden = !error;
}

function schemaItem(field, isTop) {
  const item = create("li");
  if (isTop) {
    const button = create("button", field.name);
    button.type = "button";
    button.title = "Show the values";
    button.addEventListener("click", () => showValues(field.name));
    item.append(button);
  } else {
    item.append(create("span", field.name));
  }
  item.append(" ", create("span", field.type + (field.nullable ? "" : ", not null"), "type"));
  if (field.children.length > 0) {
    const children = create("ul");
    children.append(...field.children.map((child) => schemaItem(child, false)));
    item.append(children);
  }
  return item;
}

async function showValues(column) {
  const section = element("values-section");
  section.hidden = false;
  keep({ values: column });
  element("values-title").textContent = `Values of ${column}`;
  const place = element("values");
  place.replaceChildren(create("p", "Reading the column."));
  section.scrollIntoView({ block: "nearest" });
  try {
    const found = await ask({ do: "values", column });
    const facts = [`${number.format(found.rows)} rows`, `${number.format(found.nulls)} nulls`];
    if (found.min !== null) facts.push(`${found.min} to ${found.max}`);
    place.replaceChildren(create("p", facts.join(", ")));
    if (found.bars.length > 0) {
      const bars = create("div", undefined, "bars");
      bars.setAttribute("role", "img");
      bars.setAttribute("aria-label", `Histogram of ${found.bars.length} bars: ${found.bars.join(", ")}`);
      const most = Math.max(...found.bars);
      for (const count of found.bars) {
        const bar = create("span");
        bar.style.height = `${(100 * count) / most}%`;
        bar.title = number.format(count);
        bars.append(bar);
      }
      place.append(bars);
    }
    if (found.top.length > 0) {
      const table = create("table");
      for (const [value, count] of found.top) {
        const row = create("tr");
        row.append(create("td", value), create("td", number.format(count), "number"));
        table.append(row);
      }
      place.append(create("p", found.complete ? "Most frequent" : "Most frequent of the first values"), table);
    }
  } catch (error) {
    place.replaceChildren(create("p", error.message));
  }
}

async function verify(columns) {
  const [button, progress, verdict, faults] = ["verify", "verified", "verdict", "faults"].map(element);
  button.disabled = true;
  faults.replaceChildren();
  progress.max = columns.length;
  let [blocks, verified, bad] = [0, 0, 0];
  for (let column = 0; column < columns.length; column += 1) {
    verdict.textContent = `Verifying ${columns[column].name}`;
    try {
      const seen = await ask({ do: "verify", column });
      blocks += seen.blocks;
      verified += seen.verified;
      bad += seen.faults.length;
      faults.append(...seen.faults.map((fault) => create("li", fault)));
    } catch (error) {
      bad += 1;
      faults.append(create("li", error.message));
    }
    progress.value = column + 1;
  }
  const found = bad === 0 ? "No faults" : bad === 1 ? "1 fault" : `${number.format(bad)} faults`;
  verdict.textContent = `${found}: ${number.format(blocks)} blocks, ${number.format(verified)} verified by checksum`;
  button.disabled = false;
}

async function open() {
  const file = await ask({ do: "open" });
  document.title = `${file.name} - trevni`;
  element("name").textContent = file.name;
  const facts = [file.format];
  if (file.rows !== null) facts.push(`${number.format(file.rows)} rows`);
  facts.push(`${number.format(file.fields.length)} columns`);
  if (file.bytes !== null) facts.push(bytes(file.bytes));
  element("facts").textContent = facts.join(", ");
  element("schema").append(...file.fields.map((field) => schemaItem(field, true)));

  const table = new RowTable(element("table"), ask, element("shown"), show);
  table.setColumns(file.fields, file.rows);
  if (file.rows === null) {
    const counted = ask({ do: "count" }).then(({ rows }) => {
      table.setRows(rows);
      element("facts").textContent += `, ${number.format(rows)} rows`;
    });
    counted.catch(show);
  }
  for (const [at, field] of file.fields.entries()) {
    const label = create("label");
    const box = create("input");
    box.type = "checkbox";
    box.checked = at < table.mostColumns;
    box.addEventListener("change", () => table.pick(field.name, box.checked));
    label.append(box, " ", field.name);
    element("picker").append(label);
  }
  element("filter").addEventListener("submit", (event) => {
    event.preventDefault();
    keep({ where: element("where").value.trim(), row: "" });
    table.filter(element("where").value.trim());
  });
  element("go").addEventListener("click", () => {
    const row = element("row").value.replaceAll(/[^0-9]/g, "");
    keep({ row });
    table.goTo(Number(row));
  });
  element("row").addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    element("go").click();
  });
  if (file.columns) {
    element("picture-section").hidden = false;
    element("verify-section").hidden = false;
    new Picture(element("picture"), element("block"), element("color"), file.columns, ask);
    element("verify").addEventListener("click", () => verify(file.columns));
  }
  await restore(table, file.columns);
}

/** Keeps what is shown in the address, so that it is shown again after a reload. */
function keep(changes) {
  const kept = new URLSearchParams(location.hash.slice(1));
  for (const [name, value] of Object.entries(changes)) {
    if (value) kept.set(name, value);
    else kept.delete(name);
  }
  history.replaceState(null, "", `#${kept}`);
}

/** Shows what the address says. */
async function restore(table, columns) {
  const kept = new URLSearchParams(location.hash.slice(1));
  const [where, row] = [kept.get("where") ?? "", kept.get("row") ?? ""];
  element("where").value = where;
  element("row").value = row;
  if (where) await table.filter(where);
  await table.render();
  if (row) table.goTo(Number(row));
  if (kept.has("values")) showValues(kept.get("values"));
  if (kept.has("verify") && columns) verify(columns);
}

open().catch((error) => {
  element("facts").textContent = "";
  show(error);
});
