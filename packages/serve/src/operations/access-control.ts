import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type ApiMiddleware, RequestError } from '@fuzzqe/engine/api';
import type { AccessKeys } from './access-keys.ts';
import type { FrontDoor } from './front-door.ts';
import type { RateLimit } from './rate-limit.ts';

/** Who may ask, and how often. */
export interface AccessControlOptions {
  /** Read anew for every request, so that keys may be replaced; undefined lets everybody in. */
  readonly keys: () => AccessKeys | undefined;
  readonly rateLimit: RateLimit | undefined;
  /** Whether a path asks for no key. */
  readonly isOpen: (path: string) => boolean;
  readonly noteClient: FrontDoor['noteClient'];
  readonly noteRefusal: FrontDoor['noteRefusal'];
}

/** Asks for a key, where there are any, and holds each client (its key, or else its address) to its rate. */
export interface AccessControl {
  /**
   * Lets a request in, and gives what is the same for all requests of its caller: the name of its key, else a key of its connection.
   *
   * @throws RequestError `unauthorised` or `rate-limit`.
   */
  admit(request: IncomingMessage): unknown;
  /** Whether a request comes with a key, or needs none: what is told to everybody else has no names in it. */
  isKnown(request: IncomingMessage): boolean;
  /** The same for the requests of the application, but for those that ask how it is. */
  readonly middleware: ApiMiddleware;
}

/** Access by these options. */
export function createAccessControl(options: AccessControlOptions): AccessControl {
  const { keys, rateLimit, isOpen, noteClient, noteRefusal } = options;
  const admit = (incoming: IncomingMessage, needsKey = true): unknown => {
    const known = needsKey ? keys() : undefined;
    let name: string | undefined;
    if (known !== undefined) {
      name = nameOf(known, incoming.headers.authorization);
      if (name === undefined) {
        noteRefusal(incoming, 'key');
        throw new RequestError(
          'unauthorised',
          'authorization: expected a key of this server',
          'Send the header authorization: Bearer and a key.',
          { 'www-authenticate': 'Bearer' },
        );
      }
      noteClient(incoming, name);
    }
    const wait =
      rateLimit?.secondsToWait(name ?? `address ${networkOf(incoming.socket.remoteAddress ?? '')}`) ?? 0;
    if (wait > 0) {
      noteRefusal(incoming, 'rate');
      throw new RequestError(
        'rate-limit',
        'more requests than a client may send',
        'Send fewer requests a second.',
        {
          'retry-after': `${Math.ceil(wait)}`,
        },
      );
    }
    return name ?? callerOf(incoming.socket);
  };
  return {
    admit,
    isKnown({ headers }) {
      const known = keys();
      return known === undefined || nameOf(known, headers.authorization) !== undefined;
    },
    middleware: (context, next) => {
      const { incoming } = context.env as { readonly incoming: IncomingMessage }; // of @hono/node-server
      const { path } = context.req;
      if (path !== '/healthz') context.set('caller', admit(incoming, !isOpen(path)));
      return next();
    },
  };
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
