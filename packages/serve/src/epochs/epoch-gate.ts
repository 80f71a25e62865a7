import type { IncomingMessage } from 'node:http';
import { type ApiMiddleware, RequestError } from '@fuzzqe/api';
import { FuzzError } from '@fuzzqe/core';
import { atLeastHeader, epochNotThere, wantedEpoch } from '@fuzzqe/facts/apply';
import type { EpochWaits } from './epoch-waits.ts';

/** The header with the id of the store, in answers and, if wanted, in requests. */
export const storeHeader = 'fuzzqe-store';
const timeoutHeader = 'x-timeout-ms';

/** The longest that a request waits for an epoch, in milliseconds. */
const longestWait = 2000;

/** How facts follow another server. */
export interface FollowedSource {
  readonly state: string;
  /** Since that server was last heard. */
  readonly heardSeconds: number;
}

/** Facts whose epoch rises. */
export interface EpochSource extends Pick<EpochWaits, 'until'> {
  readonly store: { readonly id: string; readonly follows?: FollowedSource };
  /** The epoch whose facts every answer that begins now has; it never falls. */
  readonly epoch: number;
  /** That epoch and the id of the store as headers of an answer. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What stands between requests and the facts that their answers need. */
export interface EpochGate {
  /** The epoch of an answer that begins now, as headers: the answer has the facts of this epoch, and maybe of later ones. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  /**
   * Waits until the facts are there that a request needs; undefined if the request names no epoch.
   *
   * The time of the wait goes off what the request allows.
   * @throws FuzzError `usage`: no epoch, or a server without facts. `runtime`: the epoch did not come in time. RequestError `conflict`: another store.
   */
  pass(request: IncomingMessage, signal: () => AbortSignal): Promise<void> | undefined;
  /** Does both for requests of the application. */
  readonly middleware: ApiMiddleware;
}

/**
 * Holds requests until the facts are at the epoch that they ask for.
 *
 * @param timeLimit the longest that a request may take, in milliseconds.
 */
export function createEpochGate(facts: EpochSource | undefined, timeLimit: number): EpochGate {
  const wait = async (wanted: string, { headers }: IncomingMessage, signal: AbortSignal): Promise<void> => {
    if (facts === undefined)
      throw new FuzzError(
        'usage',
        `${atLeastHeader}: expected a server whose facts change, got one without`,
        {
          path: atLeastHeader,
          hint: 'Leave the header out, or serve with --facts.',
        },
      );
    expectStore(headers[storeHeader]?.toString(), facts);
    const epoch = wantedEpoch(wanted);
    const allowed = Number(headers[timeoutHeader]);
    const began = performance.now();
    const most = Math.min(longestWait, timeLimit, allowed > 0 ? allowed : timeLimit);
    if (!(await facts.until(epoch, most, signal))) throw epochNotThere(epoch, facts.epoch);
    if (allowed > 0)
      headers[timeoutHeader] = `${Math.max(1, Math.ceil(allowed - (performance.now() - began)))}`;
  };
  const pass: EpochGate['pass'] = (request, signal) => {
    const wanted = request.headers[atLeastHeader];
    return wanted === undefined ? undefined : wait(wanted.toString(), request, signal());
  };
  return {
    get headers() {
      return facts?.headers;
    },
    pass,
    middleware: async (context, next) => {
      const { incoming } = context.env as { readonly incoming: IncomingMessage }; // of @hono/node-server
      const before = incoming.headers[timeoutHeader];
      const tell = (): readonly (readonly [string, string])[] => {
        const headers = Object.entries(facts?.headers ?? {});
        for (const [name, value] of headers) context.header(name, value);
        return headers;
      };
      let headers = tell();
      const reached = pass(incoming, () => context.req.raw.signal);
      if (reached !== undefined) {
        await reached;
        const left = incoming.headers[timeoutHeader];
        if (left !== undefined && left !== before)
          context.req.raw.headers.set(timeoutHeader, left.toString());
        headers = tell();
      }
      await next();
      // A part may answer with a response that it got elsewhere.
      for (const [name, value] of headers) if (!context.res.headers.has(name)) context.header(name, value);
    },
  };
}

/** Refuses a request whose epoch is of another store. Throws: RequestError `conflict`. */
export function expectStore(wanted: string | undefined, { store }: Pick<EpochSource, 'store'>): void {
  if (wanted === undefined || wanted === store.id) return;
  throw new RequestError(
    'conflict',
    `${storeHeader}: expected ${store.id}, got ${JSON.stringify(wanted.slice(0, 100))}`,
    'Epochs of another store mean nothing here. Read from 0.',
    {},
    storeHeader,
  );
}
