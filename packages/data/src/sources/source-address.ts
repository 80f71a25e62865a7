import { FuzzError, withoutSecrets } from '@fuzzqe/core';

/** What answers the query of an address. */
export type SourceKind = 'sparql' | 'postgres' | 'neo4j';

/** An address with a query, taken apart. */
export interface SourceAddress {
  readonly kind: SourceKind;
  /** Where to connect, credentials included, without the query. */
  readonly url: URL;
  readonly query: string;
  /** The server and the path without credentials: what messages say. */
  readonly place: string;
  /** The same with the query: what is recorded. */
  readonly shown: string;
}

const schemes: ReadonlyMap<string, SourceKind> = new Map([
  ['sparql+http', 'sparql'],
  ['sparql+https', 'sparql'],
  ['postgres', 'postgres'],
  ['postgresql', 'postgres'],
  ...['neo4j', 'neo4j+s', 'neo4j+ssc', 'bolt', 'bolt+s', 'bolt+ssc'].map((name) => [name, 'neo4j'] as const),
]);

/** Whether a path is an address: what begins with a scheme and `://`. */
export function isSourceAddress(path: string): boolean {
  return /^[a-z][a-z\d+.-]*:\/\//i.test(path);
}

/**
 * Takes an address apart: `sparql+https://host/path?query=…`, `postgres://user@host/db?query=…`, `neo4j://host/db?query=…`.
 *
 * All that follows `query=` is the query, percent-encoded: other parameters stand before it. `query` is that of an address
 * without one.
 *
 * @throws FuzzError `usage`: an unknown scheme, no address, no query or two.
 */
export function parseSourceAddress(address: string, query?: string): SourceAddress {
  const { kind, url, place, encoded } = splitAddress(address);
  if ((encoded === undefined) === (query === undefined))
    throw new FuzzError('usage', `source: expected one query, got ${query === undefined ? 'none' : 'two'}`, {
      path: place,
      hint: 'End the address with ?query=…, percent-encoded, or give --query-file FILE.',
    });
  const asked = (query ?? decode(encoded!, place)).trim();
  if (asked === '')
    throw new FuzzError('usage', 'source: expected a query, got an empty one', {
      path: place,
      hint: queryHints[kind],
    });
  return { kind, url, query: asked, place, shown: shownAddress(place, asked) };
}

/** An address without credentials; any other path as it is. Throws what `parseSourceAddress` throws. */
export function withoutCredentials(path: string): string {
  if (!isSourceAddress(path)) return path;
  const { place, encoded } = splitAddress(path);
  return encoded === undefined ? place : shownAddress(place, decode(encoded, place));
}

/** What to call the graph of an address: the database, or the server. Throws what `parseSourceAddress` throws. */
export function sourceName(address: string): string {
  const { kind, url } = splitAddress(address);
  const database = kind === 'sparql' ? '' : url.pathname.slice(1);
  return /^[\w-]+$/.test(database) ? database : url.hostname;
}

/** User and password of an address; undefined without. */
export function credentialsOf({ username, password }: URL): { user: string; password: string } | undefined {
  if (username === '' && password === '') return undefined;
  return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
}

/** What a query looks like, by kind. */
export const queryHints: Readonly<Record<SourceKind, string>> = {
  sparql: 'Such as CONSTRUCT WHERE { ?h ?r ?t }, or SELECT ?h ?r ?t WHERE { … }.',
  postgres: 'Such as SELECT head, relation, tail FROM facts.',
  neo4j: 'Such as MATCH (h)-[r]->(t) RETURN h.name, type(r), t.name.',
};

function shownAddress(place: string, query: string): string {
  return `${place}?query=${encodeURIComponent(query)}`;
}

/** The same with the query as it stands there, if there is one. */
function splitAddress(
  address: string,
): Pick<SourceAddress, 'kind' | 'url' | 'place'> & { readonly encoded: string | undefined } {
  const [, before = address, encoded] = /^(.*?)[?&]query=(.*)$/is.exec(address) ?? [];
  const scheme = /^[^:]*/.exec(address)![0].toLowerCase();
  const kind = schemes.get(scheme);
  if (kind === undefined)
    throw new FuzzError(
      'usage',
      `source: expected ${listOfSchemes}, got ${JSON.stringify(`${scheme.slice(0, 40)}://`)}`,
      {
        hint: /^https?$/.test(scheme)
          ? `For a SPARQL endpoint: sparql+${scheme}://…?query=…. Fetch a file first, as with curl.`
          : 'Give one of these addresses, or the path of a file.',
      },
    );
  const text = kind === 'sparql' ? before.slice('sparql+'.length) : before;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // The address itself is not said: it may hold a password.
  if (url === undefined || url.host === '' || !isEncoded(url))
    throw new FuzzError('usage', `source: expected ${scheme}://host…?query=…, got no address`, {
      hint: 'Percent-encode special characters of the user and the password: %40 for @, say.',
    });
  // Of a password that is not encoded, a part may stand in the path.
  const place = withoutSecrets(`${scheme}://${url.host}${url.pathname === '/' ? '' : url.pathname}`);
  return { kind, url, place, encoded };
}

function isEncoded({ username, password, pathname }: URL): boolean {
  return !/%(?![\da-f]{2})/i.test(username + password + pathname);
}

const listOfSchemes = 'sparql+http://, sparql+https://, postgres://, neo4j:// or bolt://';

function decode(encoded: string, place: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch (cause) {
    throw new FuzzError('usage', 'source: expected a percent-encoded query, got a % that encodes nothing', {
      path: place,
      hint: 'Write %25 for %, or give the query with --query-file FILE.',
      cause,
    });
  }
}
