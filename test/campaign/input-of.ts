import fc from 'fast-check';
import type { Door } from './door.ts';
import { jsonSigns, type Mutation, mutations } from './mutations.ts';

/** So many inputs are made at once, which takes less time than one by one. */
const together = 64;
/** Of a door that varies its inputs: how many come of one, itself included. */
const ofOne = 4;

type Source = Pick<Door, 'name' | 'inputs' | 'vary'>;
let last: { readonly key: string; readonly inputs: readonly Uint8Array[] } | undefined;
let changes: readonly (readonly Mutation[])[] | undefined;

/** The input with that index of a campaign with that seed: the same bytes everywhere. */
export function inputOf({ name, inputs, vary }: Source, seed: number, index: number): Uint8Array {
  const key = `${name} ${seed} ${Math.floor(index / together)}`;
  if (last?.key !== key) {
    const numRuns = vary === undefined ? together : together / ofOne;
    last = { key, inputs: fc.sample(inputs, { seed: fnv1a(key), numRuns }) };
  }
  const place = index % together;
  const input = last.inputs[vary === undefined ? place : Math.floor(place / ofOne)];
  if (input === undefined) throw new Error(`${name}: expected an input, got none`);
  return vary === undefined || place % ofOne === 0 ? input : vary(input, someChanges(`${key} ${place}`));
}

/** Changes that the text chooses among some that are the same everywhere. */
function someChanges(text: string): readonly Mutation[] {
  changes ??= fc
    .sample(mutations([...jsonSigns, 'e1', 'r0', 'and(', 'not(', '\\u0000', '%00', '__proto__']), {
      seed: 1,
      numRuns: 4096,
    })
    .filter(({ length }) => length > 0);
  return changes[(fnv1a(text) >>> 0) % changes.length]!;
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5 | 0;
  for (const character of text) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  return hash;
}
