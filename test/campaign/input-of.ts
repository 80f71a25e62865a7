import fc from 'fast-check';
import type { Door } from './door.ts';

/** The input with that index of a campaign with that seed: the same bytes everywhere. */
export function inputOf(
  { name, inputs }: Pick<Door, 'name' | 'inputs'>,
  seed: number,
  index: number,
): Uint8Array {
  const [input] = fc.sample(inputs, { seed: mixed(name, seed, index), numRuns: 1 });
  if (input === undefined) throw new Error(`${name}: expected an input, got none`);
  return input;
}

/** FNV-1a of the name and the numbers. */
function mixed(name: string, seed: number, index: number): number {
  let hash = 0x811c9dc5 | 0;
  for (const character of `${name} ${seed} ${index}`)
    hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  return hash;
}
