import { join } from 'node:path';
import { FuzzError } from '@fuzzqe/core';
import { requestFailure } from '@fuzzqe/files';
import { type FetchedFile, openFileSink } from './fetched-file.ts';
import { credentialsOf } from './source-address.ts';
import { sparqlForm } from './sparql-form.ts';
import { createWatch, type SourceTask, type Watch } from './watch.ts';

/** The ending of a file by the media type of an answer. */
const endings = {
  rows: new Map([['text/csv', 'csv']]),
  graph: new Map([
    ['application/n-triples', 'nt'],
    ['application/n-quads', 'nq'],
    ['text/turtle', 'ttl'],
    ['application/x-turtle', 'ttl'],
    ['application/trig', 'trig'],
    ['application/rdf+xml', 'rdf'],
    ['application/ld+json', 'jsonld'],
  ]),
};

/** What is asked for: the forms that every endpoint has, the one that is read fastest first. */
const accepted = {
  rows: 'text/csv',
  graph: 'application/n-triples, text/turtle;q=0.9, application/rdf+xml;q=0.5',
};

/** Longer addresses are refused by some servers. */
const longestAddress = 2000;

/**
 * Asks a SPARQL endpoint, and keeps what it sends in a file: RDF for CONSTRUCT and DESCRIBE, CSV for SELECT.
 *
 * The query goes in the address, and in the body of a form if the address would be too long. Source: SPARQL 1.1 Protocol, section 2.1.
 *
 * @throws FuzzError `usage`: what `sparqlForm` throws. `runtime`: a server that is not there, refuses with its text, sends
 *   nothing for too long or ends early. `data`: another media type. `storage`, `interrupted`.
 */
export async function fetchSparql(task: SourceTask): Promise<FetchedFile> {
  const { address, folder } = task;
  const { place } = address;
  const form = sparqlForm(address);
  const abort = new AbortController();
  let bytes = 0;
  let isAnswered = false;
  const watch = createWatch(task, () => `${bytes} bytes`);
  const broken = (cause: unknown): unknown =>
    cause instanceof FuzzError
      ? cause
      : new FuzzError(
          'runtime',
          isAnswered
            ? `source: expected the whole answer, got ${bytes} bytes before the connection ended (${requestFailure(cause)})`
            : `source: ${requestFailure(cause)}`,
          { path: place, hint: 'Check the server and the network, and run the same command again.', cause },
        );
  try {
    const response = await watch.for(request(task, accepted[form], abort.signal));
    isAnswered = true;
    if (!response.ok) throw await refused(response, place, watch);
    const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
    const ending = endings[form].get(type);
    if (ending === undefined || response.body === null) throw wrongType(place, form, type);
    const path = join(folder, `answer.${ending}`);
    const file = await openFileSink(path);
    try {
      const chunks = response.body[Symbol.asyncIterator]();
      for (;;) {
        const { done, value } = await watch.for(chunks.next());
        if (done === true) break;
        await file.add(value);
        bytes = file.bytes;
      }
    } finally {
      await file.close();
    }
    return { path, isTitled: form === 'rows', notes: [] };
  } catch (cause) {
    throw broken(cause);
  } finally {
    abort.abort();
    watch.end();
  }
}

function request({ address }: SourceTask, accept: string, signal: AbortSignal): Promise<Response> {
  const url = new URL(address.url);
  const credentials = credentialsOf(url);
  [url.username, url.password] = ['', ''];
  const headers: Record<string, string> = { accept };
  if (credentials !== undefined) {
    const { user, password } = credentials;
    headers['authorization'] = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  }
  const asked = new URL(url);
  asked.searchParams.set('query', address.query);
  if (asked.href.length <= longestAddress) return fetch(asked, { headers, signal });
  return fetch(url, {
    ...{ method: 'POST', headers, signal },
    body: new URLSearchParams({ query: address.query }),
  });
}

/** So much of what a server says is read. */
const mostSaid = 4096;

async function refused(response: Response, place: string, watch: Watch): Promise<FuzzError> {
  let said = '';
  const chunks = response.body?.[Symbol.asyncIterator]();
  for (; chunks !== undefined && said.length < mostSaid && !said.trim().includes('\n'); ) {
    const { done, value } = await watch.for(chunks.next());
    if (done === true) break;
    said += Buffer.from(value).toString('utf8');
  }
  const [line = ''] = said.trim().split(/[\r\n]/, 1);
  const text = line === '' ? '' : `: ${JSON.stringify(line.slice(0, 300))}`;
  const { status, statusText } = response;
  return new FuzzError(
    'runtime',
    `source: expected an answer, got ${`${status} ${statusText}`.trimEnd()}${text}`,
    {
      path: place,
      hint:
        status === 401 || status === 403
          ? 'Give user and password in the address: sparql+https://user:password@host/….'
          : status < 500 && status !== 429
            ? 'Check the address and the query.'
            : 'Ask for less at a time, with LIMIT, or later.',
    },
  );
}

function wrongType(place: string, form: 'rows' | 'graph', type: string): FuzzError {
  const wanted = form === 'rows' ? 'CSV for SELECT' : 'N-Triples or Turtle for CONSTRUCT and DESCRIBE';
  return new FuzzError('data', `source: expected ${wanted}, got ${JSON.stringify(type.slice(0, 100))}`, {
    path: place,
    hint: 'Is the address the one of the SPARQL endpoint itself? It often ends in /sparql or /query.',
  });
}
