import { checkMediaType, RequestError, readText } from '@fuzzqe/api';
import { FuzzError } from '@fuzzqe/core';
import type { TextUnits } from '../syntax/parsed-text.ts';
import { asUpdate } from '../syntax/syntax-error.ts';

const form = 'application/x-www-form-urlencoded';
const direct = { 'application/sparql-query': 'query', 'application/sparql-update': 'update' } as const;
const howTo = `Send ?query= by GET, query= or update= as ${form} by POST, or the text itself as ${Object.keys(direct).join(' or ')}.`;

/** The text of a request, and what the text is. */
export interface SentText {
  readonly unit: keyof TextUnits;
  readonly text: string;
}

/**
 * The text that a request of the SPARQL 1.1 protocol sends: by GET, by a form or directly; undefined for a GET without one.
 *
 * Parameters that the protocol does not have are left alone: clients send some of their own.
 * @throws RequestError as `readText` does. `syntax`: no text, or several. FuzzError `query`: an update by GET, or a data set.
 */
export async function readRequest(
  request: Request,
  inAddress: URLSearchParams,
  bodyLimit: number,
): Promise<SentText | undefined> {
  checkParameters(inAddress);
  refuseUpdate(inAddress);
  if (request.method !== 'POST') return textIn(inAddress);
  const types = [...Object.keys(direct), form];
  const type = checkMediaType(request.headers, types);
  const text = await readText(request, { types, limit: bodyLimit, hint: howTo });
  if (type !== form) return { unit: direct[type as keyof typeof direct], text };
  const parameters = new URLSearchParams(text);
  checkParameters(parameters);
  const sent = textIn(parameters);
  if (sent === undefined) throw new RequestError('syntax', 'query: expected one, got none', howTo);
  return sent;
}

/** A flag of an address, which is false without a word of it. Throws: FuzzError `query`, another value. */
export function flagIn(parameters: URLSearchParams, name: string, hint?: string): boolean {
  const [value = 'false', ...others] = parameters.getAll(name);
  if (others.length === 0 && (value === 'true' || value === 'false')) return value === 'true';
  throw new FuzzError('query', `${name}: expected true or false, once`, {
    path: name,
    ...(hint === undefined ? {} : { hint }),
  });
}

function textIn(parameters: URLSearchParams): SentText | undefined {
  const units = ['query', 'update'] as const;
  const [sent, ...others] = units.flatMap((unit) => parameters.getAll(unit).map((text) => ({ unit, text })));
  if (others.length > 0)
    throw new RequestError('syntax', 'query: expected one, got several', 'Send them one by one.');
  return sent;
}

/** An address that is followed or fetched in advance changes nothing. */
function refuseUpdate(inAddress: URLSearchParams): void {
  if (!inAddress.has('update')) return;
  const message = 'UPDATE: expected an update in the body of a POST, got one in the address';
  throw new FuzzError('query', message, { path: 'update', hint: asUpdate });
}

const datasets = ['default-graph-uri', 'named-graph-uri', 'using-graph-uri', 'using-named-graph-uri'];

/** What of the protocol this endpoint does not have is refused rather than overlooked. */
function checkParameters(parameters: URLSearchParams): void {
  const dataset = datasets.find((name) => parameters.has(name));
  if (dataset !== undefined) {
    const hint = 'A bundle is one graph: leave it out.';
    throw new FuzzError('query', `${dataset}: expected no data set, got one`, { path: dataset, hint });
  }
}
