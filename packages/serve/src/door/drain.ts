import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import type { Connections } from '../overload/connections.ts';
import { backlog } from './listen.ts';

/** How a server ends, in milliseconds. */
export interface DrainTimes {
  /** For how long it goes on as before, but says that it is not ready: until the last balancer knows. */
  readonly shutdownDelay: number;
  /** For how long it tells clients to open no further request on their connections, before it closes those. */
  readonly closeNotice: number;
  /** How long it waits for requests under way. */
  readonly drainTimeout: number;
}

/** In which a request has to come whole once a server drains. */
const incompleteGrace = 1000;

/**
 * Ends a server without losing a request that it has accepted.
 *
 * A client may send its next request on an open connection in the moment in which that is closed. So nobody new is let in
 * first, then each response says `Connection: close`, and only what has been silent since is closed by the server. Then requests
 * under way are waited for; those that have not come whole are cut off soon, the others after `drainTimeout`.
 */
export async function drain(server: Server, connections: Connections, times: DrainTimes): Promise<void> {
  await wait(times.shutdownDelay);
  await letInWaiting(connections);
  let drained = false;
  // Not close() of node:http, which closes waiting connections at once.
  NetServer.prototype.close.call(server, () => {
    drained = true;
  });
  // Only now: anyone who is told to close would be connecting again in this moment.
  connections.announceClose();
  const began = performance.now();
  while (!drained) {
    const passed = performance.now() - began;
    if (passed >= times.closeNotice) {
      connections.endIdle();
      connections.endIncomplete(incompleteGrace);
    }
    if (passed >= times.closeNotice + times.drainTimeout) connections.endAll();
    await wait(drainStep);
  }
  // Ends the timer by which node:http looks after slow requests.
  server.close(() => {});
}

const drainStep = 10;

/**
 * Takes the connections that the system has accepted for the server, one a turn: it would reset those when the server stops listening.
 * Who comes meanwhile stands behind them, so that as many as the line holds are all that waited; Linux holds one more than it was told.
 */
async function letInWaiting(connections: Connections): Promise<void> {
  const most = connections.opened + backlog + 1;
  for (let last = -1; connections.opened !== last && connections.opened < most; ) {
    last = connections.opened;
    await nextTurn();
    await nextTurn();
  }
}
