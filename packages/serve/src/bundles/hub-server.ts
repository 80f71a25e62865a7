import { FuzzError, schema, withoutSecrets } from '@fuzzqe/core';
import { readAtMost, requestFailure, waitAfter } from '@fuzzqe/files';
import type { HubAddress } from './hub-address.ts';

/** Where a bundle is fetched from, and with which right. */
export interface HubSettings {
  /** Default: `HF_ENDPOINT`, else the Hub itself. */
  readonly endpoint?: string;
  /** Default: `HF_TOKEN`. Never printed, and sent only by https or to this machine. */
  readonly token?: string;
  /** The folder of the cache. Default: `FUZZQE_CACHE`, else `fuzzqe` in `XDG_CACHE_HOME` or `~/.cache`. */
  readonly cache?: string;
  /** Whether only the cache is asked. Default: whether `HF_HUB_OFFLINE` is `1`. */
  readonly offline?: boolean;
  /** A line for people: what is fetched, or why the cache stands in. */
  readonly onNote?: (line: string) => void;
  /** How often what failed in passing is tried again, and milliseconds before the first time. Default: 3 and 1000. */
  readonly retries?: number;
  readonly retryDelay?: number;
  readonly signal?: AbortSignal;
}

/** A server that speaks the Hub's protocol. */
export interface HubServer {
  /** What requests carry. */
  readonly headers: Readonly<Record<string, string>>;
  /** The commit that a revision is now. */
  commitOf(address: HubAddress): Promise<string>;
  /** Where a file of a commit is. */
  urlOf(address: HubAddress, commit: string, path: string): string;
}

/** A commit: 40 hexadecimal digits. */
export const isCommit = (text: string): boolean => /^[0-9a-f]{40}$/.test(text);

const answerSchema = schema.partOf({
  sha: schema.matching(/^[0-9a-f]{40}$/, 'a commit of 40 hexadecimal digits'),
});

/** What an answer may have; that of a repository lists its files. */
const mostBytes = 16 * 2 ** 20;

/**
 * The server of these settings.
 *
 * @throws FuzzError `config`: the endpoint or the token cannot be one.
 */
export function hubServer(settings: HubSettings): HubServer {
  const { signal, retries = 3, retryDelay = 1000 } = settings;
  const endpoint = endpointOf(settings.endpoint ?? (process.env['HF_ENDPOINT'] || undefined));
  const token = settings.token ?? process.env['HF_TOKEN'];
  const headers = headersOf(endpoint, token);

  const ask = async (url: string): Promise<Response> => {
    for (let attempt = 0; ; attempt += 1) {
      try {
        const limit = AbortSignal.timeout(60_000);
        const response = await fetch(url, {
          headers,
          signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
        });
        if (response.status < 500 && response.status !== 429) return response;
        await response.body?.cancel();
        throw new Error(`${response.status} ${response.statusText}`.trimEnd());
      } catch (cause) {
        if (signal?.aborted) throw new FuzzError('interrupted', 'stopped while the Hub was asked', { cause });
        // An end of the wait is told above, by the next attempt.
        if (attempt < retries) await waitAfter(attempt, retryDelay, signal);
        else
          throw new FuzzError('runtime', `the Hub cannot be reached: ${requestFailure(cause)}`, {
            path: withoutSecrets(url),
            hint: 'Check the network, or HF_ENDPOINT where another server is meant.',
            cause,
          });
      }
    }
  };

  return {
    headers,
    urlOf: ({ owner, name }, commit, path) =>
      `${endpoint.href}${owner}/${name}/resolve/${commit}/${path.split('/').map(encodeURIComponent).join('/')}`,
    async commitOf({ owner, name, revision }) {
      const url = `${endpoint.href}api/models/${owner}/${name}/revision/${encodeURIComponent(revision)}`;
      const response = await ask(url);
      if (!response.ok) {
        await response.body?.cancel();
        throw refusalOf(response.status, { owner, name, revision }, token !== undefined);
      }
      const { bytes, isWhole } = await readAtMost(response, mostBytes);
      if (!isWhole)
        throw new FuzzError(
          'runtime',
          `the answer of the Hub: expected at most ${mostBytes} bytes, got more`,
          {
            path: withoutSecrets(response.url),
          },
        );
      const answer = schema.parseJson(answerSchema, bytes.toString('utf8'), {
        code: 'runtime',
        what: 'the answer of the Hub',
        path: url,
      });
      return answer.sha;
    },
  };
}

/** Why the Hub does not give a repository or a file of it. */
export function refusalOf(
  status: number,
  { owner, name, revision }: HubAddress,
  hasToken: boolean,
): FuzzError {
  const path = `hf://${owner}/${name}@${revision}`;
  if (status === 401 || status === 403)
    return new FuzzError('bundle', `the Hub refuses it (${status}): it is private, gated, or not there`, {
      path,
      hint: hasToken
        ? 'Check the name, and that HF_TOKEN may read it; gated repositories want their terms accepted.'
        : 'Check the name, or set HF_TOKEN to a token that may read it.',
    });
  if (status === 404)
    return new FuzzError('bundle', 'the Hub has no such repository or revision (404)', {
      path,
      hint: 'Check the owner, the name, and the branch, tag or commit after @.',
    });
  return new FuzzError('bundle', `the Hub answers with ${status}`, { path, hint: 'Check HF_ENDPOINT.' });
}

function endpointOf(text = 'https://huggingface.co'): URL {
  const wrong = (): FuzzError =>
    new FuzzError(
      'config',
      `expected an address that begins with https:// or http://, got ${withoutSecrets(text)}`,
      {
        path: 'HF_ENDPOINT',
      },
    );
  if (!URL.canParse(text)) throw wrong();
  const url = new URL(text);
  if (!['https:', 'http:'].includes(url.protocol) || url.search !== '' || url.username !== '') throw wrong();
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url;
}

function headersOf(endpoint: URL, token: string | undefined): Record<string, string> {
  const headers = { 'user-agent': 'fuzzqe' };
  if (token === undefined || token === '') return headers;
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new FuzzError('config', 'expected a token of visible characters, got others', {
      path: 'HF_TOKEN',
      hint: 'Set it without spaces and line ends.',
    });
  const isHere = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(endpoint.hostname);
  if (endpoint.protocol !== 'https:' && !isHere)
    throw new FuzzError(
      'config',
      'expected https, since a token is set that http would show to everybody on the way',
      {
        path: 'HF_ENDPOINT',
        hint: 'Give an endpoint with https, or unset HF_TOKEN.',
      },
    );
  return { ...headers, authorization: `Bearer ${token}` };
}
