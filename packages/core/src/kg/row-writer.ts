import { allocateIn, isShared } from './adjacency.ts';
import { type FactRows, findGroup, rowsOf } from './fact-rows.ts';
import type { KnowledgeGraph } from './knowledge-graph.ts';

/** Edges of a change, flat h, r, t in ascending order, each once and in both directions. */
type Edges = Int32Array;

/** How many groups, tails and heads of relations are used. */
interface Used {
  groups: number;
  tails: number;
  heads: number;
}

/** Arrays that have room for the rows of further changes. */
interface Store {
  readonly used: Used;
  /** The rows that were written last: only they may be written on. */
  latest: FactRows;
}

/** By the rows that were written into them. */
const stores = new WeakMap<FactRows, Store>();

/** The least room for further changes. */
const leastRoom = 2 ** 12;

/** Writes the rows of a graph after changes. */
export class RowWriter {
  readonly #rows: FactRows;
  readonly #store: Store;
  readonly #gained = new Map<number, number[]>();
  readonly #lost = new Map<number, number[]>();
  #more = 0;
  #fewer = 0;

  constructor(before: KnowledgeGraph, changes: readonly Edges[]) {
    const needed = roomFor(before.rows, changes);
    const store = stores.get(before.rows);
    const hasRoom = store?.latest === before.rows && fits(before.rows, store.used, needed);
    const from = hasRoom ? before.rows : copyOf(before, needed);
    this.#store = hasRoom ? store : stores.get(from)!;
    this.#rows = {
      ...from,
      headStarts: copied(from.headStarts),
      headEnds: copied(from.headEnds),
      relationStarts: copied(from.relationStarts),
      relationEnds: copied(from.relationEnds),
    };
  }

  /** Writes the groups of a head; `added` and `removed` are the edges of this head. */
  writeHead(head: number, added: Edges, removed: Edges): void {
    const rows = this.#rows;
    const { used } = this.#store;
    const start = used.groups;
    let group = rows.headStarts[head]!;
    const end = rows.headEnds[head]!;
    let isChanged = false;
    for (let [a, r] = [0, 0]; a < added.length || r < removed.length; ) {
      const relation = Math.min(added[a + 1] ?? Infinity, removed[r + 1] ?? Infinity);
      const [aEnd, rEnd] = [endOf(added, a, 'relation', relation), endOf(removed, r, 'relation', relation)];
      while (group < end && rows.groupRelations[group]! < relation) this.#copyGroup(group++);
      const isThere = group < end && rows.groupRelations[group] === relation;
      const begin = used.tails;
      const changes = this.#merge(isThere ? group : -1, added.subarray(a, aEnd), removed.subarray(r, rEnd));
      if (changes === 0) {
        used.tails = begin;
        if (isThere) this.#copyGroup(group);
      } else {
        isChanged = true;
        if (used.tails > begin) this.#writeGroup(relation, begin, used.tails);
        if (!isThere) note(this.#gained, relation, head);
        else if (used.tails === begin) note(this.#lost, relation, head);
      }
      if (isThere) group += 1;
      [a, r] = [aEnd, rEnd];
    }
    if (!isChanged) {
      used.groups = start;
      return;
    }
    while (group < end) this.#copyGroup(group++);
    rows.headStarts[head] = start;
    rows.headEnds[head] = used.groups;
  }

  /** The rows, and how many edges they have more and fewer; nothing may be written afterwards. */
  finish(): { readonly rows: FactRows; readonly more: number; readonly fewer: number } {
    for (const relation of new Set([...this.#gained.keys(), ...this.#lost.keys()]))
      this.#writeHeads(relation, this.#gained.get(relation) ?? [], this.#lost.get(relation) ?? []);
    // Rows without a change stay the rows before, which are written on.
    if (this.#more + this.#fewer > 0) {
      this.#store.latest = this.#rows;
      stores.set(this.#rows, this.#store);
    }
    return { rows: this.#rows, more: this.#more, fewer: this.#fewer };
  }

  #copyGroup(group: number): void {
    const { groupRelations, groupStarts, groupEnds } = this.#rows;
    this.#writeGroup(groupRelations[group]!, groupStarts[group]!, groupEnds[group]!);
  }

  #writeGroup(relation: number, start: number, end: number): void {
    const { groupRelations, groupStarts, groupEnds } = this.#rows;
    const place = this.#store.used.groups++;
    groupRelations[place] = relation;
    groupStarts[place] = start;
    groupEnds[place] = end;
  }

  /** Writes the tails of a group without those of `removed` and with those of `added`; gives how many come and go. */
  #merge(group: number, added: Edges, removed: Edges): number {
    const { groupStarts, groupEnds, tails } = this.#rows;
    const { used } = this.#store;
    let place = group < 0 ? 0 : groupStarts[group]!;
    const end = group < 0 ? 0 : groupEnds[group]!;
    let [a, r, more, fewer] = [2, 2, 0, 0];
    while (place < end || a < added.length) {
      const old = place < end ? tails[place]! : Infinity;
      const one = added[a] ?? Infinity;
      if (one <= old) {
        tails[used.tails++] = one;
        a += 3;
        if (one === old) place += 1;
        else more += 1;
        continue;
      }
      while ((removed[r] ?? Infinity) < old) r += 3;
      if (removed[r] === old) fewer += 1;
      else tails[used.tails++] = old;
      place += 1;
    }
    this.#more += more;
    this.#fewer += fewer;
    return more + fewer;
  }

  /** Writes the heads of a relation; `gained` and `lost` are ascending. */
  #writeHeads(relation: number, gained: readonly number[], lost: readonly number[]): void {
    const { relationStarts, relationEnds, relationHeads } = this.#rows;
    const { used } = this.#store;
    const start = used.heads;
    const end = relationEnds[relation]!;
    let [g, l] = [0, 0];
    for (let place = relationStarts[relation]!; place < end; place += 1) {
      const head = relationHeads[place]!;
      while (g < gained.length && gained[g]! < head) relationHeads[used.heads++] = gained[g++]!;
      if (lost[l] === head) l += 1;
      else relationHeads[used.heads++] = head;
    }
    while (g < gained.length) relationHeads[used.heads++] = gained[g++]!;
    relationStarts[relation] = start;
    relationEnds[relation] = used.heads;
  }
}

/** Lets the rows of a grown graph be written where the rows before would be. */
export function writeOn(before: FactRows, grown: FactRows): void {
  const store = stores.get(before);
  if (store === undefined || store.latest !== before) return;
  store.latest = grown;
  stores.set(grown, store);
}

/** Where the edges of a head, or the edges along a relation, end. */
export function endOf(edges: Edges, from: number, by: 'head' | 'relation', value: number): number {
  const place = by === 'head' ? 0 : 1;
  let end = from;
  while (end < edges.length && edges[end + place] === value) end += 3;
  return end;
}

function note(heads: Map<number, number[]>, relation: number, head: number): void {
  const known = heads.get(relation);
  if (known === undefined) heads.set(relation, [head]);
  else known.push(head);
}

/** The most that the rows of changes take. */
function roomFor(rows: FactRows, changes: readonly Edges[]): Used {
  const relations = new Set<number>();
  const needed = { groups: 0, tails: 0, heads: 0 };
  for (const edges of changes) {
    let [lastHead, lastRelation] = [-1, -1];
    for (let i = 0; i < edges.length; i += 3) {
      const [head, relation] = [edges[i]!, edges[i + 1]!];
      needed.tails += 1;
      if (head === lastHead && relation === lastRelation) continue;
      needed.groups += 1;
      if (head !== lastHead) needed.groups += rows.headEnds[head]! - rows.headStarts[head]!;
      const group = findGroup(rows, head, relation);
      if (group >= 0) needed.tails += rows.groupEnds[group]! - rows.groupStarts[group]!;
      needed.heads += 1;
      if (!relations.has(relation))
        needed.heads += rows.relationEnds[relation]! - rows.relationStarts[relation]!;
      relations.add(relation);
      [lastHead, lastRelation] = [head, relation];
    }
  }
  return needed;
}

function fits({ groupRelations, tails, relationHeads }: FactRows, used: Used, needed: Used): boolean {
  return (
    used.groups + needed.groups <= groupRelations.length &&
    used.tails + needed.tails <= tails.length &&
    used.heads + needed.heads <= relationHeads.length
  );
}

function copied(values: Int32Array): Int32Array {
  const copy = allocateIn(isShared(values))(values.length);
  copy.set(values);
  return copy;
}

/**
 * The rows of a graph in arrays with room: those of its index where they were, behind them what later changes wrote and is in use still.
 */
function copyOf({ index, rows }: KnowledgeGraph, needed: Used): FactRows {
  const base = rowsOf(index);
  const { headStarts, headEnds, groupStarts, groupEnds, relationStarts, relationEnds } = rows;
  const [groups, edges, places] = [base.groupRelations.length, base.tails.length, base.relationHeads.length];
  const live = { groups, tails: edges, heads: places };
  for (let head = 0; head < headStarts.length; head += 1) {
    if (headStarts[head]! < groups) continue;
    live.groups += headEnds[head]! - headStarts[head]!;
    for (let group = headStarts[head]!; group < headEnds[head]!; group += 1)
      if (groupStarts[group]! >= edges) live.tails += groupEnds[group]! - groupStarts[group]!;
  }
  for (let relation = 0; relation < relationStarts.length; relation += 1)
    if (relationStarts[relation]! >= places)
      live.heads += relationEnds[relation]! - relationStarts[relation]!;
  const allocate = allocateIn(isShared(base.tails));
  const withRoom = (from: Int32Array, used: number, more: number): Int32Array => {
    const values = allocate(used + more + Math.max(leastRoom, used >>> 3));
    values.set(from);
    return values;
  };
  const to: FactRows = {
    headStarts: copied(headStarts),
    headEnds: copied(headEnds),
    groupRelations: withRoom(base.groupRelations, live.groups, needed.groups),
    groupStarts: withRoom(base.groupStarts, live.groups, needed.groups),
    groupEnds: withRoom(base.groupEnds, live.groups, needed.groups),
    tails: withRoom(base.tails, live.tails, needed.tails),
    relationStarts: copied(relationStarts),
    relationEnds: copied(relationEnds),
    relationHeads: withRoom(base.relationHeads, live.heads, needed.heads),
  };
  const used: Used = { groups, tails: edges, heads: places };
  for (let head = 0; head < headStarts.length; head += 1) {
    if (headStarts[head]! < groups) continue;
    to.headStarts[head] = used.groups;
    for (let group = headStarts[head]!; group < headEnds[head]!; group += 1) {
      const [start, end] = [groupStarts[group]!, groupEnds[group]!];
      const isOld = start < edges;
      to.groupRelations[used.groups] = rows.groupRelations[group]!;
      to.groupStarts[used.groups] = isOld ? start : used.tails;
      to.groupEnds[used.groups] = isOld ? end : used.tails + end - start;
      used.groups += 1;
      if (isOld) continue;
      to.tails.set(rows.tails.subarray(start, end), used.tails);
      used.tails += end - start;
    }
    to.headEnds[head] = used.groups;
  }
  for (let relation = 0; relation < relationStarts.length; relation += 1) {
    const [start, end] = [relationStarts[relation]!, relationEnds[relation]!];
    if (start < places) continue;
    to.relationStarts[relation] = used.heads;
    to.relationHeads.set(rows.relationHeads.subarray(start, end), used.heads);
    used.heads += end - start;
    to.relationEnds[relation] = used.heads;
  }
  stores.set(to, { used, latest: to });
  return to;
}
