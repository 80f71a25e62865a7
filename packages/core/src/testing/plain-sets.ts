import type { KnowledgeGraph } from '../index.ts';
import type { LogicName } from '../logic/index.ts';
import type { Query, ReachQuery } from '../query/index.ts';
import type { ProjectionSettings } from '../sets/index.ts';
import type { StandInLinks } from './stand-in-links.ts';

/** What plain loops answer from. */
export interface PlainState {
  readonly logic: LogicName;
  readonly settings: ProjectionSettings;
  readonly facts: KnowledgeGraph;
  readonly links: Pick<StandInLinks, 'degree'>;
}

type Join = (a: number, b: number) => number;

/** (5) and (6), degree by degree. */
export const plainOperators: Readonly<Record<LogicName, readonly [and: Join, or: Join]>> = {
  product: [(a, b) => a * b, (a, b) => a + b - a * b],
  godel: [Math.min, Math.max],
  lukasiewicz: [(a, b) => Math.max(a + b - 1, 0), (a, b) => Math.min(a + b, 1)],
};

/** (10) in plain loops. Shapes: set [|E|] → [|E|]. */
export function plainProjection(
  { logic, settings, facts, links }: PlainState,
  set: readonly number[],
  relation: number,
): number[] {
  const [both, either] = plainOperators[logic];
  const tails = set.map((_, m) => set.filter((_, e) => facts.has(m, relation, e)).length);
  // Of single precision, so that equal ones are equal.
  const promise = set.map((degree, m) => degree * Math.fround(Math.min(0.3, 0.1 * Math.max(tails[m]!, 0.1))));
  const sorted = [...set.keys()]
    .filter((m) => set[m]! > 0)
    .sort((a, b) => promise[b]! - promise[a]! || a - b);
  const isSure = (m: number): boolean => set[m]! >= 0.95;
  const members = [
    ...sorted.filter(isSure).slice(0, settings.certainMembers),
    ...sorted.filter((m) => !isSure(m)).slice(0, settings.predictedMembers),
  ];
  return set.map((_, e) => {
    const through = members.map((m) => both(set[m]!, links.degree(m, relation, e)));
    const heads = sorted.filter((m) => facts.has(m, relation, e));
    const reached = (m: number): number => {
      const degree = links.degree(m, relation, e);
      return degree === 1 ? set[m]! : both(set[m]!, degree);
    };
    const best = Math.max(0, ...through, ...heads.map(reached));
    if (best === 1 || members.length === 0) return best;
    const others = heads.filter((m) => isSure(m) && !members.includes(m)).map(reached);
    const total = [...through, ...others].reduce((sum, each) => sum + each, 0);
    const more = 1 - Math.exp(-settings.support * Math.max(total - best, 0));
    return Math.max(best, Math.min(0.999, either(best, more)));
  });
}

/** Everything that recorded facts lead to, by as many rounds as there are entities. Shapes: [|E|] → [|E|]. */
function plainClosure({ facts }: PlainState, set: readonly number[], relation: number): number[] {
  return set.reduce<number[]>(
    (closed) =>
      closed.map((degree, e) =>
        Math.max(degree, ...closed.filter((_, head) => facts.has(head, relation, e))),
      ),
    [...set],
  );
}

/** The answers of a query by plain loops. Shapes: → [|E|]. */
export function plainAnswer(state: PlainState, query: Query<ReachQuery>): number[] {
  const [both, either] = plainOperators[state.logic];
  switch (query.op) {
    case 'entity':
      return Array.from({ length: state.facts.entityCount }, (_, id) => (id === query.entity ? 1 : 0));
    case 'project':
      return plainProjection(state, plainAnswer(state, query.from), query.relation);
    case 'reach': {
      const { relation, repeat } = query;
      const from = plainAnswer(state, query.from as Query<ReachQuery>);
      if (repeat === '?') {
        const step = plainProjection(state, from, relation);
        return step.map((degree, id) => either(degree, from[id]!));
      }
      const step = plainProjection(state, plainClosure(state, from, relation), relation);
      const reached = plainClosure(state, step, relation);
      return repeat === '+' ? reached : reached.map((degree, id) => either(degree, from[id]!));
    }
    case 'not':
      return plainAnswer(state, query.operand).map((degree) => 1 - degree);
    default: {
      const join = query.op === 'and' ? both : either;
      const sets = query.operands.map((operand) => plainAnswer(state, operand));
      return sets.reduce((a, b) => a.map((degree, id) => join(degree, b[id]!)));
    }
  }
}
