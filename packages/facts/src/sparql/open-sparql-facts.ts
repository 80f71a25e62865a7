import { expectOptions, FuzzError, isAbsoluteIri, schema } from '@fuzzqe/core';
import { createSharedFacts } from '../shared/create-shared-facts.ts';
import type { SharedFactStore } from '../store/fact-store.ts';
import { createSparqlClient } from './sparql-client.ts';
import { openSparqlPlace } from './sparql-place.ts';

/** How facts in an RDF store are opened. */
export interface SparqlFactsOptions {
  /** Headers of each request, such as `authorization`. Default: those of user and password in the address. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds without a byte after which a request is given up. Default 10 000. */
  readonly timeout?: number;
  /** Milliseconds between two looks for batches of others. Default 1000. */
  readonly pollEvery?: number;
}

/**
 * Opens a store of facts in an RDF store over SPARQL 1.1: facts are triples there, and batches stand in the graph `urn:fuzzqe:log`.
 *
 * Triples that other tools add or remove are no batches, and are not seen.
 *
 * @param address `sparql+http://user:password@host/query?update=/update&graph=IRI`. Default of `update`: `/query` becomes `/update`, and
 *   `/repositories/NAME` gets `/statements`. Default of `graph`: the default graph.
 * @throws FuzzError `usage`: no such address. `storage`: the store is away or refuses. `data`: no SPARQL, or a log of another kind.
 * @example
 * const facts = await openSparqlFacts('sparql+http://localhost:7878/query');
 * const monaco = { head: 'http://x/France', relation: 'http://x/borders', tail: 'http://x/Monaco' };
 * await facts.append({ at: new Date().toISOString(), changes: [{ does: 'add', ...monaco }] });
 */
export async function openSparqlFacts(
  address: string,
  options: SparqlFactsOptions = {},
): Promise<SharedFactStore> {
  expectOptions('openSparqlFacts', options, []);
  const { timeout = 10_000, pollEvery = 1000 } = options;
  for (const [what, value] of Object.entries({ timeout, pollEvery }))
    schema.parse(schema.integer({ min: 1 }), value, { code: 'usage', what });
  const { graph, path, headers, ...urls } = parseSparqlAddress(address);
  const client = createSparqlClient({ ...urls, path, timeout, headers: { ...headers, ...options.headers } });
  const { place, head } = await openSparqlPlace({ client, path, graph });
  return createSharedFacts(place, head, { pollEvery });
}

/** The parts of an address of an RDF store. Throws: `usage`. */
function parseSparqlAddress(text: string): {
  readonly query: URL;
  readonly update: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly graph: string | undefined;
  readonly path: string;
} {
  const refusal = (message: string, hint: string) => new FuzzError('usage', `facts: ${message}`, { hint });
  const plain = text.replace(/^sparql\+/i, '');
  const query = URL.canParse(plain) ? new URL(plain) : undefined;
  // The address itself is not said: it may hold a password.
  if (
    query === undefined ||
    plain === text ||
    !/^https?:$/.test(query.protocol) ||
    /%(?![\da-f]{2})/i.test(query.username + query.password)
  )
    throw refusal(
      'expected sparql+http://host/query, got no such address',
      'Percent-encode special characters of the user and the password: %40 for @, say.',
    );
  const [user, password] = [query.username, query.password].map(decodeURIComponent);
  const headers =
    user || password
      ? { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` }
      : {};
  [query.username, query.password, query.hash] = ['', '', ''];
  const graph = query.searchParams.get('graph') ?? undefined;
  const given = query.searchParams.get('update') ?? undefined;
  for (const parameter of ['graph', 'update']) query.searchParams.delete(parameter);
  if (graph !== undefined && !isAbsoluteIri(graph))
    throw refusal(
      `graph: expected an IRI, got ${JSON.stringify(graph.slice(0, 100))}`,
      'As graph=urn:example:facts.',
    );
  const update = updateUrl(query, given);
  // What lets someone into one server is for no other.
  if (update?.origin !== query.origin)
    throw refusal('update: expected a path of the same server, got another address', 'As update=/update.');
  return { query, update, headers, graph, path: `sparql+${query.origin}${query.pathname}` };
}

function updateUrl(query: URL, given: string | undefined): URL | undefined {
  if (given !== undefined) return URL.canParse(given, query.href) ? new URL(given, query) : undefined;
  const update = new URL(query);
  update.pathname = query.pathname
    .replace(/\/query$/, '/update')
    .replace(/^(.*\/repositories\/[^/]+)$/, '$1/statements');
  return update;
}
