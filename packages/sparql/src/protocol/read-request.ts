import { FuzzError } from '@fuzzqe/core';
import { RequestError, readText } from '@fuzzqe/engine/api';

const form = 'application/x-www-form-urlencoded';
const direct = 'application/sparql-query';
const howTo = `Send ?query= by GET, query= as ${form} by POST, or the text itself as ${direct}.`;

/**
 * The text of the query that a request of the SPARQL 1.1 protocol asks: by GET, by a form or directly; undefined for a GET
 * without one.
 *
 * Parameters that the protocol does not have are left alone: clients send some of their own.
 * @throws RequestError as `readText` does. `syntax`: no query, or several. FuzzError `query`: an update or a data set.
 */
export async function readRequest(request: Request, bodyLimit: number): Promise<string | undefined> {
  const inAddress = new URL(request.url).searchParams;
  if (request.method !== 'POST') {
    const text = queryIn(inAddress);
    if (text === undefined && inAddress.size > 0) checkParameters(inAddress);
    return text;
  }
  const text = await readText(request, { types: [direct, form], limit: bodyLimit, hint: howTo });
  checkParameters(inAddress);
  if (!request.headers.get('content-type')?.toLowerCase().startsWith(form)) return text;
  const sent = queryIn(new URLSearchParams(text));
  if (sent === undefined) throw new RequestError('syntax', 'query: expected one, got none', howTo);
  return sent;
}

function queryIn(parameters: URLSearchParams): string | undefined {
  checkParameters(parameters);
  const [text, ...others] = parameters.getAll('query');
  if (others.length > 0)
    throw new RequestError('syntax', 'query: expected one, got several', 'Send them one by one.');
  return text;
}

/** What of the protocol this endpoint does not have is refused rather than overlooked. */
function checkParameters(parameters: URLSearchParams): void {
  if (parameters.has('update')) {
    const hint = 'The graph of a bundle is read only.';
    throw new FuzzError('query', 'UPDATE: expected a query, got an update', { path: 'update', hint });
  }
  const dataset = ['default-graph-uri', 'named-graph-uri'].find((name) => parameters.has(name));
  if (dataset !== undefined) {
    const hint = 'A bundle is one graph: leave it out.';
    throw new FuzzError('query', `${dataset}: expected no data set, got one`, { path: dataset, hint });
  }
}
