// What answers requests: the server that the page comes from, or a worker that reads the file itself.

/** Asks the server of `trevni view`. */
const server = {
  async ask(request) {
    const response = await fetch("api", { method: "POST", body: JSON.stringify(request) });
    if (!response.ok) throw new Error(`the server answers ${response.status}`);
    return response.json();
  },
};

/** Asks a worker, which first opens a file or a URL. */
class WorkerEngine {
  constructor() {
    this.waiting = new Map();
    this.last = 0;
    this.worker = new Worker("worker.js");
    this.worker.addEventListener("message", ({ data: { id, answer, error } }) => {
      const { resolve, reject } = this.waiting.get(id);
      this.waiting.delete(id);
      if (error === undefined) resolve(answer);
      else reject(new Error(error));
    });
    this.worker.addEventListener("error", (event) => {
      for (const { reject } of this.waiting.values()) reject(new Error(event.message || "the worker has ended"));
      this.waiting.clear();
    });
  }

  /**
   * Opens a URL, a file, or a folder as its name and files: for slot 0 to show it, for slot 1 to compare it with what
   * is shown.
   */
  open(source, slot = 0) {
    if (typeof source === "string") return this.send({ slot, url: new URL(source, location.href).href });
    if (source.files) return this.send({ slot, ...source });
    return this.send({ slot, files: [{ path: "", file: source }] });
  }

  async ask(request) {
    return JSON.parse(await this.send({ request: JSON.stringify(request) }));
  }

  send(message) {
    this.last += 1;
    const id = this.last;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.worker.postMessage({ id, ...message });
    });
  }
}

/** Has the answers in the page itself: of some rows, of which none can be filtered. */
class EmbeddedAnswers {
  constructor() {
    this.answers = JSON.parse(document.getElementById("answers").textContent);
  }

  async ask(request) {
    const { open, rows, values, columns } = this.answers;
    const column = columns[request.column];
    switch (request.do) {
      case "open":
        return open;
      case "rows": {
        const places = request.columns.map((name) => rows.columns.indexOf(name));
        const wanted = rows.rows.slice(request.start, request.start + request.count);
        return { ...rows, start: request.start, rows: wanted.map((row) => places.map((at) => row[at] ?? null)) };
      }
      case "values":
        return values[request.column];
      case "block":
        return column.block[request.block] ?? { error: "the encoding is not in this page" };
      default:
        return column[request.do];
    }
  }
}

const engines = { server: () => server, worker: () => new WorkerEngine(), embedded: () => new EmbeddedAnswers() };
export const engine = engines[document.documentElement.dataset.engine]();
