import { FuzzError } from '../errors.ts';
import { allocateIn, isShared } from './adjacency.ts';
import { type KnowledgeGraph, openChangedGraph } from './knowledge-graph.ts';
import { writeOn } from './row-writer.ts';

/** Entities and relations for which arrays get room at once: a new index means that statistics are counted anew. */
const leastRoom = 64;

/**
 * The graph with more entities and relations, which have no facts yet; the graph before stays as it is.
 *
 * The arrays of the index by head and by relation may be longer than the graph has entities and relations.
 *
 * @throws FuzzError `data`: fewer than before, or an odd number of relations.
 */
export function grownGraph(
  before: KnowledgeGraph,
  {
    entityCount = before.entityCount,
    relationCount = before.relationCount,
  }: { readonly entityCount?: number | undefined; readonly relationCount?: number | undefined },
): KnowledgeGraph {
  if (entityCount === before.entityCount && relationCount === before.relationCount) return before;
  if (
    !(entityCount >= before.entityCount && relationCount >= before.relationCount && relationCount % 2 === 0)
  )
    throw new FuzzError(
      'data',
      `growth of a graph: expected at least ${before.entityCount} entities and an even number of at least ${before.relationCount} relations, got ${entityCount} and ${relationCount}`,
      { hint: 'Entities and relations keep their ids; facts can be removed.' },
    );
  const { index, rows } = before;
  const { headOffsets, relationOffsets } = index;
  const allocate = allocateIn(isShared(index.tails));
  /** Longer, with a value behind. */
  const longer = (values: Int32Array, length: number, value: number): Int32Array => {
    if (values.length >= length) return values;
    const copy = allocate(Math.max(length, values.length + Math.max(leastRoom, values.length >>> 4)));
    copy.set(values);
    copy.fill(value, values.length);
    return copy;
  };
  const heads = longer(headOffsets, entityCount + 1, headOffsets.at(-1)!);
  const relations = longer(relationOffsets, relationCount + 1, relationOffsets.at(-1)!);
  const isIndexed = heads === headOffsets && relations === relationOffsets;
  const grown = {
    ...rows,
    headStarts: longer(rows.headStarts, entityCount, 0),
    headEnds: longer(rows.headEnds, entityCount, 0),
    relationStarts: longer(rows.relationStarts, relationCount, 0),
    relationEnds: longer(rows.relationEnds, relationCount, 0),
  };
  writeOn(rows, grown);
  return openChangedGraph(
    {
      entityCount,
      relationCount,
      index: isIndexed ? index : { ...index, headOffsets: heads, relationOffsets: relations },
    },
    {
      rows: grown,
      edgeCount: before.edgeCount,
      confidences: before.confidences,
      validity: before.validity,
    },
  );
}
