import { asEntityId, finish, inverseOf, type RelationId, type Vocabulary } from '@fuzzqe/core';
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
import { type ChainState, reachChain } from './reach-chain.ts';

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
  for (let row = 0; row < degrees.length; row += 1) {
    const values = assignments.subarray(row * steps.length, (row + 1) * steps.length);
    for (const [step, { variable, set, conditions }] of steps.entries()) {
      // Variables that the plan added stand for entities of the pattern.
      const name = variables[variable] ?? '';
      const ask = (query: Query, answer: number): void => {
        const answers = Int32Array.of(answer);
        asked.push({ row, variable: name, request: { task: 'explain', query, answers, members: 1 } });
      };
      const value = asEntityId(values[step]!);
      for (const part of set === undefined ? [] : partsOf(set))
        if ('along' in part) {
          const back = project(part.along, entity(value));
          const [best] = await state.ranker.rank([{ task: 'sets' as const, query: back, k: 1 }], limits);
          for (const id of best!.ids) ask(back, id);
        } else if (part.op !== 'reach') ask(part, value);
        else {
          const chain = await reachChain(state, part, value, limits);
          const from = plainQuery(part.from);
          const start = chain?.[0]?.from ?? value;
          if (chain !== undefined && from !== undefined && from.op !== 'entity') ask(from, start);
          for (const { from: head, relation, to } of chain ?? []) ask(project(relation, entity(head)), to);
        }
      for (const condition of conditions)
        if (condition.op === 'link' && condition.to === step)
          ask(project(condition.relation, entity(asEntityId(values[condition.from]!))), value);
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
