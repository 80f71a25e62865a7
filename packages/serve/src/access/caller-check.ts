import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { RequestError } from '@fuzzqe/api';
import { FuzzError } from '@fuzzqe/core';

/** Under which names a server may be called, and from whose pages. */
export interface CallerCheckOptions {
  /**
   * Names next to those of this machine, without scheme and port, or `*`: any. Undefined: `isPrivate` decides whether anything is
   * checked at all.
   */
  readonly allowHost: readonly string[] | undefined;
  /** Origins whose pages may call, as `cors` of the API has them, which looks at them. */
  readonly cors: string | readonly string[] | undefined;
  /** Whether nothing but its address keeps others away from the server. */
  readonly isPrivate: () => boolean;
}

/** Says why a request is refused by its headers, or nothing. */
export type CallerCheck = (headers: IncomingHttpHeaders) => RequestError | undefined;

/**
 * Keeps out pages of the web that a browser on this machine shows, which reach an address that is closed to their authors.
 *
 * A page may let its own name point at this machine: then `Host` has that name. It may send requests whose answers it cannot
 * read: then `Origin` is foreign or, without one, `Sec-Fetch-Site` is `cross-site`. A link that somebody follows is let through.
 * A request without these headers is of no browser. Ports are not compared: they may be forwarded.
 *
 * @throws FuzzError `config`: a name that is none.
 * @see https://fetch.spec.whatwg.org/#origin-header and https://www.w3.org/TR/fetch-metadata/
 */
export function createCallerCheck({ allowHost, cors = [], isPrivate }: CallerCheckOptions): CallerCheck {
  const names = new Set((allowHost ?? []).filter((name) => name !== '*').map(readName));
  const anyName = allowHost?.includes('*') ?? false;
  const origins = new Set([cors].flat());
  const isOurs = (name: string): boolean => isLoopback(name) || names.has(name);
  return (headers) => {
    if (allowHost === undefined && !isPrivate()) return undefined;
    const { host, origin } = headers;
    const called = host === undefined ? undefined : nameIn(`http://${host}`);
    if (host !== undefined && !anyName && (called === undefined || !isOurs(called)))
      return new RequestError(
        'forbidden',
        `host: expected a name of this server, got ${JSON.stringify(host.slice(0, 100))}`,
        'Call it as localhost, or have this name put into its setting allowHost.',
      );
    if (origins.has('*')) return undefined;
    if (origin === undefined ? !isCrossSite(headers) : origins.has(origin)) return undefined;
    const page = origin === undefined ? undefined : nameIn(origin);
    if (page !== undefined && (isOurs(page) || page === called)) return undefined;
    return new RequestError(
      'forbidden',
      `origin: expected a page of this machine, got ${JSON.stringify(origin?.slice(0, 100) ?? 'another site')}`,
      'Have the origin of the page put into its setting cors.',
    );
  };
}

/** Whether a name or an address is of this machine and reached from it alone. */
export function isLoopback(name: string): boolean {
  const bare = name.replace(/^\[(.*)\]$/, '$1');
  // As an address of the web has 127.0.0.0/8 in IPv6.
  if (/^::ffff:7f[\da-f]{2}:[\da-f]{1,4}$/.test(bare)) return true;
  const address = bare.replace(/^::ffff:/, '');
  return address === 'localhost' || address === '::1' || (isIP(address) === 4 && address.startsWith('127.'));
}

/** What a browser loads for a page of another site, but for a page that it shows in its place. */
function isCrossSite(headers: IncomingHttpHeaders): boolean {
  const isLink = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  return headers['sec-fetch-site'] === 'cross-site' && !isLink;
}

/** The name in an address with a scheme, in lower case and without brackets; of what is none, undefined. */
function nameIn(address: string): string | undefined {
  if (!/^https?:\/\/[^/?#@\\\s]+$/i.test(address) || !URL.canParse(address)) return undefined;
  return new URL(address).hostname.replace(/^\[(.*)\]$/, '$1');
}

/** What `hostNameOf` reads, for errors. */
export const hostForm = 'the name of a host, without scheme and port';

/** The name of a host as requests have it, in lower case; of what is none, undefined. */
export function hostNameOf(name: string): string | undefined {
  const bare = isIP(name) === 6 ? `[${name}]` : name;
  return /:\d*$/.test(bare) ? undefined : nameIn(`http://${bare}`);
}

function readName(name: string): string {
  const read = hostNameOf(name);
  if (read !== undefined) return read;
  throw new FuzzError('config', `expected ${hostForm}, got ${JSON.stringify(name)}`, {
    path: 'allowHost',
    hint: 'For example graph.example; * allows any name.',
  });
}
