import type { ModelInfo, NameListing, Problem, StructureListing } from '@fuzzqe/api';
import type { QuestionListing } from '@fuzzqe/api/words';
import type { Query } from '@fuzzqe/core/query';
import type { EntityDescription, NextRelations, PatternAnswer, SetsAnswer } from '@fuzzqe/engine';
import {
  type AnswerSource,
  type AskOptions,
  SourceError,
  type SourceFault,
  type TimedAnswer,
  type WordsPattern,
} from './answer-source.ts';
import { httpJudging } from './judging.ts';

/** How an API is reached. */
export interface HttpSourceOptions {
  /** Where `/v1` stands, without a slash at its end: `''` for the root of this origin. */
  readonly address: string;
  /** Which model is asked. Default: the server's first. */
  readonly model?: string;
  /** What requests say of who asks, each time anew. Default: nothing. */
  readonly key?: () => string | undefined;
  readonly kind?: AnswerSource['kind'];
  /** Default: that of the platform. */
  readonly fetch?: (address: string, init: RequestInit) => Response | Promise<Response>;
  /** Called by `close`. */
  readonly onClose?: () => Promise<void>;
}

/** The most relations that are listed in one request. */
const pageOfRelations = 1000;

/** The v1 API of a server as a source of answers. */
export function httpSource(options: HttpSourceOptions): AnswerSource {
  const { address, model, key = () => undefined, kind = 'server', onClose } = options;
  const send = options.fetch ?? ((url: string, init: RequestInit) => fetch(url, init));
  const root = `${address}/v1`;
  const base = model === undefined ? root : `${root}/models/${encodeURIComponent(model)}`;

  const call = async <T>(url: string, init: RequestInit): Promise<T> => {
    const headers = new Headers(init.headers);
    // The root of a server is a page for browsers.
    headers.set('accept', 'application/json');
    const bearer = key();
    if (bearer !== undefined) {
      if (!isSendable(bearer))
        throw new SourceError('key', 'The key has characters that no key has.', { hint: 'Copy it again.' });
      headers.set('authorization', `Bearer ${bearer}`);
    }
    let response: Response | undefined;
    let body: unknown;
    try {
      response = await send(url, { ...init, headers });
      body = await response.json();
    } catch (cause) {
      init.signal?.throwIfAborted();
      // What stands before a server answers with pages of its own.
      if (response !== undefined && !response.ok) throw errorOf(response.status, {});
      throw new SourceError('unreachable', 'The server does not answer.', {
        hint: 'Check that it is running, then ask again.',
        cause,
      });
    }
    // What the API answers; the contract suite holds it to these types.
    if (response.ok) return body as T;
    throw errorOf(response.status, (body ?? {}) as Partial<Problem>);
  };
  const get = <T>(url: string, parameters: object, signal: AbortSignal | undefined): Promise<T> => {
    const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
    const text = new URLSearchParams(given.map(([name, value]) => [name, `${value}`])).toString();
    return call<T>(text === '' ? url : `${url}?${text}`, signal === undefined ? {} : { signal });
  };
  const post = <T>(url: string, body: object, signal: AbortSignal | undefined): Promise<T> =>
    call<T>(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    });
  const timed = async <T>(
    url: string,
    asked: object,
    { k = 10, exclude = 'none', minDegree, signal }: AskOptions = {},
  ): Promise<TimedAnswer<T>> => {
    const begun = performance.now();
    const least = minDegree === undefined ? {} : { minDegree };
    const answer = await post<T>(url, { ...asked, k, exclude, explain: true, ...least }, signal);
    return { answer, ms: performance.now() - begun };
  };

  return {
    kind,
    async models(signal) {
      const { models } = await get<{ models: readonly ModelInfo[] }>(`${root}/models`, {}, signal);
      return models;
    },
    names: (q, { limit, offset, signal } = {}) =>
      get<NameListing>(`${base}/entities`, { q, limit, offset }, signal),
    async relations(signal) {
      const found: NameListing['results'][number][] = [];
      for (;;) {
        const page = { limit: pageOfRelations, offset: found.length };
        const { total, results } = await get<NameListing>(`${base}/relations`, page, signal);
        found.push(...results);
        if (found.length >= total || results.length === 0) return found;
      }
    },
    examples: (signal) => get<StructureListing>(`${base}/structures`, {}, signal),
    ask: (query, how) => timed<SetsAnswer>(`${base}/query`, { query: queryJson(query) }, how),
    match: (pattern, { count = false, ...how } = {}) =>
      timed<PatternAnswer>(`${base}/patterns`, { pattern, count }, how),
    async questions(signal) {
      try {
        return await get<QuestionListing>(`${base}/ask`, {}, signal);
      } catch (error) {
        // Servers on other platforms have no such path.
        if (error instanceof SourceError && error.fault === 'refused') return undefined;
        throw error;
      }
    },
    async translate(question, signal) {
      type Written = Omit<WordsPattern, 'text'> & { readonly pattern: Pick<WordsPattern, 'text'> };
      const { by, count, pattern } = await post<Written>(`${base}/ask`, { question, run: false }, signal);
      return { by, count, text: pattern.text };
    },
    following: (query, signal) =>
      post<NextRelations>(`${base}/query/relations`, { query: queryJson(query) }, signal),
    page(entity, { signal, ...parameters } = {}) {
      const written = typeof entity === 'number' ? `#${entity}` : entity;
      return get<EntityDescription>(`${base}/entities/${encodeURIComponent(written)}`, parameters, signal);
    },
    judging: async (signal) => (kind === 'browser' ? undefined : httpJudging(address, { get, post }, signal)),
    async close() {
      await onClose?.();
    },
  };
}

/** Whether a key can be sent in a header: it is visible ASCII. */
export function isSendable(key: string): boolean {
  return /^[\x21-\x7e]+$/.test(key);
}

/** A query as the API reads it, by ids: they are never mistaken. */
function queryJson(query: Query): object {
  switch (query.op) {
    case 'entity':
      return { entity: query.entity };
    case 'project':
      return { project: query.relation, from: queryJson(query.from) };
    case 'not':
      return { not: queryJson(query.operand) };
    default:
      return { [query.op]: query.operands.map(queryJson) };
  }
}

function errorOf(status: number, { detail, hint }: Partial<Problem>): SourceError {
  // What the API says of it is for programs.
  if (status === 401)
    return new SourceError('key', 'The server does not know this key.', {
      hint: 'Reload the page to enter another one.',
    });
  const fault: SourceFault = status === 429 ? 'busy' : status >= 500 ? 'failed' : 'refused';
  // A server that follows another server takes no facts of anybody.
  const isForbidden = status === 403 || status === 421;
  return new SourceError(fault, detail ?? `The server answered with status ${status}.`, {
    hint,
    isForbidden,
  });
}
