/** How the rows of every level of a batch are sorted by relation: what `groupedProjection` is fed with. */
export interface RowGrouping {
  /** The relation of each group [groups]. A relation with many rows has several groups. */
  readonly relations: Int32Array;
  readonly levels: readonly LevelGrouping[];
}

/** One level's rows in their groups. */
export interface LevelGrouping {
  /** Places in each group. */
  readonly capacity: number;
  /** [groups, capacity]: the row at each place, or the number of rows where a place is empty. */
  readonly rows: Int32Array;
  /** [rows]: the place of each row, `group·capacity + position`. */
  readonly places: Int32Array;
}

const capacities = [2, 4, 8, 16, 32, 64, 128];

/**
 * Sorts the rows of every level by relation into groups that share one `W_r` each.
 *
 * Forming a group's W_r costs `K·d²`, a place costs `d²` whether it is filled or not, so the capacities are those
 * with the smallest `groups·(K + Σ capacity)`. `levels[h][i]` is the relation of row i on level h.
 */
export function groupRows(levels: readonly Int32Array[], relationCount: number, bases: number): RowGrouping {
  const counts = levels.map((relations) => {
    const count = new Int32Array(relationCount);
    for (const relation of relations) count[relation]! += 1;
    return count;
  });
  const used = Array.from({ length: relationCount }, (_, r) => r).filter((r) =>
    counts.some((c) => c[r]! > 0),
  );
  const groupsOf = (relation: number, capacity: readonly number[]): number => {
    let most = 0;
    for (let h = 0; h < counts.length; h += 1)
      most = Math.max(most, Math.ceil(counts[h]![relation]! / capacity[h]!));
    return most;
  };
  const capacity = cheapest(levels.length, (candidate) => {
    let groups = 0;
    for (const relation of used) groups += groupsOf(relation, candidate);
    return groups * (bases + candidate.reduce((sum, c) => sum + c, 0));
  });

  const first = new Int32Array(relationCount);
  const relations: number[] = [];
  for (const relation of used) {
    first[relation] = relations.length;
    for (let i = groupsOf(relation, capacity); i > 0; i -= 1) relations.push(relation);
  }
  return {
    relations: Int32Array.from(relations),
    levels: levels.map((level, h) => placeRows(level, first, relations.length, capacity[h]!)),
  };
}

function placeRows(level: Int32Array, first: Int32Array, groups: number, capacity: number): LevelGrouping {
  const rows = new Int32Array(groups * capacity).fill(level.length);
  const places = new Int32Array(level.length);
  const filled = new Int32Array(first.length);
  level.forEach((relation, row) => {
    const place = first[relation]! * capacity + filled[relation]!;
    filled[relation]! += 1;
    rows[place] = row;
    places[row] = place;
  });
  return { capacity, rows, places };
}

/** The capacities with the smallest cost, improved one level at a time until none changes. */
function cheapest(levels: number, cost: (capacity: readonly number[]) => number): number[] {
  const best = new Array<number>(levels).fill(16);
  let lowest = cost(best);
  for (let changed = true; changed; ) {
    changed = false;
    for (let level = 0; level < levels; level += 1)
      for (const candidate of capacities) {
        const kept = best[level]!;
        best[level] = candidate;
        const price = cost(best);
        if (price < lowest) {
          lowest = price;
          changed = true;
        } else best[level] = kept;
      }
  }
  return best;
}
