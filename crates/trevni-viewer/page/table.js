// A table that scrolls through any number of rows: only those in view are asked for, and are in the document.

import { create } from "./elements.js";

const ROW = 26;
/** Browsers have no elements much higher than this. */
const MOST_HEIGHT = 8_000_000;
const PAGE = 100;
const MOST_PAGES = 64;
const number = new Intl.NumberFormat("en");

export class RowTable {
  mostColumns = 50;

  constructor(viewport, ask, shown, show, signal) {
    Object.assign(this, { viewport, ask, shown, show });
    this.pages = new Map();
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
    const resized = new ResizeObserver(() => this.render());
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
      try {
        const { rows } = await this.ask({ do: "count", where });
        if (version === this.version) this.rows = rows;
      } catch (error) {
        if (version === this.version) {
          this.show(error);
          this.rows = 0;
        }
      }
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

  /** Forgets rows that were read. */
  reset() {
    this.version += 1;
    this.pages.clear();
    this.widths = null;
    this.sort = null;
    this.exact = null;
    this.head.replaceChildren();
  }

  /** How many rows there are: of an unknown number as many as were seen, and a page. */
  total() {
    if (this.rows !== null) return this.rows;
    const ends = [...this.pages].map(([page, rows]) => (Array.isArray(rows) ? page * PAGE + rows.length : 0));
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

  async render() {
    if (!this.fields) return;
    this.spacer.style.height = `${this.height()}px`;
    const first = this.first();
    const end = Math.min(this.total(), first + this.inView());
    const missing = [];
    for (let page = Math.floor(first / PAGE); page * PAGE < end; page += 1) {
      if (!this.pages.has(page)) missing.push(page);
    }
    this.draw(first, end);
    await Promise.all(missing.map((page) => this.load(page)));
    if (missing.length > 0) await this.render();
  }

  async load(page) {
    const version = this.version;
    this.pages.set(page, null);
    const request = { do: "rows", start: page * PAGE, count: PAGE, columns: this.picked };
    if (this.where) request.where = this.where;
    try {
      const { rows } = await this.ask(request);
      if (version !== this.version) return;
      this.pages.delete(page);
      this.pages.set(page, rows);
      for (const old of this.pages.keys()) {
        if (this.pages.size <= MOST_PAGES) break;
        this.pages.delete(old);
      }
    } catch (error) {
      if (version !== this.version) return;
      this.show(error);
      this.pages.set(page, []);
    }
  }

  draw(first, end) {
    const rows = [];
    for (let row = first; row < end; row += 1) {
      rows.push([row, this.pages.get(Math.floor(row / PAGE))?.[row % PAGE]]);
    }
    this.drawHead(rows);
    if (this.sort) rows.sort(compareBy(this.sort));
    this.body.replaceChildren(...rows.map(([row, cells]) => this.row(row, cells)));
    const of = this.rows === null ? "" : ` of ${number.format(this.rows)}`;
    const range = end > first ? `Rows ${number.format(first)} to ${number.format(end - 1)}${of}` : `No rows${of}`;
    this.shown.textContent = this.sort ? `${range}, those in view sorted` : range;
  }

  row(row, cells) {
    const line = create("tr");
    line.append(create("th", number.format(row)));
    this.picked.forEach((name, at) => {
      const value = cells?.[at];
      const isNumber = /^(U?Int|Float|Decimal)/.test(this.fields.get(name).type);
      const className = value === null ? "null" : isNumber ? "number" : "";
      const cell = create("td", cells === undefined || cells === null ? "…" : value === null ? "null" : value, className);
      if (value) cell.title = value;
      line.append(cell);
    });
    return line;
  }

  /** Draws the names, and sets the widths by the first rows. */
  drawHead(rows) {
    const known = rows.map(([, cells]) => cells).filter(Boolean);
    if ((this.widths || known.length === 0) && this.head.firstChild) return;
    if (known.length > 0) {
      const width = (name, at) => Math.max(name.length + 2, ...known.map((cells) => cells[at]?.length ?? 4));
      this.widths = this.picked.map((name, at) => Math.min(40, width(name, at)));
    }
    const widths = this.widths ?? this.picked.map((name) => name.length + 2);
    const digits = number.format(this.total()).length + 2;
    this.columnGroup.replaceChildren(
      ...[digits, ...widths].map((characters) => {
        const column = create("col");
        column.style.width = `calc(${characters}ch + 1.4rem)`;
        return column;
      }),
    );
    const line = create("tr");
    line.append(create("th"));
    this.picked.forEach((name, at) => {
      const cell = create("th");
      cell.scope = "col";
      const button = create("button", name);
      button.type = "button";
      button.title = `${name}: ${this.fields.get(name).type}. Sorts the rows in view.`;
      button.addEventListener("click", () => this.sortBy(at, cell));
      cell.append(button);
      line.append(cell);
    });
    this.head.replaceChildren(line);
  }

  sortBy(at, cell) {
    const isAscending = this.sort?.at !== at || !this.sort.isAscending;
    this.sort = this.sort?.at === at && isAscending ? null : { at, isAscending };
    for (const other of this.head.querySelectorAll("th")) other.removeAttribute("aria-sort");
    if (this.sort) cell.setAttribute("aria-sort", isAscending ? "ascending" : "descending");
    this.render();
  }
}

/** Compares rows by a column: numbers by their value, nulls last. */
function compareBy({ at, isAscending }) {
  const sign = isAscending ? 1 : -1;
  return ([, left], [, right]) => {
    const [a, b] = [left?.[at] ?? null, right?.[at] ?? null];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    const difference = Number(a) - Number(b);
    if (!Number.isNaN(difference)) return sign * difference;
    return sign * (a < b ? -1 : a > b ? 1 : 0);
  };
}
