import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { askWhetherGone } from './ask-whether-gone.ts';
import { type BacklogMonitor, monitorBacklog } from './backlog-monitor.ts';
import { type Connection, newConnection, nextPiece, noBytes } from './connection.ts';
import { createPipelinedRequests } from './pipelined-requests.ts';
import { createRefusalPauses, type RefusalPauses } from './refusal-pauses.ts';
import { createTurnScheduler, type TurnScheduler } from './turn-scheduler.ts';

/** How many connections a server keeps. */
export interface ConnectionLimits {
  /** Beyond it, the connection that has waited longest for a request gives way; where none waits, the new one is for health alone. */
  readonly maxConnections: number;
  readonly onRefused: () => void;
  /** Paths of requests that wait for no others. Default none. */
  readonly urgentPaths?: readonly string[];
  /** In which requests begin. Default: of their own. */
  readonly scheduler?: TurnScheduler;
  /** Tells how long new connections have waited. Default: of its own. */
  readonly backlog?: BacklogMonitor;
  /** Leaves connections alone after refusals. Default: of its own. */
  readonly pauses?: RefusalPauses;
}

/** The connections of a server, of which each has at most one request under way. */
export interface Connections {
  readonly count: number;
  /** How many there have been. */
  readonly opened: number;
  /** Notes a request, first thing; false where its connection is one too many. */
  begin(request: IncomingMessage, response: ServerResponse): boolean;
  /** Tells when all of a request has come, in the moment in which it has. */
  onWhole(request: IncomingMessage, hear: () => void): void;
  /** The request under way on a socket and its response, and when its first bytes came; no request where only its bytes did. */
  underWay(socket: Socket): {
    readonly request?: IncomingMessage;
    readonly response?: ServerResponse;
    readonly began: number;
  };
  /** Whether, in an overload that lasts, a request or its connection waited too long for somebody to want its answer still. */
  isLate(request: IncomingMessage): boolean;
  /** Leaves a connection alone for a while whose request was refused in an overload; `late` where it had waited too long. */
  rest(socket: Socket, late: boolean): void;
  /** Has every response from now on, and those not yet begun, end its connection. */
  announceClose(): void;
  /** Ends connections without a request. */
  endIdle(): void;
  /** Ends connections whose request has not come whole in so many milliseconds: their clients decide when it will. */
  endIncomplete(milliseconds: number): void;
  endAll(): void;
}

/** Milliseconds that bytes of a request may wait in an overload. */
const longestUnread = 50;

/** Bytes that may wait for a turn before the client is held back. */
const mostUnread = 65_536;

/** Connections above the limit that are taken for the sake of health probes. */
export const connectionReserve = 64;

/**
 * Keeps the connections of a server, and hands Node's parser one request of each at a time.
 *
 * A client that sends its next requests before the answer (pipelining) would have all that fits in its buffers parsed, at some
 * kilobytes a request, and worked on at once. Here the parser gets bytes up to a blank line, which ends headers, or as many as
 * the body still has; what follows waits unread, and TCP holds the client back. Requests begin by `createTurnScheduler`, so that answers
 * go before them; urgent ones pass.
 */
export function keepConnections(
  server: Server,
  { maxConnections, onRefused, urgentPaths = [], ...others }: ConnectionLimits,
): Connections {
  const {
    scheduler = createTurnScheduler(),
    backlog = monitorBacklog(server),
    pauses = createRefusalPauses(),
  } = others;
  const all = new Map<Socket, Connection>();
  // In the order in which they began to wait.
  const idle = new Set<Connection>();
  const urgent = urgentPaths.map((path) => Buffer.from(`GET ${path} `));
  let announced = false;
  let opened = 0;

  const end = (connection: Connection): void => {
    all.delete(connection.socket);
    idle.delete(connection);
    connection.socket.destroy();
  };
  const settle = (connection: Connection): void => {
    const { current, partial, unread } = connection;
    idle.delete(connection);
    if (current === undefined && !partial && unread === undefined) idle.add(connection);
  };
  const readOn = (connection: Connection): void => {
    const { socket } = connection;
    while (!socket.destroyed) {
      if (connection.current?.request.complete === true) {
        connection.onWhole?.();
        connection.onWhole = undefined;
        // A response may come before the request has, whose rest belongs to no other.
        if (!connection.answered) break;
        connection.current = undefined;
        connection.bodyLeft = undefined;
      }
      if (connection.unread === undefined) break;
      const piece = nextPiece(connection);
      if (connection.current === undefined && !connection.partial) {
        connection.partial = true;
        connection.began = performance.now();
      }
      connection.parse(piece);
    }
    const hold = connection.unread !== undefined && !socket.destroyed;
    if (hold) socket.pause();
    else if (connection.held) socket.resume();
    connection.held = hold;
    settle(connection);
  };

  const pipelined = createPipelinedRequests(readOn);

  const endRest = (connection: Connection): void => {
    const { unread, current } = connection;
    connection.rests = false;
    if (unread === undefined || current !== undefined) return;
    connection.rested = true;
    read(connection);
  };
  const isLate = ({ rested }: Connection, since: number): boolean =>
    rested || (scheduler.isOverloaded && performance.now() - since > longestUnread);

  const isUrgent = (unread: Buffer): boolean =>
    urgent.some((beginning) => unread.subarray(0, beginning.length).equals(beginning));
  /** Reads what came: at once where that is next to nothing, else in its turn. */
  const read = (connection: Connection): void => {
    const { socket, current, unread, waits } = connection;
    if (!waits && (current !== undefined || unread === undefined || isUrgent(unread))) {
      readOn(connection);
      return;
    }
    idle.delete(connection);
    if (unread !== undefined && unread.length > mostUnread) {
      connection.held = true;
      socket.pause();
    }
    if (waits || connection.rests) return;
    connection.waits = true;
    scheduler.begin(() => readWaiting(connection));
  };
  const readWaiting = (connection: Connection): void => {
    if (!connection.waits || connection.socket.destroyed) return;
    connection.waits = false;
    readOn(connection);
  };

  server.on('connection', (socket: Socket) => {
    opened += 1;
    if (backlog.take(socket)) return;
    if (all.size >= maxConnections) {
      const [longest] = idle;
      if (longest === undefined) onRefused();
      else end(longest);
    }
    // The loop takes one connection a turn: more may wait behind this one, with requests that nobody has read.
    if (all.size < maxConnections) scheduler.hurry();
    const [parse, ...others] = socket.listeners('data');
    if (parse === undefined || others.length > 0)
      throw new Error('node:http reads sockets in another way than it did');
    const connection = newConnection(socket, {
      parse: (chunk) => parse.call(socket, chunk),
      overLimit: all.size >= maxConnections,
      late: backlog.isLate,
    });
    all.set(socket, connection);
    idle.add(connection);
    socket.removeAllListeners('data');
    socket.on('data', (chunk: Buffer) => {
      if (connection.unread === undefined) connection.arrived = performance.now();
      connection.unread = connection.unread === undefined ? chunk : Buffer.concat([connection.unread, chunk]);
      read(connection);
    });
    // Before the parser, which would take what waits for no request.
    socket.prependListener('end', () => {
      if (connection.rests) endRest(connection);
      readWaiting(connection);
    });
    socket.on('end', () => askWhetherGone(connection.current?.response));
    socket.on('close', () => end(connection));
  });

  return {
    get count() {
      return all.size;
    },
    get opened() {
      return opened;
    },
    begin(request, response) {
      const connection = all.get(request.socket);
      if (connection === undefined) return true;
      // Headers that end in another way than by a blank line of CR LF, of more than one request at once.
      if (connection.current !== undefined) {
        request.socket.destroy();
        return false;
      }
      connection.answered = false;
      if (connection.hasBegun) connection.late = false;
      connection.hasBegun = true;
      connection.came = connection.arrived;
      connection.partial = false;
      connection.tail = noBytes;
      connection.current = { request, response };
      connection.onWhole = undefined;
      const length = request.headers['content-length'];
      connection.bodyLeft = length === undefined ? undefined : Number(length);
      idle.delete(connection);
      if (announced || connection.overLimit) response.shouldKeepAlive = false;
      response.on('close', () => {
        connection.answered = true;
        connection.rested = false;
        pipelined.leave(connection);
        if (connection.unread === undefined) readOn(connection);
        else pipelined.enter(connection);
      });
      return !connection.overLimit;
    },
    onWhole(request, hear) {
      const connection = all.get(request.socket);
      if (connection?.current?.request === request) connection.onWhole = hear;
    },
    underWay(socket) {
      const { current = {}, began = performance.now() } = all.get(socket) ?? {};
      return { ...current, began };
    },
    isLate(request) {
      const connection = all.get(request.socket);
      if (connection === undefined) return false;
      return connection.late || isLate(connection, connection.came);
    },
    rest(socket, late) {
      const connection = all.get(socket);
      if (connection !== undefined && !connection.rests)
        connection.rests = pauses.begin(late, () => endRest(connection));
    },
    announceClose() {
      announced = true;
      for (const { current } of all.values())
        if (current !== undefined) current.response.shouldKeepAlive = false;
    },
    endIdle() {
      for (const { socket } of [...idle]) socket.destroy();
    },
    endIncomplete(milliseconds) {
      const before = performance.now() - milliseconds;
      for (const { socket, current, partial, began } of [...all.values()])
        if ((partial || current?.request.complete === false) && began < before) socket.destroy();
    },
    endAll() {
      for (const { socket } of [...all.values()]) socket.destroy();
    },
  };
}
