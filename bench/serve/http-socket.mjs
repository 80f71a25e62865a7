// The least of an HTTP/1.1 client: bytes out, and for every response its status and whether the connection ends.
import { connect } from 'node:net';

const endOfHead = Buffer.from('\r\n\r\n');
const lastChunk = Buffer.from('\r\n0\r\n\r\n');

/** Where the first response of these bytes ends, and what it is; undefined while it is not whole. One to HEAD has no body. */
function firstResponse(bytes, bodiless) {
  const at = bytes.indexOf(endOfHead);
  if (at < 0) return undefined;
  const text = bytes.toString('latin1', 0, at).toLowerCase();
  const status = Number(text.slice(9, 12));
  const closes = text.includes('\r\nconnection: close');
  if (bodiless || status === 204 || status === 304) return { status, closes, end: at + 4, body: at + 4 };
  const length = /\r\ncontent-length: *(\d+)/.exec(text);
  if (length !== null) {
    const end = at + 4 + Number(length[1]);
    return bytes.length < end ? undefined : { status, closes, end, body: at + 4 };
  }
  if (text.includes('\r\ntransfer-encoding: chunked')) {
    const last = bytes.indexOf(lastChunk, at + 2);
    // The blank line that ends the head may be what ends it, where nothing is sent.
    return last < 0
      ? undefined
      : { status, closes, end: last + lastChunk.length, body: at + 4, chunked: true };
  }
  return { status, closes, end: at + 4, body: at + 4 };
}

/** The content of a body that was sent in chunks, without their sizes. */
function withoutSizes(bytes) {
  const parts = [];
  for (let at = 0; ; ) {
    const end = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.toString('latin1', at, end), 16);
    if (!(size > 0)) return Buffer.concat(parts);
    parts.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + 4 + size;
  }
}

/** The head as it came and the body as text. */
function contentOf(bytes, { body, end, chunked = false }) {
  const content = bytes.subarray(body, end);
  return {
    head: bytes.toString('latin1', 0, body - 4),
    body: (chunked ? withoutSizes(content) : content).toString('utf8'),
  };
}

/**
 * Opens a connection. `onResponse({status, closes, head, body})` for each response; `onEnd(error)` once, when it is over, and
 * nothing is heard of it afterwards. `head` and `body` are given where `bodies` is set. What is sent with `bodiless` is HEAD, one
 * at a time. `partial` gives what has come of a response that is not whole.
 */
export function openSocket(port, { onResponse, onEnd, onOpen = () => {}, bodies = false }) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let [left, isOver, failure, isBodiless] = [undefined, false, undefined, false];
  const end = () => {
    if (isOver) return;
    isOver = true;
    socket.destroy();
    onEnd(failure);
  };
  socket.on('connect', onOpen);
  socket.on('data', (chunk) => {
    left = left === undefined ? chunk : Buffer.concat([left, chunk]);
    while (left !== undefined && !isOver) {
      const found = firstResponse(left, isBodiless);
      if (found === undefined) break;
      const content = bodies ? contentOf(left, found) : {};
      left = found.end < left.length ? left.subarray(found.end) : undefined;
      onResponse({ status: found.status, closes: found.closes, ...content });
    }
  });
  socket.on('error', (error) => {
    failure = error;
  });
  socket.on('end', end);
  socket.on('close', end);
  return {
    send(bytes, { bodiless = false } = {}) {
      isBodiless = bodiless;
      return socket.write(bytes);
    },
    partial: () => left?.toString('utf8') ?? '',
    close: () => {
      isOver = true;
      socket.destroy();
    },
  };
}

/** One request on a connection of its own: its status and how long it took in milliseconds; status 0 where none came in time. */
export function askOnce(port, bytes, milliseconds = 10_000) {
  return new Promise((resolve) => {
    const start = performance.now();
    const done = (status, body) => {
      clearTimeout(timer);
      socket.close();
      resolve({ status, body, milliseconds: performance.now() - start });
    };
    const timer = setTimeout(() => done(0), milliseconds);
    const socket = openSocket(port, {
      bodies: true,
      onOpen: () => socket.send(bytes),
      onResponse: ({ status, body }) => done(status, body),
      onEnd: () => done(0),
    });
  });
}
