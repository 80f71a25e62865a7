// How long the worst request that is taken holds the event loop of a server.
import { once } from 'node:events';
import { worstRequests } from './worst-requests.mjs';

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * For each endpoint the longest delay of the event loop at its first request, and at the next: `{name, first, later, statuses}`, both as
 * `{clock, processor}` in milliseconds.
 */
export async function measureDelays({ port, child }, engine, { again = 4 } = {}) {
  const ask = async (what) => {
    const [[held]] = await Promise.all([once(child, 'message'), child.send(what)]);
    return held;
  };
  const found = [];
  for (const { name, method, path, type, body } of worstRequests(engine)) {
    const statuses = {};
    const send = async () => {
      const headers = {
        accept: path.startsWith('/mcp') ? 'application/json, text/event-stream' : '*/*',
        ...(type === undefined ? {} : { 'content-type': type }),
      };
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, body });
      await response.arrayBuffer();
      statuses[response.status] = (statuses[response.status] ?? 0) + 1;
    };
    const longest = async (count) => {
      await ask('reset');
      for (let i = 0; i < count; i += 1) await send();
      // The delay that a turn had is seen in the next one.
      await sleep(20);
      return ask('read');
    };
    found.push({ name, first: await longest(1), later: await longest(again), statuses });
  }
  return found;
}
