import { FuzzError } from '@fuzzqe/core';
import { type GraphEntry, type OperatorName, programSignature } from '@fuzzqe/core/bundle';
import {
  embedProgram,
  embedTemplate,
  entityEmbedding,
  logicOf,
  type ModelConfig,
  type Parameters,
  parameterNames,
  parameterShapes,
  relationProjection,
  relationWeights,
  scores,
  trainedParameters,
} from '@fuzzqe/core/model';
import { type ProgramPlan, type Structure, structureNames, structures } from '@fuzzqe/core/query';
import { topK } from '@fuzzqe/core/ranking';
import {
  createProgram,
  evaluate,
  gather,
  input,
  type NumericTensor,
  type NumericTensors,
  numeric,
  type Tensor,
} from '@fuzzqe/core/tensor';
import type { SessionFactory, TensorValue, TensorValues } from '../session.ts';

type Run = (feeds: TensorValues) => TensorValues;

/**
 * A runtime without a runtime: the tensor programs of the model, interpreted in float64 from its parameters.
 *
 * It needs no ONNX file, which makes it the other side of every comparison, and far too slow for anything else.
 */
export function referenceSessions(config: ModelConfig, parameters: Parameters): SessionFactory {
  const graphs = referenceGraphs(config, parameters);
  return {
    runtime: 'float64 reference',
    async open(graph) {
      const run = graphs(nameOf(graph));
      let closed = false;
      return {
        async run(feeds) {
          if (closed) throw new FuzzError('runtime', `${graph.path}: the session is closed`);
          checkFeeds(graph, feeds);
          return run(feeds);
        },
        async close() {
          closed = true;
        },
      };
    },
  };
}

/** What each graph of a bundle computes, by its name. */
function referenceGraphs(config: ModelConfig, parameters: Parameters): (name: string) => Run {
  const values: NumericTensors = Object.fromEntries(
    parameterNames.map((name) => [name, numeric(parameterShapes(config)[name], parameters[name])]),
  );
  const { entities: free, coefficients, bases, biasBases } = trainedParameters(config);
  const entities = entityEmbedding(config, free);
  const table = relationWeights(config, coefficients, bases, biasBases);
  const logic = logicOf(config);
  const vectors = (name: string): Tensor => input(name, 'float', ['batch', config.dimension]);
  const ids = (name: string): Tensor => input(name, 'int', ['batch']);

  const compute = (inputs: readonly Tensor[], result: Tensor): ((feeds: NumericTensors) => NumericTensor) => {
    const program = createProgram({ name: 'reference', inputs, outputs: { result } });
    return (feeds) => evaluate(program, { ...values, ...feeds })['result']!;
  };
  const embedding = (inputs: readonly Tensor[], result: Tensor): Run => {
    const run = compute(inputs, result);
    return (feeds) => ({ embedding: float32(run(numericFeeds(feeds))) });
  };
  const scoreAll = compute([vectors('embedding')], scores(config, vectors('embedding'), entities));
  const rank = (vector: NumericTensor, k: number): TensorValues =>
    rankRows(scoreAll({ embedding: vector }), k);

  const operators: Record<OperatorName, () => Run> = {
    anchor: () => {
      // Not called `entities` here: the trained tensor has that name already.
      const run = embedding([ids('anchors')], gather(entities, ids('anchors')));
      return (feeds) => run({ anchors: feeds['entities']! });
    },
    project: () =>
      embedding(
        [vectors('operand'), ids('relations')],
        relationProjection(config, table, vectors('operand'), ids('relations')),
      ),
    conjunction: () =>
      embedding([vectors('left'), vectors('right')], logic.conjunction(vectors('left'), vectors('right'))),
    disjunction: () =>
      embedding([vectors('left'), vectors('right')], logic.disjunction(vectors('left'), vectors('right'))),
    negation: () => embedding([vectors('operand')], logic.negation(vectors('operand'))),
  };
  const rankGraph: Run = (feeds) => rank(numericFeeds(feeds)['embedding']!, feeds['k']!.data[0]!);

  const structureGraph = ({ template, anchors, relations }: Structure): Run => {
    const slots = (kind: string, count: number): Tensor[] => columnNames(kind, count).map(ids);
    const embed = compute(
      [...slots('anchor', anchors), ...slots('relation', relations)],
      embedTemplate(logic, template, {
        anchor: (slot) => gather(entities, ids(`anchor ${slot}`)),
        project: (slot, from) => relationProjection(config, table, from, ids(`relation ${slot}`)),
      }),
    );
    return (feeds) => {
      const vector = embed({
        ...columns('anchor', feeds['anchors']!),
        ...columns('relation', feeds['relations']!),
      });
      return { embedding: float32(vector) };
    };
  };

  const programGraph = (): Run => {
    const inputs = programSignature(config).inputs.map(({ name, dtype, shape }) => input(name, dtype, shape));
    const byName = Object.fromEntries(
      programSignature(config).inputs.map(({ name }, i) => [name, inputs[i]!]),
    );
    const embed = compute(
      inputs,
      embedProgram(
        {
          logic,
          anchor: (anchors) => gather(entities, anchors),
          project: (x, relations) => relationProjection(config, table, x, relations),
        },
        byName as Record<keyof ProgramPlan, Tensor>, // the inputs of the program graph are those of its plan
      ),
    );
    return (feeds) => {
      const vector = embed(numericFeeds(feeds));
      return { embedding: float32(vector) };
    };
  };

  const edgeGraph = (): Run => {
    const runs = structureNames.map((name) => structureGraph(structures[name]));
    return (feeds) => runs[feeds['structure']!.data[0]!]!(feeds);
  };

  return (name) => {
    if (name === 'rank') return rankGraph;
    if (name === 'program') return programGraph();
    if (name === 'edge') return edgeGraph();
    const structure = structureNames.find((known) => known === name);
    if (structure !== undefined) return structureGraph(structures[structure]);
    if (Object.hasOwn(operators, name)) return operators[name as OperatorName]();
    throw new FuzzError(
      'bundle',
      `graph: expected an operator, a structure, program or edge, got ${JSON.stringify(name)}`,
    );
  };
}

/** `models/fp32/2i.onnx` is graph `2i`. */
function nameOf(graph: GraphEntry): string {
  return graph.path.replace(/^.*\//, '').replace(/\.onnx$/, '');
}

/** A real runtime refuses what does not have the declared form, so this one does too. */
function checkFeeds(graph: GraphEntry, feeds: TensorValues): void {
  for (const { name, dtype, shape } of graph.inputs) {
    const feed = feeds[name];
    const isInt = feed?.data instanceof Int32Array;
    if (feed === undefined || isInt !== (dtype === 'int') || feed.dims.length !== shape.length) {
      throw new FuzzError('runtime', `${graph.path}: input "${name}" is missing or not ${dtype} [${shape}]`);
    }
  }
}

function numericFeeds(feeds: TensorValues): NumericTensors {
  return Object.fromEntries(
    Object.entries(feeds).map(([name, { dims, data }]) => [name, { shape: dims, data }]),
  );
}

function float32({ shape, data }: NumericTensor): TensorValue {
  return { dims: shape, data: Float32Array.from(data) };
}

function columnNames(kind: string, count: number): string[] {
  return Array.from({ length: count }, (_, slot) => `${kind} ${slot}`);
}

/** The columns of a [batch, slots] matrix as one vector a slot. */
function columns(kind: string, { dims, data }: TensorValue): NumericTensors {
  const [rows, count] = [dims[0]!, dims[1]!];
  return Object.fromEntries(
    columnNames(kind, count).map((name, slot) => [
      name,
      numeric(
        [rows],
        Int32Array.from({ length: rows }, (_, row) => data[row * count + slot]!),
      ),
    ]),
  );
}

function rankRows({ shape, data }: NumericTensor, k: number): TensorValues {
  const [rows, entities] = [shape[0]!, shape[1]!];
  const ids = new Int32Array(rows * k);
  const best = new Float32Array(rows * k);
  for (let row = 0; row < rows; row += 1) {
    const top = topK(Float64Array.from(data.subarray(row * entities, (row + 1) * entities)), k);
    ids.set(top.ids, row * k);
    best.set(top.scores, row * k);
  }
  return { ids: { dims: [rows, k], data: ids }, scores: { dims: [rows, k], data: best } };
}
