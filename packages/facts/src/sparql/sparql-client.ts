import { FuzzError } from '@fuzzqe/core';
import { requestFailure } from '@fuzzqe/files';
import { csvRows } from './csv-lines.ts';

/** Where an RDF store takes queries and updates. */
export interface SparqlEndpoint {
  /** Both without credentials. */
  readonly query: URL;
  readonly update: URL;
  /** Sent with each request: what lets the store in, for one. */
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds without a byte after which a request is given up. */
  readonly timeout: number;
  /** The store, for people. */
  readonly path: string;
}

/** Asks an RDF store by the SPARQL 1.1 Protocol. Everything throws FuzzError `storage` or `data`. */
export interface SparqlClient {
  /** The rows of a SELECT, whose cells have no line feed. */
  select(query: string): AsyncGenerator<readonly string[]>;
  /** Does an update. */
  update(update: string): Promise<void>;
}

/** Bytes of a refusal that are read. */
const mostSaid = 4096;

/** Sends queries and updates as they are, by POST, and asks for CSV. */
export function createSparqlClient({ query, update, headers, timeout, path }: SparqlEndpoint): SparqlClient {
  /** Sends a request, and gives the body piece by piece; only waiting for the server counts against the limit. */
  async function* send(url: URL, type: string, body: string): AsyncGenerator<Uint8Array> {
    const abort = new AbortController();
    const inTime = async <T>(work: Promise<T>): Promise<T> => {
      const silence = new Error(`no byte for ${timeout} ms`);
      const timer = setTimeout(() => abort.abort(silence), timeout);
      try {
        return await work;
      } finally {
        clearTimeout(timer);
      }
    };
    try {
      const response = await inTime(
        fetch(url, {
          ...{ method: 'POST', body, signal: abort.signal },
          headers: {
            ...headers,
            accept: 'text/csv',
            'content-type': `application/sparql-${type}; charset=utf-8`,
          },
        }),
      );
      const chunks = response.body?.[Symbol.asyncIterator]();
      const next = () => (chunks === undefined ? undefined : inTime(chunks.next()));
      if (!response.ok) {
        let said = '';
        for (let piece = await next(); piece?.done === false && said.length < mostSaid; piece = await next())
          said += Buffer.from(piece.value).toString('utf8');
        throw refused(response, said, body.length, path);
      }
      const media = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
      if (type === 'query' && media !== 'text/csv') throw wrongType(media ?? 'none', path);
      for (let piece = await next(); piece?.done === false; piece = await next()) yield piece.value;
    } catch (cause) {
      throw cause instanceof FuzzError ? cause : away(cause, path);
    } finally {
      abort.abort();
    }
  }

  return {
    async *select(text) {
      let isTitle = true;
      for await (const row of csvRows(send(query, 'query', text))) {
        if (!isTitle) yield row;
        isTitle = false;
      }
    },
    async update(text) {
      for await (const _ of send(update, 'update', text));
    },
  };
}

function away(cause: unknown, path: string): FuzzError {
  return new FuzzError('storage', `RDF store: ${requestFailure(cause)}`, {
    path,
    hint: 'Check that the server runs and can be reached.',
    passing: true,
    cause,
  });
}

function refused({ status, statusText }: Response, said: string, length: number, path: string): FuzzError {
  if (status === 413)
    return new FuzzError('data', `RDF store: takes no update of ${length} characters (413)`, {
      path,
      hint: 'Split the batch, or raise the limit of the store.',
    });
  const [line = ''] = said.trim().split(/[\r\n]/, 1);
  const text = line === '' ? '' : `: ${JSON.stringify(line.slice(0, 300))}`;
  const isPassing = status >= 500 || status === 429;
  return new FuzzError('storage', `RDF store: got ${`${status} ${statusText}`.trimEnd()}${text}`, {
    path,
    hint:
      status === 401 || status === 403
        ? 'Give user and password in the address: sparql+https://user:password@host/….'
        : isPassing
          ? 'See the log of the store.'
          : 'Check the addresses of queries and updates: sparql+http://host/query?update=/update.',
    passing: isPassing,
  });
}

function wrongType(got: string, path: string): FuzzError {
  return new FuzzError('data', `RDF store: expected text/csv, got ${JSON.stringify(got.slice(0, 100))}`, {
    path,
    hint: 'Is the address that of the SPARQL endpoint itself? It often ends in /sparql or /query.',
  });
}
