import { asEntityId, finish, type Vocabulary } from '@fuzzqe/core';
import {
  entity,
  type Pattern,
  type PatternPlan,
  plainQuery,
  project,
  type Query,
  type SetQuery,
} from '@fuzzqe/core/query';
import type { ProvenanceOf } from '../explain/fact-provenance.ts';
import { nameExplanation } from '../explain/name-explanation.ts';
import type { CallLimits } from '../ranker/call-limits.ts';
import type { ExplainRequest, PatternResult, Ranker } from '../ranker/ranker.ts';
import type { ConditionSupport } from './pattern-answer.ts';

/** What explains answers to patterns. */
export interface SupportState {
  readonly vocabulary: Vocabulary;
  readonly ranker: Pick<Ranker, 'rank'>;
  readonly provenanceOf: ProvenanceOf;
}

/** What supports each tuple: for each variable why it is in its set, and each link that leads to it from an earlier variable. */
export async function patternSupport(
  { vocabulary, ranker, provenanceOf }: SupportState,
  { variables }: Pattern,
  { steps }: PatternPlan,
  { assignments, degrees }: PatternResult,
  limits: CallLimits,
): Promise<ConditionSupport[][]> {
  const asked: { readonly row: number; readonly variable: string; readonly request: ExplainRequest }[] = [];
  for (let row = 0; row < degrees.length; row += 1) {
    const values = assignments.subarray(row * steps.length, (row + 1) * steps.length);
    steps.forEach(({ variable, set, conditions }, step) => {
      // Variables that the plan added stand for entities of the pattern.
      const name = variables[variable] ?? '';
      const plain = set === undefined ? [] : plainParts(set);
      const links = conditions.flatMap((condition): Query[] =>
        condition.op === 'link' && condition.to === step
          ? [project(condition.relation, entity(asEntityId(values[condition.from]!)))]
          : [],
      );
      for (const query of [...plain, ...links]) {
        const request: ExplainRequest = {
          task: 'explain',
          query,
          answers: Int32Array.of(values[step]!),
          members: 1,
        };
        asked.push({ row, variable: name, request });
      }
    });
  }
  const explanations = await ranker.rank(
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

/** The trees without given sets that all have to hold. */
function plainParts(set: SetQuery): Query[] {
  const plain = plainQuery(set);
  if (plain !== undefined) return [plain];
  return set.op === 'and' ? set.operands.flatMap(plainParts) : [];
}
