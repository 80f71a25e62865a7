import type { KnowledgeGraph, Random } from '@fuzzqe/core';
import { featureCount } from '../link/features.ts';
import type { LinkScores } from '../link/link-degrees.ts';
import type { LinkWeights } from '../link/link-weights.ts';
import type { Rule } from '../rules/rule-set.ts';

/** Rules that come from chance: paths of one to three relations, and constants, no two alike. */
export function someRules(random: Random, facts: KnowledgeGraph, count: number): Rule[] {
  const { entityCount, relationCount } = facts;
  const relation = (): number => random.below(relationCount);
  const rules = new Map<string, Rule>();
  for (let i = 0; i < count; i += 1) {
    const predictions = 1 + random.below(40);
    const counts = { relation: relation(), hits: random.below(predictions + 1), predictions };
    const body =
      random.below(3) > 0
        ? ({ kind: 'path', path: Array.from({ length: 1 + random.below(3) }, relation) } as const)
        : ({
            kind: 'constant',
            tail: random.below(entityCount),
            body: { relation: relation(), tail: random.below(entityCount) },
          } as const);
    rules.set(`${counts.relation} ${JSON.stringify(body)}`, { ...counts, ...body });
  }
  return [...rules.values()];
}

/** Weights that come from chance. */
export function someWeights(
  random: Random,
  relationCount: number,
  of: Omit<LinkWeights, 'relations'>,
): LinkWeights {
  const relations = Float64Array.from({ length: relationCount * featureCount }, () => random.normal());
  return { ...of, relations };
}

/** A model whose scores come from chance. */
export interface SomeScores {
  readonly scores: LinkScores;
  score(head: number, relation: number, entity: number): number;
}

/** Scores of all links, normal with a standard deviation. */
export function someScores(random: Random, facts: KnowledgeGraph, deviation = 1): SomeScores {
  const { entityCount, relationCount } = facts;
  const table = Float32Array.from(
    { length: entityCount * relationCount * entityCount },
    () => deviation * random.normal(),
  );
  const startOf = (head: number, relation: number): number => (head * relationCount + relation) * entityCount;
  return {
    score: (head, relation, entity) => table[startOf(head, relation) + entity]!,
    async scores(heads, relations) {
      const rows = new Float32Array(heads.length * entityCount);
      heads.forEach((head, i) => {
        const start = startOf(head, relations[i]!);
        rows.set(table.subarray(start, start + entityCount), i * entityCount);
      });
      return rows;
    },
  };
}
