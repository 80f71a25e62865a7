import type { OperatorName } from '@fuzzqe/core/bundle';
import type { Template } from '@fuzzqe/core/query';
import type { Plan } from './plan.ts';

/** One operator of a query tree, as a row of a run of its graph. */
export interface OperatorStep {
  readonly operator: OperatorName | 'centroid';
  /** 0 for anchors, otherwise one more than the highest of `from`: steps of a level do not need each other. */
  readonly level: number;
  /** The entity of an anchor, the relation of a projection. */
  readonly id: number;
  /** The steps that it takes, by their places. */
  readonly from: readonly number[];
}

/** Appends the steps of a tree and gives the place of its root; ∧ and ∨ are folded from left to right. */
export function appendSteps(
  steps: OperatorStep[],
  {
    template: root,
    anchors,
    relations,
    centroids,
  }: Pick<Plan, 'template' | 'anchors' | 'relations' | 'centroids'>,
): number {
  const append = (operator: OperatorStep['operator'], id: number, ...from: readonly number[]): number => {
    const level = from.length === 0 ? 0 : 1 + Math.max(...from.map((place) => steps[place]!.level));
    return steps.push({ operator, level, id, from }) - 1;
  };
  const visit = (template: Template): number => {
    switch (template.op) {
      case 'entity':
        return append('anchor', anchors[template.anchor]!);
      case 'project': {
        const from = visit(template.from);
        const start = centroids && template.from.op !== 'entity' ? append('centroid', 0, from) : from;
        return append('project', relations[template.relation]!, start);
      }
      case 'not':
        return append('negation', 0, visit(template.operand));
      case 'and':
      case 'or': {
        const name = template.op === 'and' ? 'conjunction' : 'disjunction';
        const [first, ...rest] = template.operands;
        let left = visit(first!);
        for (const operand of rest) left = append(name, 0, left, visit(operand));
        return left;
      }
    }
  };
  return visit(root);
}
