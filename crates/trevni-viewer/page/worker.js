// Reads a file for the WebAssembly module, by the ranges that it asks for, and passes requests to it.

"use strict";

/** Bytes of a URL that are fetched and kept together, if fewer are wanted. */
const PIECE = 1 << 14;
const MOST_PIECES = 256;

/** The files of what is shown, and of what it is compared with. */
const slots = [[], []];
let problem = "";

/** A file of this machine. */
function fileSource(file) {
  const reader = new FileReaderSync();
  const read = (offset, length) => new Uint8Array(reader.readAsArrayBuffer(file.slice(offset, offset + length)));
  return { name: file.name, length: file.size, read };
}

/** Sends a request, and waits for the answer, as a worker may. */
function fetchNow(method, url, range) {
  const request = new XMLHttpRequest();
  request.open(method, url, false);
  request.responseType = "arraybuffer";
  if (range) request.setRequestHeader("Range", `bytes=${range[0]}-${range[1] - 1}`);
  try {
    request.send();
  } catch {
    throw new Error(`${url} cannot be fetched: the server is not there, or does not let other pages read it (CORS)`);
  }
  if (request.status >= 400) throw new Error(`${url}: the server answers ${request.status}`);
  return request;
}

/** A file behind a URL, read by ranges. */
function urlSource(url) {
  const text = fetchNow("HEAD", url).getResponseHeader("Content-Length");
  if (text === null) throw new Error(`${url}: the server does not say how long the file is`);
  const length = Number(text);
  const fetchRange = (start, end) => {
    const request = fetchNow("GET", url, [start, end]);
    if (request.status !== 206) throw new Error(`${url}: the server sends no ranges of files, only whole ones`);
    return new Uint8Array(request.response);
  };
  const pieces = new Map();
  const piece = (number) => {
    let bytes = pieces.get(number);
    pieces.delete(number);
    bytes ??= fetchRange(number * PIECE, Math.min(length, (number + 1) * PIECE));
    pieces.set(number, bytes);
    if (pieces.size > MOST_PIECES) pieces.delete(pieces.keys().next().value);
    return bytes;
  };
  const read = (offset, size) => {
    if (size > PIECE) return fetchRange(offset, offset + size);
    const bytes = new Uint8Array(size);
    for (let at = 0; at < size; ) {
      const number = Math.floor((offset + at) / PIECE);
      const part = piece(number).subarray(offset + at - number * PIECE).subarray(0, size - at);
      if (part.length === 0) throw new Error(`${url} has become shorter`);
      bytes.set(part, at);
      at += part.length;
    }
    return bytes;
  };
  return { name: url.split("/").pop() || url, length, read };
}

const compiled = WebAssembly.compileStreaming(fetch("trevni.wasm"));
const imports = {
  page: {
    read(slot, file, offset, into, length) {
      try {
        const bytes = slots[slot][file].read(offset, length);
        if (bytes.length !== length) throw new Error("the file has become shorter");
        new Uint8Array(memory().buffer, into, length).set(bytes);
        return 0;
      } catch (error) {
        problem = error.message;
        return 1;
      }
    },
  },
};

let exports = null;
const memory = () => exports.memory;

/** Copies a text to the module; it is freed there. */
function pass(text) {
  const bytes = new TextEncoder().encode(text);
  const address = exports.allocate(bytes.length);
  new Uint8Array(memory().buffer, address, bytes.length).set(bytes);
  return [address, bytes.length];
}

function answerOf(length) {
  return new TextDecoder().decode(new Uint8Array(memory().buffer, exports.answer_address(), length));
}

function open(data) {
  const { slot, name, url } = data;
  const sources = url ? [urlSource(url)] : data.files.map(({ file }) => fileSource(file));
  slots[slot] = sources;
  const files = sources.map((source, at) => [url ? "" : data.files[at].path, source.length]);
  const request = JSON.stringify({ name: name ?? sources[0].name, files });
  const error = answerOf(exports.open(slot, ...pass(request)));
  if (error) throw new Error(problem ? `${error}: ${problem}` : error);
}

addEventListener("message", async ({ data }) => {
  try {
    // What is opened gets a memory of its own: that of the file before is given back.
    if (data.slot === 0) exports = (await WebAssembly.instantiate(await compiled, imports)).exports;
    if (!exports) throw new Error("no file is open");
    problem = "";
    if (data.request === undefined) {
      open(data);
      postMessage({ id: data.id, answer: "" });
    } else {
      const answer = answerOf(exports.answer(...pass(data.request)));
      if (problem) throw new Error(problem);
      postMessage({ id: data.id, answer });
    }
  } catch (error) {
    const hasEnded = error instanceof WebAssembly.RuntimeError;
    if (hasEnded) exports = null;
    postMessage({ id: data.id, error: hasEnded ? `the reader has failed: ${error.message}` : error.message });
  }
});
