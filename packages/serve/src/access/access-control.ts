import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type ApiMiddleware, RequestError } from '@fuzzqe/api';
import type { RefusalReason } from '../telemetry/metrics.ts';
import type { AccessKeys } from './access-keys.ts';
import { applicationHealth } from './health-paths.ts';
import type { RateLimit } from './rate-limit.ts';

/** Who may ask, and how often. */
export interface AccessControlOptions {
  /** Read anew for every request, so that keys may be replaced; undefined lets everybody in. */
  readonly keys: () => AccessKeys | undefined;
  readonly rateLimit: RateLimit | undefined;
  /** Whether a path asks for no key. */
  readonly isOpen: (path: string) => boolean;
  /** Notes whose key a request came with. */
  readonly noteClient: (request: IncomingMessage, client: string) => void;
  readonly noteRefusal: (request: IncomingMessage, reason: RefusalReason) => void;
}

/** Asks for a key, where there are any, and holds each client (its key, or else its address) to its rate. */
export interface AccessControl {
  /**
   * Lets a request in, and gives what is the same for all requests of its caller: the name of its key, else a key of its connection.
   *
   * @throws RequestError `unauthorised` or `rate-limit`.
   */
  admit(request: IncomingMessage): unknown;
  /** Whether a request comes with a key, or needs none: what is told to everybody else has no names in it. A wrong key is noted. */
  isKnown(request: IncomingMessage): boolean;
  /** The same for the requests of the application, but for those that ask how it is. */
  readonly middleware: ApiMiddleware;
}

/** Access by these options. */
export function createAccessControl(options: AccessControlOptions): AccessControl {
  const { keys, rateLimit, isOpen, noteClient, noteRefusal } = options;
  /** How long a client is to wait by its rate, where it has to. */
  const waitOf = (client: string, incoming: IncomingMessage): number => {
    const wait = rateLimit?.secondsToWait(client) ?? 0;
    if (wait > 0) noteRefusal(incoming, 'rate');
    return wait;
  };
  /**
   * Notes that a request has no key of this server, and gives how long its address is to wait with such ones: what asks for no key does
   * not wait for them, since behind a proxy all clients have one address.
   */
  const waitWithoutKey = (incoming: IncomingMessage): number => {
    const wait = waitOf(`without key, ${addressOf(incoming)}`, incoming);
    if (wait === 0) noteRefusal(incoming, 'key');
    return wait;
  };
  const admit = (incoming: IncomingMessage, needsKey = true): unknown => {
    const known = needsKey ? keys() : undefined;
    let name: string | undefined;
    if (known !== undefined) {
      name = nameOf(known, incoming.headers.authorization);
      if (name === undefined) {
        const wait = waitWithoutKey(incoming);
        if (wait > 0) throw tooOften(wait);
        throw new RequestError(
          'unauthorised',
          'authorization: expected a key of this server',
          'Send the header authorization: Bearer and a key.',
          { 'www-authenticate': 'Bearer' },
        );
      }
      noteClient(incoming, name);
    }
    const wait = waitOf(name ?? addressOf(incoming), incoming);
    if (wait > 0) throw tooOften(wait);
    return name ?? callerOf(incoming.socket);
  };
  return {
    admit,
    isKnown(incoming) {
      const known = keys();
      const { authorization } = incoming.headers;
      if (known === undefined) return true;
      if (authorization === undefined) return false;
      if (nameOf(known, authorization) !== undefined) return true;
      waitWithoutKey(incoming);
      return false;
    },
    middleware: (context, next) => {
      const { incoming } = context.env as { readonly incoming: IncomingMessage }; // of @hono/node-server
      const { path } = context.req;
      if (!applicationHealth.has(path)) context.set('caller', admit(incoming, !isOpen(path)));
      return next();
    },
  };
}

function tooOften(wait: number): RequestError {
  return new RequestError(
    'rate-limit',
    'more requests than a client may send',
    'Send fewer requests a second.',
    { 'retry-after': `${Math.ceil(wait)}` },
  );
}

/** Who a client without a key is to its rate. */
function addressOf({ socket }: IncomingMessage): string {
  return `address ${networkOf(socket.remoteAddress ?? '')}`;
}

/** Who remembers a caller holds no connection by it. */
const callers = new WeakMap<Socket, symbol>();

/** The caller that a connection is where there are no keys. */
export function callerOf(socket: Socket): symbol {
  const caller = callers.get(socket) ?? Symbol('a connection');
  callers.set(socket, caller);
  return caller;
}

function nameOf(keys: AccessKeys, header = ''): string | undefined {
  const [, key] = /^Bearer +(\S+) *$/i.exec(header) ?? [];
  return key === undefined ? undefined : keys.nameOf(key);
}

/** The address, or the /64 of an IPv6 one, all of which belongs to one customer. */
function networkOf(address: string): string {
  if (!address.includes(':') || address.startsWith('::ffff:')) return address;
  const [front = '', back = ''] = address.split('::');
  const groups = front.split(':').filter((group) => group !== '');
  const after = back.split(':').filter((group) => group !== '');
  while (groups.length + after.length < 8) groups.push('0');
  return [...groups, ...after].slice(0, 4).join(':');
}
