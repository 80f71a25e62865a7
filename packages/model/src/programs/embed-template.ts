import type { Logic } from '@fuzzqe/core/logic';
import type { Template } from '@fuzzqe/core/query';
import type { Tensor } from '@fuzzqe/core/tensor';

/** What fills the slots of a template. */
export interface TemplateSlots {
  anchor(slot: number): Tensor;
  project(relation: number, from: Tensor): Tensor;
  /** C_r of (3): what a projection starts from instead of a vector that is no anchor's; undefined where it starts from the vector. */
  readonly centroid: ((relation: number, from: Tensor) => Tensor) | undefined;
}

/**
 * (5) to (7) The embedding of a query: projections (4) and the operators of the logic, from the anchors up; ∧ and ∨ of
 * many operands are taken from left to right.
 *
 * @example
 * import { structures } from '@fuzzqe/core/query';
 * // One vector, which every projection leaves as it is.
 * const x = trainedParameters(trained.config).entities;
 * const slots = { anchor: () => x, project: () => x, centroid: undefined };
 * const logic = familyOf(trained.config).logic(trained.config, {});
 * const embedding = embedTemplate(logic, structures['2i'].template, slots);
 */
export function embedTemplate(logic: Logic, template: Template, slots: TemplateSlots): Tensor {
  switch (template.op) {
    case 'entity':
      return slots.anchor(template.anchor);
    case 'project': {
      const from = embedTemplate(logic, template.from, slots);
      const start =
        template.from.op === 'entity' ? from : (slots.centroid?.(template.relation, from) ?? from);
      return slots.project(template.relation, start);
    }
    case 'not':
      return logic.negation(embedTemplate(logic, template.operand, slots));
    case 'and':
    case 'or': {
      const combine = template.op === 'and' ? logic.conjunction : logic.disjunction;
      return template.operands.map((operand) => embedTemplate(logic, operand, slots)).reduce(combine);
    }
  }
}
