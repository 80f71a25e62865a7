import { FuzzError, forwardFact, messageOf } from '@fuzzqe/core';
import type { Engine, FactsChanged } from '@fuzzqe/engine';
import type { FactBatch } from '../store/fact-store.ts';
import { createKeys } from './create-keys.ts';
import { createNetIds, type NetIds } from './fact-ids.ts';
import { createProvenanceIndex, type ProvenanceIndex } from './provenance-index.ts';
import { createPutNames, type PutNames } from './put-names.ts';

/** A batch as engines take it. */
export type AppliedBatch = Omit<FactBatch, 'idempotencyKey'>;

/** How many facts of its graph a batch added and removed, and how many links it rejected. */
export type Counts = Omit<FactsChanged, 'epoch'>;

/** Which batches are replayed, and in which steps. */
export interface Replayed {
  /** The last epoch. */
  readonly to: number;
  /** How many facts one step changes at least, if there are as many. */
  readonly atOnce: number;
}

/** An engine, and the facts of a store that it was brought to. */
export interface EngineFacts {
  readonly engine: Engine;
  /** By the ids of the engine. */
  readonly provenance: Omit<ProvenanceIndex, 'take'>;
  /**
   * Applies stored batches: only the last change of a fact, and of a part of the names of an entity, counts.
   *
   * @throws FuzzError `data`: the graph lacks a name of a batch, with the epoch. As `changeFacts` of an engine.
   */
  replay(batches: AsyncIterable<AppliedBatch>, replayed: Replayed): Promise<void>;
  /**
   * Applies batches in one step, and counts what each changed.
   *
   * @throws FuzzError: as `replay`; then no fact has changed.
   */
  change(batches: readonly AppliedBatch[]): Promise<readonly Counts[]>;
}

/**
 * Follows an engine: from then on, it tells where the facts of the batches come from.
 *
 * @example
 * const facts = engineFacts(engine);
 * const france = { head: 'France', relation: 'borders', tail: 'Spain' };
 * await facts.change([{ epoch: 1, at: '2026-11-28T12:00:00Z', changes: [{ does: 'add', ...france }] }]);
 */
export function engineFacts(engine: Engine): EngineFacts {
  const provenance = createProvenanceIndex();
  engine.tellProvenance((...fact) => provenance.of(forwardFact(...fact)));
  return {
    engine,
    provenance,
    async replay(batches, { to, atOnce }) {
      let net = createNetIds(engine, provenance);
      const names = createPutNames(engine);
      const apply = async (): Promise<unknown> => net.size > 0 && engine.changeFacts(net.end());
      let last = 0;
      for await (const batch of batches) {
        // Compaction may have joined later batches with this one.
        if (last >= to) break;
        last = batch.epoch;
        if (batch.creates !== undefined) {
          await apply();
          await createKeys(engine, [batch]);
          net = createNetIds(engine, provenance);
        }
        takeInto(net, names, batch);
        if (net.size >= atOnce) await apply();
      }
      await names.end();
      await apply();
    },
    async change(batches) {
      await createKeys(engine, batches);
      const net = createNetIds(engine, provenance);
      const names = createPutNames(engine);
      const all = batches.map((batch) => {
        takeInto(net, names, batch);
        return net.end();
      });
      await names.end();
      return Promise.all(all.map((changes) => engine.changeFacts(changes)));
    },
  };
}

/** Throws: `data`. */
function takeInto(net: NetIds, names: PutNames, batch: AppliedBatch): void {
  try {
    net.take(batch);
    names.take(batch);
  } catch (cause) {
    throw new FuzzError('data', `facts of epoch ${batch.epoch}: ${messageOf(cause)}`, {
      hint: 'Serve a bundle whose graph has these names, or another store of facts.',
      cause,
    });
  }
}
