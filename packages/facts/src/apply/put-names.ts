import type { Engine } from '@fuzzqe/engine';
import type { FactBatch } from '../store/fact-store.ts';
import { createNetNames } from '../store/net-names.ts';
import { entityOfKey } from './fact-ids.ts';

/** Names of entities, gathered from batches in order. */
export interface PutNames {
  /** Takes the names of a batch. Throws: `vocabulary`, an entity that the graph lacks. */
  take(batch: Pick<FactBatch, 'names'>): void;
  /** Gives an engine the names, and begins anew. Throws: as `changeNames`. */
  end(): Promise<void>;
}

/** Gathers names for an engine. */
export function createPutNames({
  vocabulary,
  changeNames,
}: Pick<Engine, 'vocabulary' | 'changeNames'>): PutNames {
  let net = createNetNames();
  return {
    take({ names = [] }) {
      for (const { key } of names) entityOfKey(vocabulary.withoutNearNames, key);
      net.add(names);
    },
    async end() {
      const entities = net.all();
      net = createNetNames();
      if (entities.length > 0) await changeNames({ entities });
    },
  };
}
