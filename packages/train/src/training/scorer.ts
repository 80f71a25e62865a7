import { FuzzError, type KnowledgeGraph } from '@fuzzqe/core';
import { hasCentroids, type ModelConfig, type Parameters, relationDomains } from '@fuzzqe/core/model';
import type { StructureName, Template } from '@fuzzqe/core/query';
import { type QueryStructure, structureOf } from '@fuzzqe/data';
import { openOperators } from './scorer-operators.ts';

/** Scores every entity for batches of queries, with parameters that can change between batches. */
export interface Scorer {
  /** Takes other parameters from now on. */
  load(parameters: Parameters): Promise<void>;
  /** Shapes: anchors [rows, a], relations [rows, r] of one structure → scores [rows, |E|]. */
  score(
    structure: StructureName | QueryStructure,
    anchors: Int32Array,
    relations: Int32Array,
    rows: number,
  ): Promise<Float32Array>;
  close(): Promise<void>;
}

/**
 * A scorer for the model in training, through onnxruntime-node on the CPU.
 *
 * A batch goes up its structure's tree operator by operator, so that any structure will do and none needs a graph of
 * its own. The rows of a projection are sorted by relation, and each relation's weights are read once a batch: larger
 * batches cost less a query. A query's scores depend on nothing but the query and the parameters.
 */
export async function createScorer(
  model: ModelConfig,
  /** The facts that the model was trained on, from which centroids have their heads. */
  graph: KnowledgeGraph,
  threads: number,
): Promise<Scorer> {
  const operators = await openOperators(model, threads);
  const domains = relationDomains(graph);
  const takesCentroids = hasCentroids(model);
  let loaded = false;

  const embed = async (
    template: Template,
    anchors: (slot: number) => Int32Array,
    relations: (slot: number) => Int32Array,
  ): Promise<Float32Array> => {
    const inner = (node: Template): Promise<Float32Array> => embed(node, anchors, relations);
    switch (template.op) {
      case 'entity':
        return operators.entities(anchors(template.anchor));
      case 'project': {
        const from = await inner(template.from);
        const along = relations(template.relation);
        const isMoved = takesCentroids && template.from.op !== 'entity';
        return operators.project(isMoved ? await operators.centroid(from, along, domains) : from, along);
      }
      case 'not':
        return operators.negation(await inner(template.operand));
      default: {
        const [first, ...others] = template.operands;
        let joined = await inner(first!);
        for (const operand of others) joined = await operators[template.op](joined, await inner(operand));
        return joined;
      }
    }
  };

  return {
    async load(parameters) {
      await operators.load(parameters);
      loaded = true;
    },
    async score(named, anchors, relations, rows) {
      if (!loaded) throw new FuzzError('shape', 'the scorer has no parameters yet');
      const structure = structureOf<string>(named);
      const column = (data: Int32Array, width: number) => (slot: number) =>
        Int32Array.from({ length: rows }, (_, row) => data[row * width + slot]!);
      const queries = await embed(
        structure.template,
        column(anchors, structure.anchors),
        column(relations, structure.relations),
      );
      return operators.score(queries);
    },
    close: () => operators.close(),
  };
}
