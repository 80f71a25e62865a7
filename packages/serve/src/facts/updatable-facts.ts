import type { FactsAccess } from '@fuzzqe/api';
import type { LiveFacts } from './live-facts.ts';

/** Facts whose writes an update keeps out. */
export interface UpdatableFacts extends LiveFacts {
  readonly update: FactsAccess['update'];
}

/**
 * Facts that take updates: an update reads the facts and writes, and no other write comes between.
 *
 * Other writes go on together. An update waits for the writes before it, and the writes after it wait for the update.
 */
export function updatableFacts(live: LiveFacts): UpdatableFacts {
  let underWay = new Set<Promise<unknown>>();
  let lastUpdate: Promise<unknown> = Promise.resolve();
  const written = <T>(write: () => Promise<T>): Promise<T> => {
    const result = lastUpdate.then(write);
    const settled = result.catch(() => undefined).finally(() => underWay.delete(settled));
    underWay.add(settled);
    return result;
  };
  const update: UpdatableFacts['update'] = (read, options) => {
    const before = Promise.all([lastUpdate, ...underWay]);
    underWay = new Set();
    const result = before.then(async () => {
      const changes = await read();
      if (changes.length > 0) return live.write(changes, options);
      return { epoch: live.epoch, added: 0, removed: 0, unchanged: 0, repeated: false };
    });
    lastUpdate = result.catch(() => undefined);
    return result;
  };
  const own: Pick<UpdatableFacts, 'write' | 'removeSource' | 'rename' | 'update'> = {
    write: (changes, options) => written(() => live.write(changes, options)),
    rename: (changes, options) => written(() => live.rename(changes, options)),
    removeSource: (source, options) => written(() => live.removeSource(source, options)),
    update,
  };
  // All else is what the facts say now, which a copy would not follow.
  return Object.assign(Object.create(live) as LiveFacts, own);
}
