// Shows a file: asks for what is in view, and puts answers into the document as text, never as HTML.

import { compareRows, showColumns } from "./compare.js";
import { bytes, create, escaped, number } from "./elements.js";
import { engine } from "./engine.js";
import { filesOf, folderOf } from "./folder.js";
import { Picture } from "./picture.js";
import { RowTable } from "./table.js";
import { showValues } from "./values.js";
import { verify } from "./verify.js";

const element = (id) => document.getElementById(id);

/** Sends a request, and returns the answer. */
async function ask(request) {
  const answer = await engine.ask(request);
  if (answer.read !== undefined) element("read").textContent = `${bytes(answer.read)} read`;
  if (answer.error) throw new Error(answer.error);
  return answer;
}

function show(error) {
  element("error").textContent = error ? escaped(error.message) : "";
  element("error").hidden = !error;
}

function schemaItem(field, isTop) {
  const item = create("li");
  if (isTop) {
    const button = create("button", field.name);
    button.type = "button";
    button.title = "Show the values";
    button.addEventListener("click", () => openValues(field.name));
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

function openValues(column) {
  element("values-section").hidden = false;
  keep({ values: column });
  element("values-title").textContent = `Values of ${escaped(column)}`;
  element("values-section").scrollIntoView({ block: "nearest" });
  showValues(element("values"), column, ask);
}

function verifyAll(columns) {
  const [button, progress, verdict, faults] = ["verify", "verified", "verdict", "faults"].map(element);
  verify({ button, progress, verdict, faults }, columns, ask);
}

/** What listens for the file that is shown. */
let listeners = new AbortController();

/** Shows the file that the engine has. */
async function showFile() {
  listeners.abort();
  listeners = new AbortController();
  const { signal } = listeners;
  const file = await ask({ do: "open" });
  const on = (id, type, listener) => element(id).addEventListener(type, listener, { signal });
  for (const id of ["schema", "picker", "faults", "values"]) element(id).replaceChildren();
  for (const id of ["verdict", "block"]) element(id).textContent = "";
  element("values-section").hidden = true;
  element("verified").value = 0;
  document.querySelector("main").hidden = false;
  document.title = `${escaped(file.name)} - trevni`;
  element("name").textContent = escaped(file.name);
  const facts = [file.format];
  if (file.rows !== null) facts.push(`${number.format(file.rows)} rows`);
  facts.push(`${number.format(file.fields.length)} columns`);
  if (file.bytes !== null) facts.push(bytes(file.bytes));
  element("facts").textContent = facts.join(", ");
  element("schema").append(...file.fields.map((field) => schemaItem(field, true)));

  element("metadata-part").hidden = !file.metadata?.length;
  element("metadata").replaceChildren(...(file.metadata ?? []).map(metadataRow));

  const table = new RowTable(element("table"), ask, element("shown"), show, signal);
  table.setColumns(file.fields, file.inPage ?? file.rows);
  element("where-part").hidden = file.inPage !== undefined;
  if (file.inPage < file.rows) element("facts").textContent += `; the first ${number.format(file.inPage)} rows are in this page`;
  if (file.rows === null) {
    const counted = ask({ do: "count" }).then(({ rows }) => {
      table.setRows(rows);
      element("facts").textContent += `, ${number.format(rows)} rows`;
    });
    counted.catch(show);
  }
  for (const [at, field] of file.fields.entries()) element("picker").append(pickerItem(field, at, table));
  on("filter", "submit", (event) => {
    event.preventDefault();
    keep({ where: element("where").value.trim(), row: "" });
    table.filter(element("where").value.trim());
  });
  on("go", "click", () => {
    const row = element("row").value.replaceAll(/[^0-9]/g, "");
    keep({ row });
    table.goTo(Number(row));
  });
  on("row", "keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    element("go").click();
  });
  element("picture-section").hidden = !file.columns;
  element("verify-section").hidden = !file.columns;
  if (file.columns) {
    new Picture(element("picture"), element("block"), element("color"), file.columns, ask, signal);
    on("verify", "click", () => verifyAll(file.columns));
  }
  element("compare-section").hidden = !file.other && !engine.open;
  element("comparison").hidden = true;
  element("difference").textContent = "";
  element("differences").replaceChildren();
  on("other", "change", () => openOther(element("other").files[0], file, signal));
  if (file.other) showOther(file, file.other, signal);
  await restore(table, file.columns);
}

/** Opens a file to compare with, where the engine reads it itself. */
async function openOther(source, file, signal) {
  if (!source) return;
  show(null);
  try {
    await engine.open(source, 1);
    const { other } = await ask({ do: "open" });
    if (!signal.aborted) showOther(file, other, signal);
  } catch (error) {
    show(error);
  }
}

/** Shows the file beside another one. */
function showOther(file, other, signal) {
  const [table, verdict, progress] = ["differences", "difference", "compared"].map(element);
  element("comparison").hidden = false;
  table.replaceChildren();
  verdict.textContent = escaped(`${file.name} and ${other.name}`);
  showColumns(element("both"), file, other);
  element("compare").onclick = async () => {
    element("compare").disabled = true;
    await compareRows({ table, verdict, progress }, file, other, ask, signal).catch(show);
    element("compare").disabled = false;
  };
}

function metadataRow([key, value]) {
  const row = create("tr");
  const head = create("th", key);
  head.scope = "row";
  row.append(head, create("td", value));
  return row;
}

function pickerItem(field, at, table) {
  const label = create("label");
  const box = create("input");
  box.type = "checkbox";
  box.checked = at < table.mostColumns;
  box.addEventListener("change", () => table.pick(field.name, box.checked));
  label.append(box, " ", field.name);
  return label;
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
  if (kept.has("values")) openValues(kept.get("values"));
  if (kept.has("verify") && columns) verifyAll(columns);
}

/** Opens a file or a URL, where the engine reads it itself. */
async function open(source) {
  show(null);
  element("facts").textContent = `Opening ${escaped(source.name ?? source)}.`;
  document.querySelector("main").hidden = true;
  try {
    await engine.open(source);
    await showFile();
  } catch (error) {
    element("facts").textContent = "";
    show(error);
  }
}

/** Lets a person choose what to open: by name, by URL, or by dropping it. */
function choose() {
  for (const id of ["chooser", "other-chooser"]) element(id).hidden = false;
  element("facts").textContent = "Drop a file or a folder here, or choose one: Trevni, Parquet, Arrow, CSV, JSON lines, Blosc. Nothing is sent anywhere.";
  const openFile = (file) => {
    if (!file) return;
    history.replaceState(null, "", location.pathname);
    open(file);
  };
  element("file").addEventListener("change", () => openFile(element("file").files[0]));
  element("folder").addEventListener("change", () => openFile(folderOf(element("folder").files)));
  element("chooser").addEventListener("submit", (event) => {
    event.preventDefault();
    const url = element("url").value.trim();
    if (!url) return;
    history.replaceState(null, "", location.pathname);
    keep({ url });
    open(url);
  });
  addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  addEventListener("dragleave", () => document.body.classList.remove("dropping"));
  addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dropping");
    const entry = event.dataTransfer.items[0]?.webkitGetAsEntry?.();
    if (entry?.isDirectory) filesOf(entry).then((files) => openFile({ name: entry.name, files }), show);
    else openFile(event.dataTransfer.files[0]);
  });
  const url = new URLSearchParams(location.hash.slice(1)).get("url");
  if (!url) return;
  element("url").value = url;
  open(url);
}

if (engine.open) choose();
else showFile().catch(show);
