import type { IncomingMessage } from 'node:http';
import { RequestError } from '@fuzzqe/engine/api';

type Request = Pick<IncomingMessage, 'url' | 'headers' | 'httpVersionMinor'>;

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

/** What is wrong with the header Host or the target of a request, so that it stands for no address; undefined where nothing is. */
export function checkTarget(request: Request): RequestError | undefined {
  const { url = '', httpVersionMinor } = request;
  const { host } = request.headers;
  if (host === undefined ? httpVersionMinor > 0 : !isHost(host))
    return new RequestError(
      'syntax',
      host === undefined
        ? 'expected the header Host, got none'
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

/** Clients call a server by one name, or few. */
let known = { host: 'localhost', isHost: true };

/** Whether a text is the authority of an address and stays as it is in it, but for its case. */
function isHost(host: string): boolean {
  if (host !== known.host) known = { host, isHost: readsAsHost(host) };
  return known.isHost;
}

function readsAsHost(host: string): boolean {
  const address = `http://${host}`;
  if (/[\s/?#@\\]/.test(host) || !URL.canParse(address)) return false;
  return new URL(address).hostname === host.replace(/:\d+$/, '').toLowerCase();
}
