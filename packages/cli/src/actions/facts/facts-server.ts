import { readFile } from 'node:fs/promises';
import { FuzzError, messageOf, schema } from '@fuzzqe/core';
import { behindFetch, systemErrorCode } from '@fuzzqe/files';

/** Where facts are, and by which key. */
export interface FactsServerOptions {
  /** A file with a key and nothing else. Default: the variable `FUZZQE_KEY`, else no key. */
  readonly keyFile?: string | undefined;
}

/** A path of a server whose facts change. */
export interface FactsServer {
  readonly url: string;
  /** Sends a request. Throws: what the server refuses, with its hint; `runtime`: no server answers. */
  ask(query: string, init?: RequestInit): Promise<Response>;
}

const howTo =
  'As http://localhost:8080, where fuzzqe serve BUNDLE --facts DIR serves; or a store of facts: a folder, postgres://… or sparql+http://….';

/**
 * Finds a path of the server at an address.
 *
 * @param path default: `/v1/facts`.
 * @throws FuzzError `usage`: no address of HTTP, or a file of a key that cannot be read.
 */
export async function factsServer(
  address: string,
  { keyFile }: FactsServerOptions,
  environment: Readonly<Record<string, string | undefined>>,
  path = '/v1/facts',
): Promise<FactsServer> {
  const base = URL.canParse(address) ? new URL(address) : undefined;
  if (base === undefined || !/^https?:$/.test(base.protocol) || base.search !== '' || base.hash !== '')
    throw new FuzzError('usage', `server: expected an address of HTTP, got ${JSON.stringify(address)}`, {
      hint: howTo,
    });
  const url = `${base.href.replace(/\/$/, '')}${path}`;
  const key = keyFile === undefined ? environment['FUZZQE_KEY'] : await readKey(keyFile);
  return {
    url,
    async ask(query, init = {}) {
      const headers = new Headers(init.headers);
      if (key !== undefined && key !== '') headers.set('authorization', `Bearer ${key}`);
      let response: Response;
      try {
        response = await fetch(url + query, { ...init, headers });
      } catch (cause) {
        const reason = behindFetch(cause);
        throw new FuzzError('runtime', `no server answers: ${messageOf(reason)}`, {
          path: url,
          hint: howTo,
          // What was never sent is not sent again.
          passing: systemErrorCode(reason) !== 'ECONNREFUSED',
          cause,
        });
      }
      if (!response.ok) throw await refusalOf(response, url);
      return response;
    },
  };
}

async function readKey(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (cause) {
    throw new FuzzError('usage', `file of a key: expected a file that can be read: ${messageOf(cause)}`, {
      path,
      hint: 'fuzzqe key NAME --write makes a key.',
      cause,
    });
  }
}

const problem = schema.partOf({
  code: schema.optional(schema.string),
  detail: schema.string,
  hint: schema.optional(schema.string),
  path: schema.optional(schema.string),
});

/** What a server says of a request that it refused. */
async function refusalOf(response: Response, url: string): Promise<FuzzError> {
  const said = schema.recogniseJson(problem, await response.text().catch(() => ''));
  const { status } = response;
  // Of a path that can be read, and not changed.
  if (status === 404 || status === 405)
    return new FuzzError('usage', 'expected a server whose facts change, got another', {
      path: url,
      hint: 'Start it with --facts DIR.',
    });
  const isPassing = [429, 503, 504].includes(status);
  const isName = said?.code === 'vocabulary';
  return new FuzzError(
    isPassing ? 'runtime' : isName ? 'vocabulary' : 'usage',
    said?.detail ?? `the server answered ${status}`,
    {
      path: said?.path ?? url,
      passing: isPassing,
      ...(said?.hint === undefined ? {} : { hint: said.hint }),
    },
  );
}
