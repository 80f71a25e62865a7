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
 * The steps to an entity, from a recorded entity of the set of the beginning.
 *
 * @returns undefined without a recorded entity, or without a chain.
 */
export type ChainTo = (there: EntityId) => Promise<readonly ChainStep[] | undefined>;

/** How a relation leads to entities in several steps: by recorded facts if they lead there, else with the likeliest predicted step. */
export async function reachChains(
  { facts, ranker }: ChainState,
  { relation, repeat, from }: ReachQuery,
  limits: CallLimits,
): Promise<ChainTo> {
  const starts = await startsOf(ranker, from, limits);
  const longest = repeat === '?' ? 0 : Number.POSITIVE_INFINITY;
  const predict = async () => {
    const after = walk(facts, starts, relation, longest);
    const heads = [...after.keys()].slice(0, mostStarts);
    const rows = await ranker.rank(
      heads.map((head) => ({ task: 'degrees' as const, query: project(relation, entity(head)) })),
      limits,
    );
    return { after, links: heads.map((head, i) => ({ head, degrees: rows[i]!.degrees })) };
  };
  let predicting: ReturnType<typeof predict> | undefined;
  return async (there) => {
    /** Each entity from which recorded facts lead there, with the next entity on the way. */
    const before = walk(facts, [there], inverseOf(relation), repeat === '?' ? 1 : longest);
    const stepsFrom = (start: EntityId): ChainStep[] => stepsOf(start, before, relation);
    if (repeat !== '+' && starts.includes(there)) return [];
    const known = starts.find((start) => start !== there && before.has(start));
    if (known !== undefined) return stepsFrom(known);
    predicting ??= predict();
    const { after, links } = await predicting;
    let best: { readonly head: EntityId; readonly tail: EntityId; readonly degree: number } | undefined;
    for (const { head, degrees } of links)
      for (const tail of repeat === '?' ? [there] : before.keys())
        if (degrees[tail]! > (best?.degree ?? 0)) best = { head, tail, degree: degrees[tail]! };
    if (best === undefined) return undefined;
    const { head, tail } = best;
    const back = stepsOf(head, after, relation).map(({ from, to }) => ({ from: to, relation, to: from }));
    return [...back.reverse(), { from: head, relation, to: tail }, ...stepsFrom(tail)];
  };
}

/** The steps along a walk from an entity to where the walk began. */
function stepsOf(
  start: EntityId,
  next: ReadonlyMap<EntityId, EntityId | undefined>,
  relation: RelationId,
): ChainStep[] {
  const steps: ChainStep[] = [];
  for (let at = start, to = next.get(at); to !== undefined; at = to, to = next.get(at))
    steps.push({ from: at, relation, to });
  return steps;
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

/** Each entity that recorded facts lead to within so many steps, the nearest first, with the entity before, if it is no start. */
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
