import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** One connection of a server: what is under way on it, and what came and was not read yet. */
export interface Connection {
  readonly socket: Socket;
  /** Node's own reader of requests. */
  readonly parse: (chunk: Buffer) => void;
  readonly overLimit: boolean;
  current: { readonly request: IncomingMessage; readonly response: ServerResponse } | undefined;
  /** Hears when all of the current request has come, once. */
  onWhole: (() => void) | undefined;
  /** Whether the response of the current request has ended. */
  answered: boolean;
  /** Bytes of the body that have not come yet, where the client said how many there are. */
  bodyLeft: number | undefined;
  /** Whether bytes of a request have come of which not all headers have. */
  partial: boolean;
  /** When the first bytes of the last request came, in milliseconds; of none yet, when the connection was taken. */
  began: number;
  unread: Buffer | undefined;
  /** When the first of the bytes that are unread came, in milliseconds; before that, of the last that were. */
  arrived: number;
  /** Whether they wait for their turn. */
  waits: boolean;
  /** When the bytes came with which the headers of the current request were whole. */
  came: number;
  /** The last bytes that were parsed, in which the end of the headers may have begun. */
  tail: Buffer;
  held: boolean;
  /** Whether its request is one of those that were sent before the answer to another. */
  inLane: boolean;
  /** Whether it has had a request that was parsed: until then, Node's own limit for the first headers runs. */
  hasBegun: boolean;
  /** Whether it is left alone after a refusal: what comes meanwhile waits. */
  rests: boolean;
  /** Whether its request waited for the end of a rest. */
  rested: boolean;
  /** Whether it waited for long before it was taken, and has had no further request since. */
  late: boolean;
}

/** Before anything came. */
export const noBytes: Buffer = Buffer.alloc(0);
const blankLine = '\r\n\r\n';

/** A connection of which nothing has come yet. */
export function newConnection(
  socket: Socket,
  { parse, overLimit, late }: Pick<Connection, 'parse' | 'overLimit' | 'late'>,
): Connection {
  return {
    socket,
    parse,
    overLimit,
    current: undefined,
    onWhole: undefined,
    answered: false,
    bodyLeft: undefined,
    partial: false,
    began: performance.now(),
    unread: undefined,
    arrived: 0,
    waits: false,
    came: 0,
    tail: noBytes,
    held: false,
    inLane: false,
    hasBegun: false,
    rests: false,
    rested: false,
    late,
  };
}

/** Takes from what is unread as much as ends no later than the request that is being read. */
export function nextPiece(connection: Connection): Buffer {
  const unread = connection.unread!;
  const length = pieceLength(connection, unread);
  connection.unread = length < unread.length ? unread.subarray(length) : undefined;
  const piece = unread.subarray(0, length);
  if (connection.bodyLeft !== undefined) connection.bodyLeft -= length;
  else
    connection.tail =
      piece.length >= 3 ? piece.subarray(-3) : Buffer.concat([connection.tail, piece]).subarray(-3);
  return piece;
}

function pieceLength({ bodyLeft, tail }: Connection, unread: Buffer): number {
  if (bodyLeft !== undefined) return Math.min(Math.max(bodyLeft, 1), unread.length);
  const first = unread[0];
  if (tail.length > 0 && (first === 0x0d || first === 0x0a)) {
    const end = Buffer.concat([tail, unread.subarray(0, 3)]).indexOf(blankLine);
    if (end !== -1) return end + blankLine.length - tail.length;
  }
  const end = unread.indexOf(blankLine);
  return end === -1 ? unread.length : end + blankLine.length;
}
