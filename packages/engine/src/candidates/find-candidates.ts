import type { KnowledgeGraph } from '@fuzzqe/core';
import type { ProjectQuery, Query } from '@fuzzqe/core/query';
import { certain, expectedOf, membersOf, type ProjectionSettings } from '@fuzzqe/core/sets';
import type { CandidateLinks } from './candidate-links.ts';

/** The members that a projection goes through, and where recorded facts lead from a set. */
export interface ProjectionStep {
  readonly members: Int32Array;
  readonly tails: Int32Array;
}

/** What candidates are found with. */
export interface CandidateSearch {
  readonly facts: KnowledgeGraph;
  readonly projection: ProjectionSettings;
  readonly links: CandidateLinks;
  /** The degrees of a query among candidates, ascending. Shapes: ids [n] → [n]. */
  degrees(query: Query, ids: Int32Array): Promise<Float32Array>;
  /** A step that was found before. */
  readonly steps: {
    get(key: string): ProjectionStep | undefined;
    put(key: string, step: ProjectionStep): void;
  };
}

/** How many tails of a link the index is asked for: the links of a set's members have many candidates together. */
export const tailsOfLink: Readonly<Record<'anchor' | 'member', number>> = { anchor: 128, member: 32 };

/** To how many entities recorded facts lead at most from the members of a set that are less than certain. */
const mostReached = 2 ** 14;

/**
 * The entities that may have a high degree in some part of a query; undefined where the index has to find tails first.
 *
 * Candidates of a link are the tails that the index finds, recorded and entailed tails, tails that rules and similar heads name, and frequent tails of the
 * relation. Those of a projection of a set are the candidates of its members' links, and what recorded facts lead to from the set.
 */
export async function findCandidates(
  search: CandidateSearch,
  query: Query,
): Promise<ReadonlySet<number> | undefined> {
  const { links } = search;
  switch (query.op) {
    case 'entity':
      return new Set([query.entity]);
    case 'not':
      return findCandidates(search, query.operand);
    case 'project': {
      const { from, relation } = query;
      const before = await findCandidates(search, from);
      if (before === undefined) return undefined;
      const isLink = from.op === 'entity';
      const step = isLink
        ? { members: Int32Array.of(from.entity), tails: new Int32Array() }
        : await stepOf(search, { ...query, from }, before);
      const found = links.candidates(
        step.members,
        relation,
        isLink ? tailsOfLink.anchor : tailsOfLink.member,
      );
      return found && union([before, step.tails, ...found]);
    }
    default: {
      const parts: (ReadonlySet<number> | undefined)[] = [];
      // One missing part ends nothing: the index is asked about the links of all parts together.
      for (const operand of query.operands) parts.push(await findCandidates(search, operand));
      return parts.every((part) => part !== undefined) ? union(parts) : undefined;
    }
  }
}

async function stepOf(
  { facts, projection, degrees, steps }: CandidateSearch,
  { from, relation }: ProjectQuery,
  before: ReadonlySet<number>,
): Promise<ProjectionStep> {
  const key = JSON.stringify([relation, from]);
  const known = steps.get(key);
  if (known !== undefined) return known;
  const ids = Int32Array.from(before).sort();
  const set = await degrees(from, ids);
  const counts = Int32Array.from(ids, (id) => facts.tails(id, relation).length);
  const { ids: places } = membersOf(set, Float32Array.from(counts, expectedOf), projection);
  const order = Array.from(ids.keys()).filter((place) => set[place]! > 0 && counts[place]! > 0);
  order.sort((a, b) => set[b]! - set[a]! || a - b);
  const tails = new Set<number>();
  let reached = 0;
  for (const place of order) {
    if (set[place]! < certain) reached += counts[place]!;
    if (reached > mostReached) break;
    for (const tail of facts.tails(ids[place]!, relation)) tails.add(tail);
  }
  const step = { members: places.map((place) => ids[place]!), tails: Int32Array.from(tails) };
  steps.put(key, step);
  return step;
}

function union(parts: readonly (Iterable<number> | undefined)[]): Set<number> {
  const all = new Set<number>();
  for (const part of parts) for (const id of part ?? []) all.add(id);
  return all;
}
