import { asRelationId, inverseOf, type KnowledgeGraph, type Random } from '@fuzzqe/core';
import type { Template } from '@fuzzqe/core/query';
import type { QueryStructure } from '../queries/query-structure.ts';

/** Fills a structure's slots by walking backwards from an entity that is to satisfy it. */
export interface BackwardWalk {
  /** The slots of the last walk that succeeded: overwritten by the next one. */
  readonly anchors: Int32Array;
  readonly relations: Int32Array;
  /**
   * Walks from `target`; false when the walk came to an entity that no allowed edge leads to.
   *
   * Shapes: `through` [relations of the structure], 1 for the slots whose edge is one of the graph `lacked`. Default: none is.
   */
  from(target: number, through?: Uint8Array): boolean;
}

/** The projection that a walk has just come through. */
interface Step {
  readonly relation: number;
  /** The entity that the projection leads to. */
  readonly to: number;
}

/**
 * Walks backwards over the edges of a graph, from the target variable to the anchors.
 *
 * At each projection a relation that leads to the entity is drawn, then an entity that it leads from; all operands of
 * a conjunction or disjunction start at the same entity. So does a negated operand: what it excludes is certain to
 * satisfy the other operands, and the negation removes at least that. Within a chain of projections none is followed by
 * its inverse: `r` and then `inverse(r)` leads back to where it came from, whatever the facts. A chain ends at a
 * conjunction or disjunction, so an operand may undo what is applied to the whole. Where `canonical` joins a relation
 * that mirrors itself with its inverse, the walk may go on over it, but not back.
 * Shapes: canonical [relations], as `canonicalRelations` gives it. `lacked`: edges of the graph, for walks that are to take some of them.
 * Source: `fill_query` in KGReasoning's create_queries.py.
 */
export function createBackwardWalk(
  graph: KnowledgeGraph,
  structure: QueryStructure,
  canonical: Int32Array,
  random: Random,
  lacked: KnowledgeGraph = graph,
): BackwardWalk {
  let onLacked: Uint8Array = new Uint8Array(structure.relations);
  const anchors = new Int32Array(structure.anchors);
  const relations = new Int32Array(structure.relations);

  /** A group of edges stored at `entity`, whose relation is not `except`; -1 when there is none. */
  const drawGroup = (
    { headOffsets, groupRelations }: KnowledgeGraph['index'],
    entity: number,
    except: number,
  ): number => {
    const first = headOffsets[entity]!;
    const count = headOffsets[entity + 1]! - first;
    if (count === 0) return -1;
    const drawn = random.below(count);
    if (groupRelations[first + drawn] !== except) return first + drawn;
    if (count === 1) return -1;
    // A head has one group a relation, so every other group will do: draw again among those.
    return first + ((drawn + 1 + random.below(count - 1)) % count);
  };

  const fill = (template: Template, entity: number, next: Step | undefined): boolean => {
    switch (template.op) {
      case 'entity':
        anchors[template.anchor] = entity;
        return true;
      case 'project': {
        // What is stored at an entity leaves it, along the inverse of the relation that leads to it. So the stored
        // relation that would undo the next projection is that projection's own.
        const { index } = onLacked[template.relation] === 1 ? lacked : graph;
        const { groupRelations, groupOffsets, tails } = index;
        const group = drawGroup(index, entity, next === undefined ? -1 : next.relation);
        if (group < 0) return false;
        const stored = groupRelations[group]!;
        const start = groupOffsets[group]!;
        const head = tails[start + random.below(groupOffsets[group + 1]! - start)]!;
        if (next !== undefined && head === next.to && canonical[stored] === canonical[next.relation])
          return false;
        const relation = inverseOf(asRelationId(stored));
        relations[template.relation] = relation;
        return fill(template.from, head, { relation, to: entity });
      }
      case 'not':
        return fill(template.operand, entity, next);
      default:
        for (const operand of template.operands) if (!fill(operand, entity, undefined)) return false;
        return true;
    }
  };

  return {
    anchors,
    relations,
    from(target, through = new Uint8Array(structure.relations)) {
      onLacked = through;
      return fill(structure.template, target, undefined);
    },
  };
}
