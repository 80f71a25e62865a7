import { type OperatorName, programSignature } from '@fuzzqe/bundle';
import { emptyKnowledgeGraph, FuzzError } from '@fuzzqe/core';
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
import {
  centroidsIn,
  embedProgram,
  embedTemplate,
  entityEmbedding,
  linkScores,
  logicOf,
  type ModelConfig,
  numericParameters,
  type Parameters,
  relationDomains,
  relationProjection,
  relationWeights,
  scores,
  trainedParameters,
} from '@fuzzqe/model';
import type { TensorValue, TensorValues } from '../sessions/session.ts';

/** What a graph computes. */
export type GraphRun = (feeds: TensorValues) => TensorValues;

/** What each graph of a bundle computes in float64, by its name. */
export function referenceGraphs(config: ModelConfig, parameters: Parameters): (name: string) => GraphRun {
  const values = numericParameters(config, parameters);
  const trained = trainedParameters(config);
  const entities = entityEmbedding(config, trained.entities);
  const table = relationWeights(config, trained);
  const logic = logicOf(config);
  const vectors = (name: string): Tensor => input(name, 'float', ['batch', config.dimension]);
  const ids = (name: string): Tensor => input(name, 'int', ['batch']);

  const compute = (inputs: readonly Tensor[], result: Tensor): ((feeds: NumericTensors) => NumericTensor) => {
    const program = createProgram({ name: 'reference', inputs, outputs: { result } });
    return (feeds) => evaluate(program, { ...values, ...feeds })['result']!;
  };
  const graph = (inputs: readonly Tensor[], result: Tensor, output = 'embedding'): GraphRun => {
    const run = compute(inputs, result);
    return (feeds) => ({ [output]: float32(run(numericFeeds(feeds))) });
  };

  // Which heads relations have is the graphs' business alone: here those of no facts.
  const domains = relationDomains(emptyKnowledgeGraph(config.entities, config.relations));
  const centroid = centroidsIn(config, entities, domains);
  const operators: Record<OperatorName | 'centroid', () => GraphRun> = {
    anchor: () => {
      // Not called `entities` here: the trained tensor has that name already.
      const run = graph([ids('anchors')], gather(entities, ids('anchors')));
      return (feeds) => run({ anchors: feeds['entities']! });
    },
    project: () =>
      graph(
        [vectors('operand'), ids('relations')],
        relationProjection(config, table, vectors('operand'), ids('relations')),
      ),
    conjunction: () =>
      graph([vectors('left'), vectors('right')], logic.conjunction(vectors('left'), vectors('right'))),
    disjunction: () =>
      graph([vectors('left'), vectors('right')], logic.disjunction(vectors('left'), vectors('right'))),
    negation: () => graph([vectors('operand')], logic.negation(vectors('operand'))),
    // Only bundles of models with centroids have this graph.
    centroid: () =>
      graph([vectors('operand'), ids('relations')], centroid!(vectors('operand'), ids('relations'))),
  };

  const structureGraph = ({ template, anchors, relations }: Structure): GraphRun => {
    const slots = (kind: string, count: number): Tensor[] => columnNames(kind, count).map(ids);
    const embed = compute(
      [...slots('anchor', anchors), ...slots('relation', relations)],
      embedTemplate(logic, template, {
        anchor: (slot) => gather(entities, ids(`anchor ${slot}`)),
        project: (slot, from) => relationProjection(config, table, from, ids(`relation ${slot}`)),
        centroid: centroid && ((slot, from) => centroid(from, ids(`relation ${slot}`))),
      }),
    );
    return (feeds) => ({
      embedding: float32(
        embed({ ...columns('anchor', feeds['anchors']!), ...columns('relation', feeds['relations']!) }),
      ),
    });
  };

  const programGraph = (): GraphRun => {
    const inputs = programSignature(config).inputs.map(
      ({ name, dtype, shape }) => [name, input(name, dtype, shape)] as const,
    );
    return graph(
      inputs.map(([, tensor]) => tensor),
      embedProgram(
        {
          logic,
          anchor: (anchors) => gather(entities, anchors),
          project: (x, relations) => relationProjection(config, table, x, relations),
          centroid,
        },
        // The inputs of the program graph are those of its plan.
        Object.fromEntries(inputs) as Record<keyof ProgramPlan, Tensor>,
      ),
    );
  };

  const edgeGraph = (): GraphRun => {
    const runs = structureNames.map((name) => structureGraph(structures[name]));
    return (feeds) => runs[feeds['structure']!.data[0]!]!(feeds);
  };

  const rankGraph = (): GraphRun => {
    const scoreAll = compute([vectors('embedding')], scores(config, vectors('embedding'), entities));
    return ({ embedding, allowed, k }) =>
      rankRows(scoreAll(numericFeeds({ embedding: embedding! })), allowed!.data, k!.data[0]!);
  };

  const others: Readonly<Record<string, () => GraphRun>> = {
    ...operators,
    program: programGraph,
    edge: edgeGraph,
    rank: rankGraph,
    links: () =>
      graph(
        [ids('heads'), ids('relations')],
        linkScores(
          config,
          relationProjection(config, table, gather(entities, ids('heads')), ids('relations')),
          entities,
        ),
        'scores',
      ),
  };

  return (name) => {
    const structure = structureNames.find((known) => known === name);
    if (structure !== undefined) return structureGraph(structures[structure]);
    if (Object.hasOwn(others, name)) return others[name]!();
    throw new FuzzError('bundle', `graph: expected a graph of a profile, got ${JSON.stringify(name)}`);
  };
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

function rankRows({ shape, data }: NumericTensor, allowed: ArrayLike<number>, k: number): TensorValues {
  const [rows, entities] = [shape[0]!, shape[1]!];
  const ids = new Int32Array(rows * k);
  const best = new Float32Array(rows * k);
  for (let row = 0; row < rows; row += 1) {
    const open = Float64Array.from({ length: entities }, (_, id) =>
      allowed[row * entities + id]! >= 0.5 ? data[row * entities + id]! : -1,
    );
    const top = topK(open, k);
    ids.set(top.ids, row * k);
    best.set(top.scores, row * k);
  }
  return { ids: { dims: [rows, k], data: ids }, scores: { dims: [rows, k], data: best } };
}
