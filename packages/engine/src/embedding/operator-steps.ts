import type { OperatorName } from '@fuzzqe/bundle';
import type { Template } from '@fuzzqe/core/query';
import type { Plan } from './plan.ts';

/** One operator of a query tree, as a row of a run of its graph. */
export interface OperatorStep {
  readonly operator: OperatorName | 'centroid';
  /** How many projections lie one after the other up to here, this one included. */
  readonly depth: number;
  /**
   * When it is due within its depth: first projections (and anchors), then joins and negations, each after those that it takes, and
   * centroids last, from which the projections of the next depth start. Steps of one depth and turn do not need each other.
   */
  readonly turn: number;
  /** The entity of an anchor, the relation of a projection and of the centroid that it starts from. */
  readonly id: number;
  /** The steps that it takes, by their places. */
  readonly from: readonly number[];
}

/** Of centroids: later than any join, of which a tree has fewer. */
export const lastTurn = 4096;

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
    const below = Math.max(0, ...from.map((place) => steps[place]!.depth));
    if (operator === 'project') return steps.push({ operator, depth: below + 1, turn: 0, id, from }) - 1;
    const turns = from.map((place) => (steps[place]!.depth === below ? steps[place]!.turn + 1 : 1));
    const turn = operator === 'centroid' ? lastTurn : Math.max(0, ...turns);
    return steps.push({ operator, depth: below, turn, id, from }) - 1;
  };
  const visit = (template: Template): number => {
    switch (template.op) {
      case 'entity':
        return append('anchor', anchors[template.anchor]!);
      case 'project': {
        const from = visit(template.from);
        const relation = relations[template.relation]!;
        const start = centroids && template.from.op !== 'entity' ? append('centroid', relation, from) : from;
        return append('project', relation, start);
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
