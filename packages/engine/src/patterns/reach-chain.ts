import { asEntityId, type EntityId, inverseOf, type KnowledgeGraph, type RelationId } from '@fuzzqe/core';
import { entity, plainQuery, project, type ReachQuery } from '@fuzzqe/core/query';
import type { CallLimits } from '../ranker/call-limits.ts';
import type { Ranker } from '../ranker/ranker.ts';

/** One step of a chain. */
export interface ChainStep {
  readonly from: EntityId;
  readonly relation: RelationId;
  readonly to: EntityId;
}

/** What chains are found by. */
export interface ChainState {
  readonly facts: KnowledgeGraph;
  readonly ranker: Pick<Ranker, 'rank'>;
}

/** From how many entities a predicted step is looked for: the nearest by recorded facts. */
const mostStarts = 16;

/**
 * How a relation leads to an entity in several steps: by recorded facts where they lead there, else with the likeliest predicted step.
 *
 * @returns the steps from an entity that the facts put into the set of the beginning; undefined where there is no such entity, or no chain.
 */
export async function reachChain(
  { facts, ranker }: ChainState,
  { relation, repeat, from }: ReachQuery,
  entityThere: EntityId,
  limits: CallLimits,
): Promise<readonly ChainStep[] | undefined> {
  const starts = await startsOf(ranker, from, limits);
  const longest = repeat === '?' ? 0 : Number.POSITIVE_INFINITY;
  /** Each entity from which recorded facts lead there, with the next entity on the way. */
  const before = walk(facts, [entityThere], inverseOf(relation), repeat === '?' ? 1 : longest);
  const stepsFrom = (start: EntityId): ChainStep[] => {
    const steps: ChainStep[] = [];
    for (let at = start, to = before.get(at); to !== undefined; at = to, to = before.get(at))
      steps.push({ from: at, relation, to });
    return steps;
  };
  if (repeat !== '+' && starts.includes(entityThere)) return [];
  const known = starts.find((start) => start !== entityThere && before.has(start));
  if (known !== undefined) return stepsFrom(known);
  const after = walk(facts, starts, relation, longest);
  const heads = [...after.keys()].slice(0, mostStarts);
  const rows = await ranker.rank(
    heads.map((head) => ({ task: 'degrees' as const, query: project(relation, entity(head)) })),
    limits,
  );
  let best: { readonly head: EntityId; readonly tail: EntityId; readonly degree: number } | undefined;
  heads.forEach((head, i) => {
    const { degrees } = rows[i]!;
    for (const tail of repeat === '?' ? [entityThere] : before.keys())
      if (degrees[tail]! > (best?.degree ?? 0)) best = { head, tail, degree: degrees[tail]! };
  });
  if (best === undefined) return undefined;
  const steps: ChainStep[] = [{ from: best.head, relation, to: best.tail }];
  for (let to = best.head, start = after.get(to); start !== undefined; to = start, start = after.get(to))
    steps.unshift({ from: start, relation, to });
  return [...steps, ...stepsFrom(best.tail)];
}

/** The entities that the facts put into the set of the beginning. */
async function startsOf(
  ranker: Pick<Ranker, 'rank'>,
  from: ReachQuery['from'],
  limits: CallLimits,
): Promise<readonly EntityId[]> {
  if (from.op === 'entity') return [from.entity];
  const query = plainQuery(from);
  if (query === undefined) return [];
  const [found] = await ranker.rank([{ task: 'recorded' as const, query }], limits);
  return [...found!.ids].map(asEntityId);
}

/** Each entity that recorded facts lead to within so many steps, the nearest first, with the entity before; starts have none. */
function walk(
  facts: KnowledgeGraph,
  starts: readonly EntityId[],
  relation: RelationId,
  longest: number,
): ReadonlyMap<EntityId, EntityId | undefined> {
  const found = new Map<EntityId, EntityId | undefined>(starts.map((start) => [start, undefined]));
  let open = [...starts];
  for (let steps = 0; open.length > 0 && steps < longest; steps += 1)
    open = open.flatMap((head) =>
      [...facts.tails(head, relation)].flatMap((id): EntityId[] => {
        const tail = asEntityId(id);
        if (found.has(tail)) return [];
        found.set(tail, head);
        return [tail];
      }),
    );
  return found;
}
