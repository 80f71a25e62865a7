import { asEntityId, type EntityId, finish, inverseOf, type RelationId, type Vocabulary } from '@fuzzqe/core';
import {
  entity,
  type Pattern,
  type PatternPlan,
  plainQuery,
  project,
  type Query,
  type ReachQuery,
  type SetQuery,
} from '@fuzzqe/core/query';
import type { ProvenanceOf } from '../explain/fact-provenance.ts';
import { nameExplanation } from '../explain/name-explanation.ts';
import type { CallLimits } from '../ranker/call-limits.ts';
import type { ExplainRequest, PatternResult } from '../ranker/ranker.ts';
import type { ConditionSupport } from './pattern-answer.ts';
import { type ChainState, reachChains } from './reach-chain.ts';

/** What explains answers to patterns. */
export interface SupportState extends ChainState {
  readonly vocabulary: Vocabulary;
  readonly provenanceOf: ProvenanceOf;
}

/** What supports each tuple: for each variable why it is in its set, and each link that leads to it from an earlier variable. */
export async function patternSupport(
  { vocabulary, provenanceOf, ...state }: SupportState,
  { variables }: Pattern,
  { steps }: PatternPlan,
  { assignments, degrees }: PatternResult,
  limits: CallLimits,
): Promise<ConditionSupport[][]> {
  const asked: { readonly row: number; readonly variable: string; readonly request: ExplainRequest }[] = [];
  const valuesAt = (step: number): EntityId[] =>
    Array.from(degrees, (_, row) => asEntityId(assignments[row * steps.length + step]!));
  for (const [step, { variable, set, conditions }] of steps.entries()) {
    const values = valuesAt(step);
    const ask = (row: number, query: Query, answer: number): void => {
      const request: ExplainRequest = { task: 'explain', query, answers: Int32Array.of(answer), members: 1 };
      // Variables that the plan added stand for entities of the pattern.
      asked.push({ row, variable: variables[variable] ?? '', request });
    };
    // What is asked of a part is asked of all rows together.
    for (const part of set === undefined ? [] : partsOf(set))
      if ('along' in part) {
        const back = values.map((value) => project(part.along, entity(value)));
        const best = await state.ranker.rank(
          back.map((query) => ({ task: 'sets' as const, query, k: 1 })),
          limits,
        );
        for (const [row, { ids }] of best.entries()) for (const id of ids) ask(row, back[row]!, id);
      } else if (part.op !== 'reach') for (const [row, value] of values.entries()) ask(row, part, value);
      else {
        const chainTo = await reachChains(state, part, limits);
        const from = plainQuery(part.from);
        for (const [row, value] of values.entries()) {
          const chain = await chainTo(value);
          if (chain === undefined) continue;
          if (from !== undefined && from.op !== 'entity') ask(row, from, chain[0]?.from ?? value);
          for (const { from: head, relation, to } of chain) ask(row, project(relation, entity(head)), to);
        }
      }
    for (const condition of conditions) {
      if (condition.op !== 'link' || condition.to !== step) continue;
      for (const [row, head] of valuesAt(condition.from).entries())
        ask(row, project(condition.relation, entity(head)), values[row]!);
    }
  }
  const explanations = await state.ranker.rank(
    asked.map(({ request }) => request),
    limits,
  );
  const rows = Array.from(degrees, (): ConditionSupport[] => []);
  asked.forEach(({ row, variable }, i) => {
    const { answers } = finish(nameExplanation(vocabulary, { ...explanations[i]!, provenanceOf }));
    rows[row]!.push({ variable, ...answers[0]! });
  });
  return rows;
}

/** That an entity has any link along a relation, of which the likeliest explains it. */
interface AnyLink {
  readonly along: RelationId;
}

/** What has to hold together: trees, relations that are followed several times, and any link along a relation. */
function partsOf(set: SetQuery): (Query | ReachQuery | AnyLink)[] {
  if (set.op === 'reach') return [set];
  if (set.op === 'project' && set.from.op === 'any') return [{ along: inverseOf(set.relation) }];
  const plain = plainQuery(set);
  if (plain !== undefined) return [plain];
  return set.op === 'and' ? set.operands.flatMap(partsOf) : [];
}
