import type { Logic } from '@fuzzqe/core/logic';
import { joins, type ProgramPlan, termsPerValue } from '@fuzzqe/core/query';
import {
  concat,
  gather,
  greaterOrEqual,
  labelled,
  reshape,
  scalar,
  slice,
  type Tensor,
  toFloat,
  where,
} from '@fuzzqe/core/tensor';

/** What a program of queries is made of. Shapes: ids [n] → [n, d]; x [n, d], relations [n] → [n, d]. */
export interface ProgramPieces {
  readonly logic: Logic;
  anchor(entities: Tensor): Tensor;
  project(x: Tensor, relations: Tensor): Tensor;
  /** C_r of (3); undefined where projections start from vectors as they are. */
  readonly centroid: ((x: Tensor, relations: Tensor) => Tensor) | undefined;
}

/**
 * (4) to (7) The embeddings of a batch of queries of any structures, by the plan of `planProgram`.
 *
 * Three levels of projections fill a file of registers; between them, and at the end, values are joined of registers
 * by the operators of the logic. What is not there is selected away and not computed with a neutral element:
 * `a + 1 − 1` is not `a` in float32.
 * Shapes: as in `ProgramPlan` → [batch, d].
 */
export function embedProgram(
  { logic, anchor, project, centroid = (x) => x }: ProgramPieces,
  plan: Readonly<Record<keyof ProgramPlan, Tensor>>,
): Tensor {
  const first = project(anchor(plan.anchors), plan.firstRelations);
  const hop = (x: Tensor, relations: Tensor): Tensor => project(centroid(x, relations), relations);
  const second = hop(joinTerms(logic, first, plan.secondTerms), plan.secondRelations);
  const both = labelled('registers', concat([first, second]));
  const third = hop(joinTerms(logic, both, plan.thirdTerms), plan.thirdRelations);
  return joinTerms(logic, labelled('registers', concat([first, second, third])), plan.answerTerms);
}

/** Values from registers. Shapes: registers [n, d], terms [rows, 3, 3] → [rows, d]. */
function joinTerms(logic: Logic, registers: Tensor, terms: Tensor): Tensor {
  const rows = terms.shape[0]!;
  const width = registers.shape[1]!;
  const field = (at: number): Tensor => slice(terms, at, at + 1, 2); // [rows, 3, 1]
  const read = gather(registers, reshape(field(0), [rows, termsPerValue])); // [rows, 3, d]
  const signed = labelled('terms', where(isAtLeast(field(1), 1), logic.negation(read), read));
  const term = (at: number): Tensor => reshape(slice(signed, at, at + 1, 1), [rows, width]);
  const join = (at: number): Tensor => reshape(slice(field(2), at, at + 1, 1), [rows, 1]);
  let value = term(0);
  for (let at = 1; at < termsPerValue; at += 1) {
    const [next, how] = [term(at), join(at)];
    const both = where(isAtLeast(how, joins.and), logic.conjunction(value, next), value);
    value = where(isAtLeast(how, joins.or), logic.disjunction(value, next), both);
  }
  return labelled('value', value);
}

/** Whether each integer is `bound` or more. */
const isAtLeast = (numbers: Tensor, bound: number): Tensor => greaterOrEqual(toFloat(numbers), scalar(bound));
