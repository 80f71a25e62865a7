import {
  type Condition,
  formatValueTest,
  type MemberCondition,
  type Pattern,
  type PatternPlan,
  type SetMeaning,
} from '@fuzzqe/core/query';
import { sharedFacts } from '@fuzzqe/evidence';
import { valuesThatPass } from '@fuzzqe/names';
import { type NamedId, nameEntity, nameRelation } from '../explain/name-explanation.ts';
import type { PatternResult } from '../ranker/ranker.ts';
import { type GivenState, type Likenesses, valuesOf } from './given-sets.ts';
import type { SetSupport } from './pattern-answer.ts';

/** How many literals and common facts are listed for each condition. */
const mostListed = 5;

/** What supports the conditions on values and on likeness in each tuple; negated conditions have no support. `likenesses` are those of `givenSets`. */
export async function setSupport(
  state: GivenState,
  likenesses: Likenesses,
  { variables, where }: Pattern,
  { steps }: PatternPlan,
  { assignments, degrees }: PatternResult,
): Promise<SetSupport[][]> {
  const conditions = conditionsOf(where);
  if (conditions.length === 0) return Array.from(degrees, () => []);
  const values = await valuesOf(state);
  const { vocabulary, facts } = state;
  const entityOf = (id: number): NamedId => nameEntity(vocabulary, id);
  return Array.from(degrees, (_, row) =>
    conditions.flatMap(({ variable, means }): SetSupport[] => {
      const step = steps.findIndex((each) => each.variable === variable);
      if (step < 0) return [];
      const entity = assignments[row * steps.length + step]!;
      const of = { variable: variables[variable]! };
      if (means.op === 'where') {
        const passing = valuesThatPass(means, values, entity).slice(0, mostListed);
        return passing.length === 0 ? [] : [{ ...of, where: formatValueTest(means), values: passing }];
      }
      const model = likenesses.get(means.entity);
      const cosine = model?.cosines[entity];
      const scale = model === undefined || cosine === undefined ? 1 : 1 - model.share;
      const byModel = model === undefined ? 0 : model.share * Math.max(0, cosine ?? 0);
      const shared = sharedFacts(facts, means.entity, entity, mostListed).map(
        ({ relation, entity: tail, share }) => ({
          relation: nameRelation(vocabulary, relation),
          entity: entityOf(tail),
          share: scale * share,
        }),
      );
      if (shared.length === 0 && byModel === 0) return [];
      return [{ ...of, like: entityOf(means.entity), shared, ...(byModel > 0 ? { byModel } : {}) }];
    }),
  );
}

/** The conditions of a pattern with sets of such meanings, without those under `not`. */
function conditionsOf(where: Condition): GivenCondition[] {
  if (where.op === 'member') return where.means === undefined ? [] : [{ ...where, means: where.means }];
  return 'operands' in where ? where.operands.flatMap(conditionsOf) : [];
}

type GivenCondition = MemberCondition & { readonly means: SetMeaning };
