import type { Template } from '../query/structures.ts';
import type { Calibration } from './calibration.ts';
import { type Members, membersOf } from './members.ts';

/** What a runtime does for the plan of a query over fuzzy sets. Sets are degrees of all entities [|E|]. */
export interface SetOperators {
  /** (9) and (10): the projection of members along one relation. */
  project(members: Members, relation: number): Promise<Float32Array>;
  and(left: Float32Array, right: Float32Array): Promise<Float32Array>;
  or(left: Float32Array, right: Float32Array): Promise<Float32Array>;
  negation(set: Float32Array): Promise<Float32Array>;
}

/**
 * The fuzzy set of the answers of a query: the logic's operators on sets over entities, from the anchors up.
 *
 * An anchor is the set of itself. Unlike the embedding of a query, this keeps the logic's laws exactly, and what is
 * recorded stays recorded through every operator.
 * Shapes: slots are filled by `anchors` and `relations`; → [|E|] in [0, 1].
 */
export async function answerSet(
  operators: SetOperators,
  calibration: Calibration,
  entityCount: number,
  template: Template,
  slots: { readonly anchors: ArrayLike<number>; readonly relations: ArrayLike<number> },
): Promise<Float32Array> {
  const singleton = (id: number): Float32Array => {
    const set = new Float32Array(entityCount);
    set[id] = 1;
    return set;
  };
  const answer = async (node: Template): Promise<Float32Array> => {
    switch (node.op) {
      case 'entity':
        return singleton(slots.anchors[node.anchor]!);
      case 'project': {
        const relation = slots.relations[node.relation]!;
        const { from } = node;
        const members =
          from.op === 'entity'
            ? { ids: Int32Array.of(slots.anchors[from.anchor]!), degrees: Float32Array.of(1) }
            : membersOf(await answer(from), calibration);
        // Nothing leads anywhere from an empty set.
        return members.ids.length === 0
          ? new Float32Array(entityCount)
          : operators.project(members, relation);
      }
      case 'not':
        return operators.negation(await answer(node.operand));
      default: {
        const [first, ...others] = node.operands;
        let joined = await answer(first!);
        for (const operand of others) joined = await operators[node.op](joined, await answer(operand));
        return joined;
      }
    }
  };
  return answer(template);
}
