import type { KnowledgeGraph } from '../kg/knowledge-graph.ts';
import type { SetsState } from './answer-sets.ts';
import { newArrays } from './arrays.ts';
import type { LinkTails } from './link-tails.ts';
import { projectSet } from './project-set.ts';

/** Which tails of links sets follow from. */
export interface LikelyTails {
  /** About how many tails of each link from an anchor are judged. */
  readonly ofAnchors: number;
  /** The same of the links of a set's members, which are many. */
  readonly ofMembers: number;
  /** Entities that are judged in every link. */
  readonly also: Int32Array;
}

/**
 * A state whose sets follow from the best tails of links: the best entities of each set have the degrees of `LinkDegrees`, or close to them.
 *
 * What is listed for no link of a set has one degree, the background.
 */
export function tailSets(
  state: Omit<SetsState, 'links' | 'project'>,
  links: LinkTails,
  { ofAnchors, ofMembers, also }: LikelyTails,
): SetsState {
  const { facts, logic, projection, arrays = newArrays } = state;
  const { entityCount } = facts;
  /** The column of each entity that has one; 0 of others. */
  const columns = new Int32Array(entityCount);
  return {
    ...state,
    links: {
      async rows(heads, relations) {
        const rows = new Float32Array(heads.length * entityCount);
        for (const relation of new Set(relations)) {
          const at = [...heads.keys()].filter((i) => relations[i] === relation);
          const { ids, degrees, background } = await links.tails(
            Int32Array.from(at, (i) => heads[i]!),
            relation,
            { count: ofAnchors, also },
          );
          for (const [i, place] of at.entries()) {
            const row = rows.subarray(place * entityCount, (place + 1) * entityCount).fill(background[i]!);
            for (let e = 0; e < ids.length; e += 1) row[ids[e]!] = degrees[i * ids.length + e]!;
          }
        }
        return rows;
      },
    },
    async project({ set, members, relation }) {
      const { ids, degrees, background } = await links.tails(members.ids, relation, {
        count: ofMembers,
        also,
      });
      // Column 0 stands for every entity without a column.
      const all = withRecorded(facts, relation, ids, columns);
      const width = all.length + 1;
      const rows = Array.from(members.ids, (_, m) => {
        const row = arrays.take(width).fill(background[m]!);
        row.set(degrees.subarray(m * ids.length, (m + 1) * ids.length), 1);
        return row;
      });
      for (let i = 0; i < all.length; i += 1) columns[all[i]!] = i + 1;
      const projected = projectSet(logic, projection, facts, { set, members, rows, relation, columns });
      const whole = arrays.take(entityCount).fill(projected[0]!);
      for (let i = 0; i < all.length; i += 1) {
        whole[all[i]!] = projected[i + 1]!;
        columns[all[i]!] = 0;
      }
      return whole;
    },
  };
}

/** Some ids, and behind them the recorded tails of a relation that they lack. `marks` is 0 everywhere, and is again. */
function withRecorded(
  { rows }: Pick<KnowledgeGraph, 'rows'>,
  relation: number,
  ids: Int32Array,
  marks: Int32Array,
): Int32Array {
  const { relationStarts, relationEnds, relationHeads } = rows;
  const recorded = relationHeads.subarray(relationStarts[relation ^ 1]!, relationEnds[relation ^ 1]!);
  const all = new Int32Array(ids.length + recorded.length);
  all.set(ids);
  let count = ids.length;
  for (const id of ids) marks[id] = 1;
  for (const id of recorded) if (marks[id] === 0) all[count++] = id;
  for (const id of ids) marks[id] = 0;
  return all.subarray(0, count);
}
