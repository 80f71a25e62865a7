import type { AttributeChange } from '@fuzzqe/names';
import type { EntityNames } from './entity-names.ts';

/** The last label, aliases and values of each attribute of entities. */
export interface NetNames {
  readonly size: number;
  add(names: readonly EntityNames[]): void;
  /** Each entity once. */
  all(): readonly EntityNames[];
}

/**
 * Gathers names of entities from batches in order.
 *
 * @example
 * const store = createMemoryFacts();
 * const net = createNetNames();
 * for await (const { names = [] } of store.since(0)) net.add(names);
 * await engine.changeNames({ entities: net.all() });
 */
export function createNetNames(): NetNames {
  const last = new Map<string, Omit<EntityNames, 'attributes'>>();
  const attributesOf = new Map<string, Map<string, AttributeChange>>();
  return {
    get size() {
      return last.size;
    },
    add(names) {
      for (const { attributes = [], ...named } of names) {
        const { key } = named;
        last.set(key, { ...last.get(key), ...named });
        const ofEntity = attributesOf.get(key) ?? new Map<string, AttributeChange>();
        for (const attribute of attributes) ofEntity.set(attribute.key, attribute);
        if (ofEntity.size > 0) attributesOf.set(key, ofEntity);
      }
    },
    all: () =>
      Array.from(last, ([key, named]) => {
        const attributes = attributesOf.get(key);
        return attributes === undefined ? named : { ...named, attributes: [...attributes.values()] };
      }),
  };
}
