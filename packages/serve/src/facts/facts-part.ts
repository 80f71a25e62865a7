import {
  type ApiContext,
  type ApiEnv,
  type ApiPart,
  limitsOf,
  lineTypes,
  RequestError,
  type WrittenFacts,
} from '@fuzzqe/api';
import { FuzzError, schema } from '@fuzzqe/core';
import type { ReadOptions } from '@fuzzqe/engine';
import type { FactBatch } from '@fuzzqe/facts';
import { epochHeader, type NamedChange } from '@fuzzqe/facts/apply';
import { type Context, Hono } from 'hono';
import { expectStore, storeHeader } from '../epochs/epoch-gate.ts';
import { declareFacts, idempotencyHeader, longestKey } from './facts-declarations.ts';
import { expectWriter, type LiveFacts } from './live-facts.ts';
import { addressFields, createsIn, factInAddress, sourceInAddress } from './one-fact.ts';
import { readChanges, readRemoval } from './read-changes.ts';

/** What answers `/v1/facts`. */
export interface FactsPartOptions {
  readonly facts: LiveFacts;
  /** Whether a caller may write: undefined if so, else what the caller needs, for people. */
  readonly refusalOf: (caller: unknown) => string | undefined;
}

/**
 * `/v1/facts`: `POST` adds and removes facts, `DELETE` removes facts, `GET` gives the changes since an epoch.
 *
 * @example
 * const facts = createLiveFacts(await openFactLog('facts'));
 * createApp(engine, { mount: [factsPart({ facts, refusalOf: () => undefined })] });
 */
export function factsPart({ facts, refusalOf }: FactsPartOptions): ApiPart {
  return {
    path: '/v1/facts',
    endpoints: {
      'POST /v1/facts': 'adds and removes recorded facts, which take effect at once',
      'DELETE /v1/facts': 'removes recorded facts, or with ?source= those of a source',
      'GET /v1/facts?head=&relation=&tail=': 'whether a fact is recorded, and where it comes from',
      'GET /v1/facts?since=':
        'the changes of facts since an epoch, one batch a line; with wait=SECONDS also the next changes',
    },
    declare: declareFacts,
    routes(context) {
      const routes = new Hono<ApiEnv>();
      const write = (read: typeof readChanges) => async (request: Context<ApiEnv>) => {
        const { by, idempotencyKey } = writerOf(request, { facts, refusalOf });
        const source = request.req.method === 'DELETE' ? sourceInAddress(request.req.raw) : undefined;
        if (source !== undefined)
          return written(context, request, facts, { changes: source, by, idempotencyKey });
        const changes = await read(request.req.raw, {
          batch: context.batch,
          time: limitsOf(request, context.timeout),
        });
        const create = request.req.method === 'POST' && createsIn(request.req.raw);
        return written(context, request, facts, { changes, by, idempotencyKey, create });
      };
      return routes
        .post('/', write(readChanges))
        .delete('/', write(readRemoval))
        .get('/', (request) => {
          const reading = readingOf(context, request);
          const fact = factInAddress(request.req.raw);
          return fact === undefined
            ? changesSince(context, request, facts)
            : oneFact(request, facts, fact, reading);
        });
    },
  };
}

/**
 * Who writes by a request, and with which idempotency key.
 *
 * @param path where the writer of a followed store takes such changes. Default: `/v1/facts`.
 * @throws RequestError `conflict`: the id of another store; `forbidden`: a caller who may not write. `misdirected`: a server that follows another server. FuzzError `usage`: the key.
 */
export function writerOf(
  request: Context<ApiEnv>,
  { facts, refusalOf }: FactsPartOptions,
  path?: string,
): Omit<Write, 'changes'> {
  const caller = request.get('caller');
  expectStore(request.req.header(storeHeader), facts);
  expectWriter(facts.store, path);
  const refusal = refusalOf(caller);
  if (refusal !== undefined)
    throw new RequestError('forbidden', 'facts: expected a caller who may write', refusal);
  const by = typeof caller === 'string' ? caller : undefined;
  return { by, idempotencyKey: idempotencyKeyOf(request, by) };
}

interface Write {
  /** Or the source whose facts go. */
  readonly changes: readonly NamedChange[] | string;
  readonly by: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly create?: boolean;
}

/** The limits within which a request looks for names. */
export function readingOf({ timeout, costLimit }: ApiContext, request: Context<ApiEnv>): ReadOptions {
  return { ...limitsOf(request, timeout), costLimit, onCost: () => undefined };
}

async function written(
  context: ApiContext,
  request: Context<ApiEnv>,
  facts: LiveFacts,
  { changes, by, idempotencyKey, create }: Write,
): Promise<Response> {
  const options = { by, idempotencyKey, reading: readingOf(context, request), create };
  const made = await (typeof changes === 'string'
    ? facts.removeSource(changes, options)
    : facts.write(changes, options));
  return answerWritten(request, facts, made);
}

/** Answers what a write came to, with the epoch in the headers. */
export function answerWritten(
  request: Context<ApiEnv>,
  facts: LiveFacts,
  written: Pick<WrittenFacts, 'epoch' | 'repeated'>,
): Response {
  const { repeated, ...counts } = written;
  tellEpoch(request, facts, counts.epoch);
  return request.json({ ...counts, ...(repeated ? { repeated } : {}) });
}

/** Puts the epoch and the id of the store into the headers of an answer. */
export function tellEpoch(request: Context<ApiEnv>, { store }: LiveFacts, epoch: number): void {
  request.header(epochHeader, `${epoch}`);
  request.header(storeHeader, store.id);
}

/** Whether a fact is recorded, and where it comes from. */
async function oneFact(
  request: Context<ApiEnv>,
  facts: LiveFacts,
  fact: NamedChange,
  reading: ReadOptions,
): Promise<Response> {
  expectStore(request.req.header(storeHeader), facts);
  return request.json(await facts.find(fact, reading));
}

/** Each writer has keys of its own. */
function idempotencyKeyOf(request: Context<ApiEnv>, by: string | undefined): string | undefined {
  const key = request.req.header(idempotencyHeader);
  if (key === undefined) return undefined;
  if (key.length === 0 || key.length > longestKey)
    throw new FuzzError(
      'usage',
      `${idempotencyHeader}: expected 1 to ${longestKey} characters, got ${key.length}`,
      { path: idempotencyHeader, hint: 'Send a UUID.' },
    );
  return by === undefined ? key : `${by} ${key}`;
}

async function changesSince(
  context: ApiContext,
  request: Context<ApiEnv>,
  facts: LiveFacts,
): Promise<Response> {
  expectStore(request.req.header(storeHeader), facts);
  const { since = ['0'], wait = ['0'], ...others } = request.req.queries();
  const [other] = Object.keys(others);
  const twice = since.length > 1 ? 'since' : wait.length > 1 ? 'wait' : undefined;
  if (other !== undefined || twice !== undefined)
    throw new FuzzError('usage', 'expected since and wait, each once at most', {
      path: other ?? twice ?? '',
      hint: 'For example ?since=0.',
    });
  const epoch = schema.parse(addressFields.since, since[0], { code: 'range', what: 'since', path: 'since' });
  const seconds = schema.parse(addressFields.wait, wait[0], { code: 'range', what: 'wait', path: 'wait' });
  // Refuses an epoch that the store does not have.
  facts.store.since(epoch);
  if (facts.store.epoch === epoch) await facts.until(epoch + 1, seconds * 1000, request.req.raw.signal);
  const last = facts.store.epoch;
  const batches = facts.store.since(epoch)[Symbol.asyncIterator]();
  const id = request.get('requestId');
  return request.body(
    linesOf(batches, (error) => context.onError(error, id, 'part')),
    200,
    {
      'content-type': lineTypes[0]!,
      'cache-control': 'no-store',
      [epochHeader]: `${last}`,
      [storeHeader]: facts.store.id,
    },
  );
}

/** Batches as lines of JSON, read as fast as the client reads; a fault breaks the answer off. */
function linesOf(
  batches: AsyncIterator<FactBatch>,
  onError: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await batches.next();
        if (done === true) return controller.close();
        // Keys of idempotency are the writer's own.
        const { idempotencyKey: _, ...batch } = value;
        controller.enqueue(encoder.encode(`${JSON.stringify(batch)}\n`));
      } catch (error) {
        onError(error);
        controller.error(error);
      }
    },
    async cancel() {
      await batches.return?.();
    },
  });
}
