// The least of an HTTP/1.1 client: bytes out, and for every response its status and whether the connection ends.
import { connect } from 'node:net';

const endOfHead = Buffer.from('\r\n\r\n');
const lastChunk = Buffer.from('\r\n0\r\n\r\n');

/** Where the first response of these bytes ends, and what it is; undefined while it is not whole. */
function firstResponse(bytes) {
  const at = bytes.indexOf(endOfHead);
  if (at < 0) return undefined;
  const text = bytes.toString('latin1', 0, at).toLowerCase();
  const status = Number(text.slice(9, 12));
  const closes = text.includes('\r\nconnection: close');
  const length = /\r\ncontent-length: *(\d+)/.exec(text);
  if (length !== null) {
    const end = at + 4 + Number(length[1]);
    return bytes.length < end ? undefined : { status, closes, end, body: at + 4 };
  }
  if (text.includes('\r\ntransfer-encoding: chunked')) {
    const last = bytes.indexOf(lastChunk, at + 2);
    return last < 0 ? undefined : { status, closes, end: last + lastChunk.length, body: at + 4 };
  }
  return { status, closes, end: at + 4, body: at + 4 };
}

/**
 * Opens a connection. `onResponse({status, closes, body})` for each response; `onEnd(error)` once, when it is over, and
 * nothing is heard of it afterwards. `body` is given where `bodies` is set.
 */
export function openSocket(port, { onResponse, onEnd, onOpen = () => {}, bodies = false }) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let [left, isOver, failure] = [undefined, false, undefined];
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
      const found = firstResponse(left);
      if (found === undefined) break;
      const body = bodies ? left.toString('utf8', found.body, found.end) : undefined;
      left = found.end < left.length ? left.subarray(found.end) : undefined;
      onResponse({ status: found.status, closes: found.closes, body });
    }
  });
  socket.on('error', (error) => {
    failure = error;
  });
  socket.on('end', end);
  socket.on('close', end);
  return {
    send: (bytes) => socket.write(bytes),
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
