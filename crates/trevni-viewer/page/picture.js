// The blocks of a file: a band for each column, a cell for each block.

import { bytes, escaped, number } from "./elements.js";

const LEAST_BAND = 16;
const HEIGHT = 480;
const LABEL = 160;

export class Picture {
  constructor(canvas, text, color, columns, ask, signal) {
    Object.assign(this, { canvas, text, color, columns, ask });
    this.blocks = new Map();
    this.selected = null;
    const all = columns.reduce((sum, column) => sum + column.bytes, 0) || 1;
    let top = 0;
    this.bands = columns.map((column) => {
      const height = Math.max(LEAST_BAND, Math.round((HEIGHT * column.bytes) / all));
      const band = { top, height };
      top += height + 1;
      return band;
    });
    // Canvases have no more lines than this.
    this.height = Math.min(top, 16_000);
    canvas.style.height = `${this.height}px`;
    color.addEventListener("change", () => this.draw(), { signal });
    canvas.addEventListener("mousemove", (event) => this.pointAt(event), { signal });
    canvas.addEventListener("click", (event) => this.pointAt(event), { signal });
    canvas.addEventListener("keydown", (event) => this.move(event), { signal });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw(), { signal });
    const resized = new ResizeObserver(() => this.draw());
    resized.observe(canvas);
    signal.addEventListener("abort", () => resized.disconnect());
    // Blocks are asked for when their column comes into view.
    const box = canvas.parentElement;
    box.addEventListener("scroll", () => this.loadVisible(), { passive: true, signal });
    const seen = new IntersectionObserver(() => this.loadVisible());
    seen.observe(canvas);
    signal.addEventListener("abort", () => {
      seen.disconnect();
      clearTimeout(this.timer);
    });
  }

  async loadVisible() {
    const box = this.canvas.parentElement;
    const [top, bottom] = [box.scrollTop, box.scrollTop + box.clientHeight];
    const wanted = this.bands
      .map((band, column) => ({ ...band, column }))
      .filter((band) => band.top < bottom && band.top + band.height > top && !this.blocks.has(band.column));
    for (const { column } of wanted) this.blocks.set(column, []);
    for (const { column } of wanted) {
      try {
        const { blocks } = await this.ask({ do: "blocks", column });
        this.blocks.set(column, blocks);
        if (this.selected?.column === column) this.describe();
      } catch (error) {
        this.text.textContent = escaped(error.message);
      }
      this.draw();
    }
  }

  draw() {
    const scale = devicePixelRatio || 1;
    const width = this.canvas.clientWidth;
    if (width === 0) return;
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round(this.height * scale);
    const context = this.canvas.getContext("2d");
    context.scale(scale, scale);
    const style = getComputedStyle(document.documentElement);
    const [text, line, accent] = ["--text", "--line", "--accent"].map((name) => style.getPropertyValue(name));
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    this.bands.forEach(({ top, height }, column) => {
      context.fillStyle = text;
      context.fillText(fit(context, escaped(this.columns[column].name)), 4, top + height / 2);
      for (const { x, w, block } of this.cells(column, width)) {
        context.fillStyle = this.colorOf(block);
        context.fillRect(x, top, Math.max(w - (w > 3 ? 1 : 0), 0.5), height);
      }
      context.fillStyle = line;
      context.fillRect(0, top + height, width, 1);
    });
    const cell = this.selected && this.cells(this.selected.column, width)[this.selected.at];
    if (cell) {
      const { top, height } = this.bands[this.selected.column];
      context.strokeStyle = accent;
      context.lineWidth = 2;
      context.strokeRect(cell.x + 1, top + 1, Math.max(cell.w - 2, 2), height - 2);
    }
  }

  /** The cells of a column: as wide as their rows. */
  cells(column, width) {
    const blocks = this.blocks.get(column) ?? [];
    const rows = blocks.reduce((sum, block) => sum + block.rows, 0) || 1;
    let x = LABEL;
    return blocks.map((block) => {
      const w = ((width - LABEL) * block.rows) / rows;
      const cell = { x, w, block };
      x += w;
      return cell;
    });
  }

  colorOf(block) {
    const share = {
      ratio: () => 1 - Math.min(1, block.stored / Math.max(1, block.uncompressed)),
      stored: () => Math.min(1, Math.log2(1 + block.stored) / 20),
      nulls: () => (block.nulls ?? 0) / Math.max(1, block.rows),
    }[this.color.value]();
    // From blue to yellow, of even lightness steps.
    return `hsl(${250 - 200 * share} 60% ${40 + 25 * share}%)`;
  }

  pointAt(event) {
    const [x, y] = [event.offsetX, event.offsetY];
    const column = this.bands.findIndex((band) => y >= band.top && y <= band.top + band.height);
    if (column < 0) return;
    const at = this.cells(column, this.canvas.clientWidth).findIndex((cell) => x >= cell.x && x < cell.x + cell.w);
    if (at >= 0) this.select(column, at);
  }

  move(event) {
    const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    const { column, at } = this.selected ?? { column: 0, at: -step[1] };
    const next = Math.min(Math.max(column + step[0], 0), this.columns.length - 1);
    const last = Math.max(0, (this.blocks.get(next) ?? []).length - 1);
    this.select(next, Math.min(Math.max(at + step[1], 0), last));
    const { top, height } = this.bands[next];
    const box = this.canvas.parentElement;
    if (top < box.scrollTop) box.scrollTop = top;
    if (top + height > box.scrollTop + box.clientHeight) box.scrollTop = top + height - box.clientHeight;
  }

  select(column, at) {
    if (this.selected?.column === column && this.selected?.at === at) return;
    this.selected = { column, at };
    this.describe();
    this.draw();
    // A block is only read for its encoding if the pointer stays on it.
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.describeEncoding(), 150);
  }

  /** Says how the values of the selected block are encoded. */
  async describeEncoding() {
    const { column, at } = this.selected;
    const block = this.blocks.get(column)?.[at];
    if (block?.blocks !== 1) return;
    const is = await this.ask({ do: "block", column, block: block.number }).catch((error) => ({ problem: error.message }));
    if (this.selected.column !== column || this.selected.at !== at) return;
    const crc = is.checksum ? `, CRC-32 ${is.checksum}${is.verified ? " verified" : ""}` : "";
    this.text.textContent += escaped(`, ${is.problem ?? `values: ${is.encoding}${crc}`}`);
  }

  /** Says what the selected block is. */
  describe() {
    const { column, at } = this.selected;
    const block = this.blocks.get(column)?.[at];
    const { name, codec, checksum } = this.columns[column];
    if (!block) {
      this.text.textContent = `${escaped(name)}: no blocks`;
    } else {
      const which =
        block.blocks > 1 ? `blocks ${block.number} to ${block.number + block.blocks - 1}` : `block ${block.number}`;
      const ratio = (block.uncompressed / Math.max(1, block.stored)).toFixed(2);
      const parts = [
        `${name}, ${which}: rows ${number.format(block.row)} to ${number.format(block.row + block.rows - 1)}`,
        `offset ${number.format(block.offset)}`,
        `${bytes(block.stored)} of ${bytes(block.uncompressed)}, ratio ${ratio}`,
        `codec ${codec}, checksum ${checksum}`,
      ];
      if (block.nulls !== null) parts.push(`${number.format(block.nulls)} nulls`);
      if (block.min !== null) parts.push(`${block.min} to ${block.max}`);
      if (block.first !== null) parts.push(`first value ${block.first}`);
      this.text.textContent = escaped(parts.join(", "));
    }
  }
}

/** Returns as much of a text as fits the label. */
function fit(context, text) {
  let shown = text;
  while (shown.length > 1 && context.measureText(shown).width > LABEL - 12) shown = shown.slice(0, -1);
  return shown === text ? text : `${shown}…`;
}
