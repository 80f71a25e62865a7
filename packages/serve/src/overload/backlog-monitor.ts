import type { Server, Socket } from 'node:net';
import { connect } from 'node:net';
import { createOverload } from '@fuzzqe/engine';

/** Milliseconds for which every turn of the loop has to take a connection before the line is looked at, and which are long to wait in it. */
const longWait = 50;

/** Tells how long new connections wait in the system's line, of which Node takes one in a turn of its loop. */
export interface BacklogMonitor {
  /** Notes a connection that was taken from the line; true where it is one of this watch, which is of no use then. */
  take(socket: Socket): boolean;
  /** Whether what is taken now waited for more than 50 ms, as all has for a second: a burst is taken whole. */
  readonly isLate: boolean;
}

/** How a watch measures. */
export interface LineWatchOptions {
  /** Milliseconds. */
  readonly now?: () => number;
  /** For how long too much has to wait, in milliseconds. Default 1000. */
  readonly grace?: number;
}

/**
 * Watches the line of a server: where each turn for 50 ms has taken a connection, it connects to the server itself, and again as long as
 * that takes long. Anyone who is taken while its own connection waits came before it, and so has waited for longer.
 *
 * Nothing else in Node says how long a connection has waited: a request of it looks as if it came when it was taken.
 */
export function monitorBacklog(
  server: Server,
  { now = () => performance.now(), grace }: LineWatchOptions = {},
): BacklogMonitor {
  const overload = createOverload({ now, ...(grace === undefined ? {} : { grace }) });
  /** Since when each turn has taken a connection. */
  let since: number | undefined;
  let isTaken = false;
  let own: Socket | undefined;
  /** When that entered the line. */
  let entered: number | undefined;
  /** How long the one before it waited. */
  let last = 0;

  const look = (): void => {
    const bound = server.address();
    if (own !== undefined || bound === null || typeof bound === 'string') return;
    const { address, port } = bound;
    const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[address] ?? address;
    const socket = connect({ host, port });
    own = socket;
    entered = undefined;
    socket.unref();
    socket.once('connect', () => {
      entered = now();
    });
    // What cannot be reached from here is not measured.
    socket.on('error', () => undefined);
    socket.once('close', () => {
      if (own === socket) own = undefined;
    });
  };
  const atEndOfTurn = (): void => {
    if (!isTaken) {
      since = undefined;
      return;
    }
    isTaken = false;
    setImmediate(atEndOfTurn);
    if (now() - since! > longWait) look();
  };
  const waited = (): number => {
    if (own === undefined) return 0;
    const wait = entered === undefined ? 0 : now() - entered;
    return wait > longWait ? wait : last;
  };
  return {
    take(socket) {
      const isOwn =
        own?.localPort !== undefined &&
        own.localPort === socket.remotePort &&
        own.localAddress === socket.remoteAddress;
      if (isOwn) {
        last = entered === undefined ? 0 : now() - entered;
        own!.destroy();
        own = undefined;
        socket.destroy();
        if (last > longWait) look();
        // Nobody waits long: the next look is as far away as the first was.
        else if (since !== undefined) since = now();
      } else {
        isTaken = true;
        if (since === undefined) {
          since = now();
          setImmediate(atEndOfTurn);
        }
      }
      overload.note(waited() > longWait);
      return isOwn;
    },
    get isLate() {
      return overload.isOn && waited() > longWait;
    },
  };
}
