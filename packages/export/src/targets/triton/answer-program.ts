import { structureNames, structures } from '@fuzzqe/core/query';
import {
  broadcastLike,
  concat,
  constant,
  createProgram,
  gather,
  greaterOrEqual,
  input,
  labelled,
  type Program,
  scalar,
  slice,
  type Tensor,
  where,
} from '@fuzzqe/core/tensor';
import { embedTemplate } from '@fuzzqe/model';
import type { ServedModel } from '../../programs/served-model.ts';
import { column } from '../../programs/structure-programs.ts';

/** How many anchors and relations a row has, whatever its structure: as many as the largest. */
export const slotCount = 3;

/**
 * The k best entities for queries of any structures in one batch, each row by itself, so that a server may put requests together.
 *
 * Every row takes `slotCount` projections, one after the other; what each starts from, and what is answered, is selected by the
 * row's structure. Shapes: structure [batch, 1], the place in `structureNames`; anchors, relations [batch, 3], whose slots
 * beyond those of the structure are any ids → ids, scores [batch, k].
 */
export function answerProgram(model: ServedModel, k: number): Program {
  const structure = input('structure', 'int', ['batch', 1]);
  const anchors = input('anchors', 'int', ['batch', slotCount]);
  const relations = input('relations', 'int', ['batch', slotCount]);
  const embedding = embedRows(model, { structure: column(structure, 0), anchors, relations });
  return createProgram({
    name: 'answer',
    description: 'The best entities for queries of any structures, each row by itself.',
    inputs: [structure, anchors, relations],
    outputs: { ...model.ranking(embedding, undefined, constant([k], [1], 'int')) },
  });
}

/** What `answerProgram` takes, of rows of one structure: they are filled up with their first anchor and relation. */
export function slotsProgram(name: (typeof structureNames)[number]): Program {
  const filled = (of: string, width: number): { given: Tensor; slots: Tensor } => {
    const given = input(of, 'int', ['batch', width]);
    const first = slice(given, 0, 1, 1);
    const filling = new Array<Tensor>(slotCount - width).fill(first);
    return { given, slots: filling.length === 0 ? given : concat([given, ...filling], 1) };
  };
  const anchors = filled('anchors', structures[name].anchors);
  const relations = filled('relations', structures[name].relations);
  const number = constant([structureNames.indexOf(name)], [1, 1], 'int');
  return createProgram({
    name: `${name}-slots`,
    description: `Queries of structure ${name} as rows of the graph that answers all structures.`,
    inputs: [anchors.given, relations.given],
    outputs: {
      structure: broadcastLike(number, slice(anchors.given, 0, 1, 1)),
      anchor_slots: anchors.slots,
      relation_slots: relations.slots,
    },
  });
}

/** Shapes: structure [n], anchors and relations [n, 3] → [n, d]. */
function embedRows(
  model: ServedModel,
  { structure, anchors, relations }: Readonly<Record<'structure' | 'anchors' | 'relations', Tensor>>,
): Tensor {
  const logic = { ...model.logic };
  // Equal parts of structures are one tensor, so that what is selected from are few.
  for (const operator of ['conjunction', 'disjunction'] as const)
    logic[operator] = remembered(model.logic[operator]);
  logic.negation = remembered(model.logic.negation);
  const anchor = remembered((slot: number) => model.anchor(column(anchors, slot)));

  const projected: Tensor[] = [];
  /** By slot, the structures whose projection starts from a centroid. */
  const fromCentroids = Array.from({ length: slotCount }, () => new Set<number>());
  /** Of each structure what the projection `at` starts from, or, where there is none, what it answers. */
  const pass = (at: number): Map<Tensor, number[]> => {
    const choices = new Map<Tensor, number[]>();
    structureNames.forEach((name, number) => {
      let operand: Tensor | undefined;
      const starts = new Set<Tensor>();
      const answer = embedTemplate(logic, structures[name].template, {
        anchor,
        project(slot, from) {
          if (slot === at) operand = from;
          if (slot === at && starts.has(from)) fromCentroids[slot]!.add(number);
          // A later one only leads to parts that are not selected in this pass.
          return projected[slot] ?? from;
        },
        // Found of the rows that were selected, once for all structures.
        centroid:
          model.centroid &&
          ((_, from) => {
            starts.add(from);
            return from;
          }),
      });
      const chosen = at === slotCount ? answer : operand;
      if (chosen !== undefined) choices.set(chosen, [...(choices.get(chosen) ?? []), number]);
    });
    return choices;
  };
  for (let slot = 0; slot < slotCount; slot += 1) {
    const from = selectRows(pass(slot), structure);
    const along = column(relations, slot);
    const fromCentroid = fromCentroids[slot]!;
    const start =
      model.centroid === undefined || fromCentroid.size === 0
        ? from
        : where(isListed(fromCentroid, structure), model.centroid(from, along), from);
    projected.push(labelled(`projected${slot}`, model.project(start, along)));
  }
  return labelled('embedding', selectRows(pass(slotCount), structure));
}

/** Each row from the tensor that lists its structure; structures that none lists take the first. Shapes: [n, d] each → [n, d]. */
function selectRows(choices: ReadonlyMap<Tensor, readonly number[]>, structure: Tensor): Tensor {
  const [[first] = [], ...others] = choices;
  return others.reduce((value, [tensor, numbers]) => {
    return where(isListed(new Set(numbers), structure), tensor, value);
  }, first!);
}

/** Whether each row is of a structure with one of these numbers. Shapes: [n] → bool [n, 1]. */
function isListed(numbers: ReadonlySet<number>, structure: Tensor): Tensor {
  const listed = structureNames.map((_, number) => (numbers.has(number) ? 1 : 0));
  return greaterOrEqual(gather(constant(listed, [listed.length, 1]), structure), scalar(0.5));
}

/** The same result for the same arguments. */
function remembered<A, B extends readonly A[], R>(work: (...given: B) => R): (...given: B) => R {
  const known: { readonly given: B; readonly result: R }[] = [];
  return (...given) => {
    const found = known.find((each) => each.given.every((value, i) => value === given[i]));
    if (found !== undefined) return found.result;
    const result = work(...given);
    known.push({ given, result });
    return result;
  };
}
