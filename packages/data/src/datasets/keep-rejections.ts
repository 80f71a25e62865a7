import { sortDistinct } from '../triples/sort-triples.ts';
import type { Dataset } from './dataset.ts';
import { idsByKey } from './ids-by-key.ts';

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
  wasFact: (head: number, relation: number, tail: number) => boolean,
): KeptRejections {
  if (earlier.rejected === undefined && changed.rejected === undefined)
    return { rejected: undefined, judged: 0 };
  const { full } = changed.graphs();
  const isOpen = ([head, relation, tail]: Link): boolean => !full.has(head, relation, tail);
  const before = linksOf(earlier, changed);
  const after = changed.rejected === undefined ? before.filter(isOpen) : linksOf(changed, changed);
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

/** The rejected links of a data set, in ids of another one; without links whose names that data set lacks. */
function linksOf({ rejected = new Int32Array(), vocabulary }: Dataset, other: Dataset): Link[] {
  if (rejected.length === 0) return [];
  const { entities, relations } = idsByKey(other.vocabulary);
  const links: Link[] = [];
  for (let i = 0; i < rejected.length; i += 3) {
    const head = entities.get(vocabulary.entity(rejected[i]!).key);
    const relation = relations.get(vocabulary.relation(rejected[i + 1]!).key);
    const tail = entities.get(vocabulary.entity(rejected[i + 2]!).key);
    if (head !== undefined && relation !== undefined && tail !== undefined)
      links.push([head, relation, tail]);
  }
  return links;
}
