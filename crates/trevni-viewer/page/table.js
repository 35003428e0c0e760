// A table that scrolls through any number of rows and columns: only those in view are asked for, and are in the document.

import { create, escaped, number } from "./elements.js";

const ROW = 26;
/** Browsers have no elements much higher than this. */
const MOST_HEIGHT = 8_000_000;
const PAGE = 100;
const MOST_PAGES = 64;

export class RowTable {
  mostColumns = 200;

  constructor(viewport, ask, shown, show, signal) {
    Object.assign(this, { viewport, ask, shown, show });
    this.pages = new Map();
    this.cells = [];
    this.where = "";
    this.sort = null;
    this.version = 0;
    this.spacer = create("div", undefined, "spacer");
    this.table = create("table");
    this.columnGroup = create("colgroup");
    this.head = create("thead");
    this.body = create("tbody");
    this.table.append(this.columnGroup, this.head, this.body);
    this.spacer.append(this.table);
    viewport.replaceChildren(this.spacer);
    viewport.addEventListener("scroll", () => this.render(), { passive: true, signal });
    const resized = new ResizeObserver(() => {
      this.measure();
      this.render();
    });
    resized.observe(viewport);
    signal.addEventListener("abort", () => resized.disconnect());
  }

  /** Sets the fields of the file, and its rows, of which the number may not be known. */
  setColumns(fields, rows) {
    this.fields = new Map(fields.map((field) => [field.name, field]));
    this.allRows = rows;
    this.rows = rows;
    this.picked = fields.slice(0, this.mostColumns).map((field) => field.name);
    this.reset();
  }

  /** Sets the number of rows once it is known. */
  setRows(rows) {
    this.allRows = rows;
    if (!this.where) this.rows = rows;
    this.drawHead();
    this.render();
  }

  pick(name, isPicked) {
    this.picked = [...this.fields.keys()].filter((known) =>
      known === name ? isPicked : this.picked.includes(known),
    );
    this.reset();
    this.render();
  }

  async filter(where) {
    this.show(null);
    this.where = where;
    this.rows = this.allRows;
    this.reset();
    if (where) {
      this.shown.textContent = "Counting the rows.";
      const version = this.version;
      // Until then the number of rows is another one, and nothing is drawn by it.
      this.isCounting = true;
      try {
        const { rows } = await this.ask({ do: "count", where });
        if (version === this.version) this.rows = rows;
      } catch (error) {
        if (version === this.version) {
          this.show(error);
          this.rows = 0;
        }
      }
      if (version === this.version) this.isCounting = false;
    }
    this.viewport.scrollTop = 0;
    this.render();
  }

  /** Scrolls to a row. */
  goTo(row) {
    const last = Math.max(0, this.total() - this.inView());
    const share = last === 0 ? 0 : Math.min(row, last) / last;
    this.exact = Math.min(row, last);
    this.viewport.scrollTop = share * (this.height() - this.viewport.clientHeight);
    this.viewport.focus();
    this.render();
  }

  /** Forgets values that were read. */
  reset() {
    this.version += 1;
    this.isCounting = false;
    this.pages.clear();
    this.sort = null;
    this.exact = null;
    this.drawHead();
  }

  /** How many rows there are: of an unknown number as many as were seen, and a page. */
  total() {
    if (this.rows !== null) return this.rows;
    const ends = [...this.pages].map(([page, { rows }]) => page * PAGE + (rows ?? 0));
    const end = Math.max(0, ...ends);
    return end % PAGE === 0 ? end + PAGE : end;
  }

  inView() {
    return Math.max(1, Math.floor(this.viewport.clientHeight / ROW) - 1);
  }

  height() {
    return Math.min((this.total() + 1) * ROW + 1, MOST_HEIGHT);
  }

  /** The first row in view. */
  first() {
    const last = Math.max(0, this.total() - this.inView());
    const range = this.height() - this.viewport.clientHeight;
    if (range <= 0 || last === 0) return 0;
    const row = Math.round((Math.min(this.viewport.scrollTop, range) / range) * last);
    // Where there are more rows than pixels, a row that was named is met exactly.
    const isNear = this.exact !== null && Math.abs(this.exact - row) <= last / range + 1;
    if (!isNear) this.exact = null;
    return isNear ? this.exact : row;
  }

  /** The columns in view, as a range. */
  columnsInView() {
    const [left, right] = [this.viewport.scrollLeft, this.viewport.scrollLeft + this.viewport.clientWidth];
    // The numbers of the rows cover the left edge.
    const start = this.edges.findIndex((edge, at) => (this.edges[at + 1] ?? Infinity) > left + (this.edges[0] ?? 0));
    const end = this.edges.findIndex((edge) => edge >= right);
    return [Math.max(0, start), end < 0 ? this.picked.length : end];
  }

  async render() {
    if (!this.fields || this.isCounting) return;
    this.spacer.style.height = `${this.height()}px`;
    const first = this.first();
    const end = Math.min(this.total(), first + this.inView());
    const [from, to] = this.columnsInView();
    const names = this.picked.filter((name, at) => (at >= from && at < to) || at === this.sort?.at);
    const missing = [];
    for (let page = Math.floor(first / PAGE); page * PAGE < end; page += 1) {
      const known = this.pages.get(page)?.columns;
      const columns = names.filter((name) => !known?.has(name));
      // A file without columns has rows all the same.
      if (columns.length > 0 || !known) missing.push([page, columns]);
    }
    this.draw(first, end, from, to);
    await Promise.all(missing.map(([page, columns]) => this.load(page, columns)));
    if (missing.length > 0) await this.render();
  }

  /** Reads some columns of a page of rows. */
  async load(page, names) {
    const version = this.version;
    const kept = this.pages.get(page) ?? { columns: new Map() };
    this.pages.delete(page);
    this.pages.set(page, kept);
    for (const name of names) kept.columns.set(name, null);
    for (const old of this.pages.keys()) {
      if (this.pages.size <= MOST_PAGES) break;
      this.pages.delete(old);
    }
    const request = { do: "rows", start: page * PAGE, count: PAGE, columns: names };
    if (this.where) request.where = this.where;
    try {
      const { rows } = await this.ask(request);
      if (version !== this.version) return;
      kept.rows = rows.length;
      names.forEach((name, at) => kept.columns.set(name, rows.map((row) => row[at])));
    } catch (error) {
      if (version !== this.version) return;
      this.show(error);
      kept.rows ??= 0;
      for (const name of names) kept.columns.set(name, []);
    }
  }

  /** The value of a row: undefined while it is not known. */
  value(row, name) {
    return this.pages.get(Math.floor(row / PAGE))?.columns.get(name)?.[row % PAGE];
  }

  draw(first, end, from, to) {
    const rows = Array.from({ length: Math.max(0, end - first) }, (_, at) => first + at);
    if (this.sort) rows.sort(this.compare());
    this.body.replaceChildren(...rows.map((row) => this.row(row, from, to)));
    this.table.setAttribute("aria-rowcount", this.rows === null ? -1 : this.rows + 1);
    const of = this.rows === null ? "" : ` of ${number.format(this.rows)}`;
    const range = end > first ? `Rows ${number.format(first)} to ${number.format(end - 1)}${of}` : `No rows${of}`;
    this.shown.textContent = this.sort ? `${range}, those in view sorted` : range;
  }

  row(row, from, to) {
    const line = create("tr");
    line.setAttribute("aria-rowindex", row + 2);
    const head = create("th", number.format(row));
    head.scope = "row";
    line.append(head);
    if (from > 0) line.append(gap(from));
    for (let at = from; at < to; at += 1) {
      const name = this.picked[at];
      const value = this.value(row, name);
      const className = value === null ? "null" : isNumber(this.fields.get(name)) ? "number" : "";
      const cell = create("td", value === undefined ? "…" : value === null ? "null" : value, className);
      cell.setAttribute("aria-colindex", at + 2);
      if (value) cell.title = escaped(value);
      line.append(cell);
    }
    if (to < this.picked.length) line.append(gap(this.picked.length - to));
    return line;
  }

  /** Draws the names. Widths come from the types, so that nothing moves when values arrive. */
  drawHead() {
    const digits = number.format(this.total()).length + 2;
    const widths = this.picked.map((name) => Math.max(Math.min(name.length, 40) + 2, widthOf(this.fields.get(name))));
    this.columnGroup.replaceChildren(
      ...[digits, ...widths].map((characters) => {
        const column = create("col");
        column.style.width = `calc(${characters}ch + 1.4rem)`;
        return column;
      }),
    );
    const line = create("tr");
    line.setAttribute("aria-rowindex", 1);
    const corner = create("th", "row", "corner");
    corner.scope = "col";
    line.append(corner);
    const cells = this.picked.map((name, at) => {
      const cell = create("th");
      cell.scope = "col";
      cell.setAttribute("aria-colindex", at + 2);
      const button = create("button", name);
      button.type = "button";
      button.title = `${escaped(name)}: ${this.fields.get(name).type}. Sorts the rows in view.`;
      button.addEventListener("click", () => this.sortBy(at, cell));
      cell.append(button);
      return cell;
    });
    line.append(...cells);
    this.head.replaceChildren(line);
    this.table.setAttribute("aria-colcount", cells.length + 1);
    this.cells = cells;
    this.measure();
  }

  /** Finds where the columns begin. */
  measure() {
    this.edges = this.cells.map((cell) => cell.offsetLeft);
  }

  sortBy(at, cell) {
    const isAscending = this.sort?.at !== at || !this.sort.isAscending;
    this.sort = this.sort?.at === at && isAscending ? null : { at, isAscending };
    for (const other of this.head.querySelectorAll("th")) other.removeAttribute("aria-sort");
    if (this.sort) cell.setAttribute("aria-sort", isAscending ? "ascending" : "descending");
    this.render();
  }

  /** Compares rows by the column that they are sorted by: numbers by their value, nulls last. */
  compare() {
    const { at, isAscending } = this.sort;
    const sign = isAscending ? 1 : -1;
    return (left, right) => {
      const [a, b] = [left, right].map((row) => this.value(row, this.picked[at]) ?? null);
      if (a === null || b === null) return Number(a === null) - Number(b === null);
      const difference = Number(a) - Number(b);
      if (!Number.isNaN(difference)) return sign * difference;
      return sign * (a < b ? -1 : a > b ? 1 : 0);
    };
  }
}

/** Stands for columns that are not in view. */
function gap(columns) {
  const cell = create("td");
  cell.colSpan = columns;
  return cell;
}

function isNumber(field) {
  return /^(U?Int|Float|Decimal)/.test(field.type);
}

/** The characters that values of a type take, by experience. */
function widthOf({ type, children }) {
  if (children.length > 0) return 32;
  const widths = [
    [/^(U?Int(8|16)|Boolean|Null)/, 6],
    [/^U?Int32|^Date|^Time32/, 11],
    [/^(U?Int64|Float|Decimal|Time64|Duration)/, 15],
    [/^(Timestamp|Interval)/, 27],
  ];
  return widths.find(([pattern]) => pattern.test(type))?.[1] ?? 24;
}
