import type { IncomingMessage } from 'node:http';
import { RequestError } from '@fuzzqe/api';

type Request = Pick<IncomingMessage, 'url' | 'headers' | 'rawHeaders' | 'httpVersionMinor'>;

/**
 * Gives a request the target that servers get from all but proxies, where it names this server whole: `http://host/path` (RFC 9112,
 * 3.2.2). What else is no path is left for `checkTarget`.
 */
export function useOriginForm(request: Pick<IncomingMessage, 'url'>): void {
  const { url = '' } = request;
  if (url.startsWith('/')) return;
  const [start] = /^https?:\/\/[^/?#\\]+/i.exec(url) ?? [];
  if (start === undefined || !URL.canParse(start)) return;
  const rest = url.slice(start.length);
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
}

/** The path of a request without its query, which may hold what is nobody else's, as whom a target names. */
export function pathOf({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  const path = url.startsWith('/') ? url : url.replace(/^[^/?#]*:\/\/[^/?#]*/, '');
  const end = path.indexOf('?');
  return end === -1 ? path : path.slice(0, end);
}

/**
 * Whether a request names one server (RFC 9112, 3.2), or none by HTTP/1.0: of two, node:http takes the first, and what stands between
 * it and the client perhaps the other.
 */
export function namesOneHost({
  rawHeaders,
  httpVersionMinor,
}: Pick<Request, 'rawHeaders' | 'httpVersionMinor'>): boolean {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count === 1 || (count === 0 && httpVersionMinor === 0);
}

/** What is wrong with the header Host or the target of a request, so that it stands for no address; undefined where nothing is. */
export function checkTarget(request: Request): RequestError | undefined {
  const { url = '' } = request;
  const { host } = request.headers;
  const isOne = namesOneHost(request);
  if (!isOne || (host !== undefined && authorityOf(host) === undefined))
    return new RequestError(
      'syntax',
      !isOne || host === undefined
        ? `expected the header Host once, got ${host === undefined ? 'none' : 'more'}`
        : `host: expected a name or an address, with a port or without, got ${JSON.stringify(host.slice(0, 100))}`,
      'Name the server in it, such as Host: localhost:8080.',
    );
  const path = pathOf(request);
  if (url.startsWith('/') && !path.includes('\\')) return undefined;
  return new RequestError(
    'syntax',
    `expected a path, got ${JSON.stringify(path.slice(0, 100))}`,
    'Ask for one that begins with / and has no backslash, such as /v1/models.',
  );
}

/** Gives a request the `Host` that the application reads: an address of IPv6 at its shortest, and no colon without a port. */
export function useShortHost({ headers }: Pick<Request, 'headers'>): void {
  if (headers.host !== undefined) headers.host = authorityOf(headers.host) ?? headers.host;
}

/** Clients call a server by one name, or few. */
let known: { readonly host: string; readonly authority: string | undefined } = {
  host: 'localhost',
  authority: 'localhost',
};

/** A text as the authority of an address, as it is but for what has several forms; undefined where it is none. */
function authorityOf(host: string): string | undefined {
  if (host !== known.host) known = { host, authority: readAuthority(host) };
  return known.authority;
}

function readAuthority(host: string): string | undefined {
  const address = `http://${host}`;
  if (/[\s/?#@\\]/.test(host) || !URL.canParse(address)) return undefined;
  const { hostname, host: short } = new URL(address);
  const name = host.replace(/:\d*$/, '').toLowerCase();
  // An address of IPv6 may be written in many ways (RFC 9112, 3.2, by RFC 3986, 3.2.2), one of IPv4 in one.
  if (hostname !== name && !name.startsWith('[')) return undefined;
  return hostname !== name || host.endsWith(':') ? short : host;
}
