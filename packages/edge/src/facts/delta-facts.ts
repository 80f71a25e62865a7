import { modesOf } from '@fuzzqe/bundle';
import { FuzzError, isPassing } from '@fuzzqe/core';
import {
  atLeast,
  changeable,
  checkForms,
  checkOptions,
  type Engine,
  has,
  type OptionForm,
} from '@fuzzqe/engine';
import {
  atLeastHeader,
  engineFacts,
  epochHeader,
  epochNotThere,
  type FactBatch,
  readDelta,
  wantedEpoch,
} from '@fuzzqe/facts/apply';
import type { DeltaPlace } from './delta-place.ts';
import type { EdgeFacts, FollowedFacts, Following } from './edge-facts.ts';

/** How a delta is followed. */
export interface DeltaOptions {
  /** After how many milliseconds a request has the place looked at again. Default 60 000; 0 looks for each request. */
  readonly every?: number;
}

const forms: Readonly<Record<keyof DeltaOptions, OptionForm>> = { every: atLeast(0) };
const placeForm: OptionForm = ['a place of changes', (value) => has(value, 'read')];

/** Bytes of memory that a byte of changes takes: up to 3.3 were measured with provenance, and reading takes as many again. */
const perDeltaByte = 6;

/** Milliseconds after which what could not be read or taken is tried again. */
const pause = 1000;

/**
 * Has an application answer by the facts of its bundle and the changes that lie at a place.
 *
 * The first request reads the changes. Later the place is looked at once `every` has passed: requests are answered meanwhile by the facts so far.
 * A request with `fuzzqe-at-least` for a later epoch looks at once, and gets 503 if that epoch is not there.
 *
 * @throws FuzzError `usage`: no place, or another option.
 * @example
 * const facts = deltaFacts(r2Delta({ get: async () => null }, 'countries.ndjson'), { every: 10_000 });
 */
export function deltaFacts(place: DeltaPlace, options: DeltaOptions = {}): EdgeFacts {
  checkOptions(options, forms);
  checkForms({ place: place ?? null }, { place: placeForm }, 'usage', '$', 'As kvDelta(NAMESPACE, key).');
  const { every = 60_000 } = options;
  return {
    changeable(bundle) {
      if (modesOf(bundle.manifest).includes('sets')) return changeable(bundle);
      throw new FuzzError(
        'usage',
        `facts: expected a bundle with facts, got ${bundle.manifest.name} without`,
        {
          hint: 'Export the bundle with facts, or leave out `facts`.',
        },
      );
    },
    follow: (engine, following) => followDelta(engine, place, every, following),
  };
}

function followDelta(engine: Engine, place: DeltaPlace, every: number, following: Following): FollowedFacts {
  const { onError, share, room } = following;
  const facts = engineFacts(engine);
  let version: string | undefined;
  let epoch = 0;
  let isOpen = false;
  let failure: unknown;
  /** When the place was looked at last, and when it is looked at next. */
  let [lastLook, nextLook] = [0, 0];
  const isDue = (): boolean => {
    const now = Date.now();
    // A clock that ran backwards says nothing of the time since then.
    return now >= nextLook || now < lastLook;
  };
  let looking: Promise<void> | undefined;

  const take = async (body: ReadableStream<Uint8Array>): Promise<void> => {
    let last = 0;
    const after = epoch;
    const later = async function* (): AsyncGenerator<FactBatch> {
      for await (const batch of readDelta(chunksOf(body, place, room), place.name)) {
        last = batch.epoch;
        if (last > after) yield batch;
      }
    };
    if (isOpen) {
      const batches: FactBatch[] = [];
      for await (const batch of later()) batches.push(batch);
      // All in one epoch of the engine, so that no answer has half of a delta.
      if (batches.length > 0) await facts.change(batches);
    } else await facts.replay(later(), { to: Number.POSITIVE_INFINITY, atOnce: 1_000_000 });
    if (last < epoch)
      throw new FuzzError('data', `facts: expected epoch ${epoch} or later, got ${last}`, {
        path: place.name,
        hint: 'Publish the newest changes of this store. Answers go on by the facts so far.',
      });
    epoch = last;
    // Answers wait for no vector; the platform lets the work go on after them.
    void share(engine.folded()).catch(() => undefined);
  };
  const look = async (): Promise<void> => {
    try {
      const found = await place.read(version);
      if (found?.body !== undefined) {
        await take(found.body).catch((cause: unknown) => {
          // A delta that cannot be taken is not read again as long as it is the same.
          if (isOpen && !isPassing(cause)) version = found.version;
          throw cause;
        });
        version = found.version;
      } else if (found === undefined && epoch > 0)
        throw new FuzzError('data', `facts: expected changes up to epoch ${epoch}, got none`, {
          path: place.name,
          hint: 'Publish them again. Answers go on by the facts so far.',
        });
      isOpen = true;
      failure = undefined;
      lastLook = Date.now();
      nextLook = lastLook + every;
    } catch (cause) {
      failure = asFault(cause, place);
      lastLook = Date.now();
      nextLook = lastLook + Math.max(pause, isPassing(failure) ? 0 : every);
      throw failure;
    }
  };
  const lookNow = (): Promise<void> => {
    looking ??= share(look()).finally(() => {
      looking = undefined;
    });
    return looking;
  };
  const opened = async (): Promise<void> => {
    if (isOpen) return;
    if (looking === undefined && failure !== undefined && !isDue()) throw failure;
    await lookNow();
  };
  const ready = async (wanted: string | undefined): Promise<void> => {
    const least = wanted === undefined ? 0 : wantedEpoch(wanted);
    await opened();
    if (epoch < least) await lookNow();
    else if (isDue()) lookNow().catch((cause: unknown) => onError(cause, crypto.randomUUID(), 'part'));
    if (epoch >= least) return;
    throw epochNotThere(least, epoch);
  };
  return {
    opened,
    async middleware(context, next) {
      await ready(context.req.header(atLeastHeader));
      context.header(epochHeader, `${epoch}`);
      await next();
    },
  };
}

/** What a place throws passes, unless it is an error that says otherwise. */
function asFault(cause: unknown, { name }: DeltaPlace): unknown {
  if (cause instanceof FuzzError) return cause;
  return new FuzzError('runtime', 'facts: the changes cannot be read', { path: name, passing: true, cause });
}

/** The parts of a stream, which older runtimes do not iterate. Throws: `data`, a stream that takes more memory than there is. */
async function* chunksOf(
  body: ReadableStream<Uint8Array>,
  { name }: DeltaPlace,
  room: number,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  let bytes = 0;
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      bytes += value.byteLength;
      if (perDeltaByte * bytes > room)
        throw new FuzzError(
          'data',
          `facts: expected at most ${Math.floor(room / perDeltaByte)} bytes of changes, got more`,
          {
            path: name,
            hint: 'Compact the changes, refresh the bundle with them, or raise memoryLimit.',
          },
        );
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
