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

export const engine = document.documentElement.dataset.engine === "worker" ? new WorkerEngine() : server;
