import { createMemoryFacts } from '@fuzzqe/facts';
import { expect, it } from 'vitest';
import { createLiveFacts, type LiveFacts } from './live-facts.ts';
import { updatableFacts } from './updatable-facts.ts';

const change = (head: string) => [{ does: 'add', head, relation: 'r', tail: 't', place: 'here' }] as const;

/** Facts whose writes end when a test says so, and what happened to them. */
function heldFacts() {
  const events: string[] = [];
  const held: (() => void)[] = [];
  const store = createMemoryFacts();
  const live: LiveFacts = {
    ...createLiveFacts(store),
    store,
    follow: async () => undefined,
    close: async () => undefined,
    async write([first]) {
      events.push(`begin ${first!.head}`);
      await new Promise<void>((resolve) => held.push(resolve));
      events.push(`end ${first!.head}`);
      if (first!.head === 'bad') throw new Error('refused');
      return { epoch: 1, added: 1, removed: 0, unchanged: 0, repeated: false };
    },
  };
  const release = async (): Promise<void> => {
    for (let i = 0; i < 20; i++) await Promise.resolve();
    for (const each of held.splice(0)) each();
    for (let i = 0; i < 20; i++) await Promise.resolve();
  };
  return { facts: updatableFacts(live), events, release };
}

it('keeps writes out between what an update reads and what it writes', async () => {
  const { facts, events, release } = heldFacts();
  const all = [facts.write(change('a')), facts.write(change('b'))];
  const update = (name: string) =>
    facts.update(async () => {
      events.push(`read ${name}`);
      return change(name);
    });
  all.push(update('u'), facts.write(change('c')), update('v'), facts.write(change('d')));
  for (let i = 0; i < 6; i++) await release();
  await Promise.all(all);
  const block = (name: string): string[] => [`read ${name}`, `begin ${name}`, `end ${name}`];
  expect(events).toEqual([
    // Writes without an update go on together.
    ...['begin a', 'begin b', 'end a', 'end b'],
    ...block('u'),
    ...['begin c', 'end c'],
    ...block('v'),
    ...['begin d', 'end d'],
  ]);
});

it('goes on after an update or a write that fails', async () => {
  const { facts, events, release } = heldFacts();
  const failed = [
    facts.write(change('bad')),
    facts.update(() => Promise.reject(new Error('unread'))),
    facts.update(async () => change('bad')),
  ];
  const last = facts.write(change('last'));
  const outcomes = Promise.allSettled(failed);
  for (let i = 0; i < 5; i++) await release();
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(await last).toMatchObject({ epoch: 1 });
  expect(events.at(-1)).toBe('end last');
});

it('writes nothing for an update without changes, with the epoch of the store', async () => {
  const { facts, events } = heldFacts();
  expect(await facts.update(async () => [])).toEqual({
    epoch: 0,
    added: 0,
    removed: 0,
    unchanged: 0,
    repeated: false,
  });
  expect(events).toEqual([]);
});
