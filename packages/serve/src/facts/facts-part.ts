import { FuzzError, schema } from '@fuzzqe/core';
import {
  type ApiContext,
  type ApiEnv,
  type ApiPart,
  limitsOf,
  lineTypes,
  RequestError,
} from '@fuzzqe/engine/api';
import type { FactBatch } from '@fuzzqe/facts';
import { type Context, Hono } from 'hono';
import { factsOpenApi } from './facts-openapi.ts';
import type { LiveFacts } from './live-facts.ts';
import type { NamedChange } from './name-facts.ts';
import { readChanges, readRemoval } from './read-changes.ts';

/** What answers `/v1/facts`. */
export interface FactsPartOptions {
  readonly facts: LiveFacts;
  /** Whether a caller may write: undefined if so, else what the caller needs, for people. */
  readonly refusalOf: (caller: unknown) => string | undefined;
}

/** The header with the epoch of the store. */
export const epochHeader = 'fuzzqe-epoch';
/** The header with the id of the store, in answers and, if wanted, in requests. */
export const storeHeader = 'fuzzqe-store';
const idempotencyHeader = 'idempotency-key';

/**
 * `/v1/facts`: `POST` adds and removes facts, `DELETE` removes one, `GET` gives the changes since an epoch.
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
      'DELETE /v1/facts': 'removes one recorded fact',
      'GET /v1/facts?since=': 'the changes of facts since an epoch, one batch a line',
    },
    openapi: factsOpenApi,
    routes(context) {
      const routes = new Hono<ApiEnv>();
      const write = (read: typeof readChanges) => async (request: Context<ApiEnv>) => {
        const { by, idempotencyKey } = writerOf(request, { facts, refusalOf });
        const changes = await read(request.req.raw, {
          batch: context.batch,
          time: limitsOf(request, context.timeout),
        });
        return written(context, request, facts, { changes, by, idempotencyKey });
      };
      return routes
        .post('/', write(readChanges))
        .delete('/', write(readRemoval))
        .get('/', (request) => changesSince(context, request, facts));
    },
  };
}

/**
 * Who writes by a request, and with which idempotency key.
 *
 * @throws RequestError `conflict`: the id of another store; `forbidden`: a caller who may not write. FuzzError `usage`: the key.
 */
export function writerOf(
  request: Context<ApiEnv>,
  { facts, refusalOf }: FactsPartOptions,
): Omit<Write, 'changes'> {
  const caller = request.get('caller');
  expectStore(request, facts);
  const refusal = refusalOf(caller);
  if (refusal !== undefined)
    throw new RequestError('forbidden', 'facts: expected a caller who may write', refusal);
  const by = typeof caller === 'string' ? caller : undefined;
  return { by, idempotencyKey: idempotencyKeyOf(request, by) };
}

interface Write {
  readonly changes: readonly NamedChange[];
  readonly by: string | undefined;
  readonly idempotencyKey: string | undefined;
}

async function written(
  { timeout, costLimit }: ApiContext,
  request: Context<ApiEnv>,
  facts: LiveFacts,
  { changes, by, idempotencyKey }: Write,
): Promise<Response> {
  const reading = { ...limitsOf(request, timeout), costLimit, onCost: () => undefined };
  const { repeated, ...counts } = await facts.write(changes, { by, idempotencyKey, reading });
  tellEpoch(request, facts, counts.epoch);
  return request.json({ ...counts, ...(repeated ? { repeated } : {}) });
}

/** Puts the epoch and the id of the store into the headers of an answer. */
export function tellEpoch(request: Context<ApiEnv>, { store }: LiveFacts, epoch: number): void {
  request.header(epochHeader, `${epoch}`);
  request.header(storeHeader, store.id);
}

const longestKey = 128;

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

/** Refuses a request whose epoch is of another store. */
function expectStore(request: Context<ApiEnv>, { store }: LiveFacts): void {
  const wanted = request.req.header(storeHeader);
  if (wanted === undefined || wanted === store.id) return;
  throw new RequestError(
    'conflict',
    `${storeHeader}: expected ${store.id}, got ${JSON.stringify(wanted.slice(0, 100))}`,
    'Epochs of another store mean nothing here. Read from 0.',
    {},
    storeHeader,
  );
}

const epochText = schema.integerText({ min: 0 });

function changesSince(context: ApiContext, request: Context<ApiEnv>, facts: LiveFacts): Response {
  expectStore(request, facts);
  const [since = '0', ...more] = request.req.queries('since') ?? [];
  const [other] = Object.keys(request.req.query()).filter((name) => name !== 'since');
  if (other !== undefined || more.length > 0)
    throw new FuzzError('usage', `expected the parameter since, once, got ${other ?? 'it more often'}`, {
      path: other ?? 'since',
      hint: 'For example ?since=0.',
    });
  const epoch = schema.parse(epochText, since, { code: 'range', what: 'since' });
  const batches = facts.store.since(epoch)[Symbol.asyncIterator]();
  const id = request.get('requestId');
  return request.body(
    linesOf(batches, (error) => context.onError(error, id, 'part')),
    200,
    {
      'content-type': lineTypes[0]!,
      'cache-control': 'no-store',
      [epochHeader]: `${facts.store.epoch}`,
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
