import type { Vocabulary } from '@fuzzqe/core';
import type { EarlierIds } from './keep-split.ts';

/** For each id of the earlier graph the id that the changed graph has for the same key, or −1. Shapes: → entities [|E|], relations [|R|] of the earlier graph. */
export function laterIds(
  { entities, relations }: EarlierIds,
  { entityCount, relationCount }: Pick<Vocabulary, 'entityCount' | 'relationCount'>,
): EarlierIds {
  return { entities: turned(entities, entityCount), relations: turned(relations, relationCount) };
}

function turned(ids: Int32Array, count: number): Int32Array {
  const back = new Int32Array(count).fill(-1);
  ids.forEach((id, at) => {
    if (id >= 0) back[id] = at;
  });
  return back;
}
