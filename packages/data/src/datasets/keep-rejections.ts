import { sortDistinct } from '../triples/sort-triples.ts';
import type { Dataset } from './dataset.ts';
import type { EarlierIds } from './keep-split.ts';
import { laterIds } from './later-ids.ts';

/** Which links of a changed graph are rejected. */
export interface KeptRejections {
  /** Flat h, r, t, sorted; undefined if no link is rejected. */
  readonly rejected: Int32Array | undefined;
  /** Links that are a fact of neither graph and were rejected, or whose rejection was taken back. */
  readonly judged: number;
}

/**
 * The rejected links that a changed graph comes with; if it says nothing of them, the earlier rejections of links that are no facts now.
 *
 * `wasFact` says of ids of the changed graph whether the earlier graph has the fact.
 */
export function keepRejections(
  earlier: Dataset,
  changed: Dataset,
  ids: EarlierIds,
  wasFact: (head: number, relation: number, tail: number) => boolean,
): KeptRejections {
  if (earlier.rejected === undefined && changed.rejected === undefined)
    return { rejected: undefined, judged: 0 };
  const { full } = changed.graphs();
  const isOpen = ([head, relation, tail]: Link): boolean => !full.has(head, relation, tail);
  const { entities, relations } = laterIds(ids, earlier.vocabulary);
  const before = linksOf(earlier)
    .map(([head, relation, tail]): Link => [entities[head]!, relations[relation]!, entities[tail]!])
    // Names that the changed graph lacks have no rejections.
    .filter((link) => link.every((id) => id >= 0));
  const after = changed.rejected === undefined ? before.filter(isOpen) : linksOf(changed);
  const [was, is] = [before, after].map((links) => new Set(links.map((link) => link.join(' '))));
  const came = after.filter((link) => !was!.has(link.join(' ')) && !wasFact(...link));
  const went = before.filter((link) => !is!.has(link.join(' ')) && isOpen(link));
  return {
    rejected:
      after.length === 0
        ? undefined
        : sortDistinct(Int32Array.from(after.flat()), changed.vocabulary.entityCount),
    judged: came.length + went.length,
  };
}

type Link = readonly [head: number, relation: number, tail: number];

function linksOf({ rejected = new Int32Array() }: Dataset): Link[] {
  return Array.from({ length: rejected.length / 3 }, (_, i) => [
    rejected[3 * i]!,
    rejected[3 * i + 1]!,
    rejected[3 * i + 2]!,
  ]);
}
