import type { Profile } from '@fuzzqe/core/bundle';
import type { ModelConfig } from '@fuzzqe/core/model';
import { type Calibration, calibrationValues, type SetGraphs } from '@fuzzqe/core/sets';
import { type NumericTensor, type NumericTensors, numeric } from '@fuzzqe/core/tensor';
import { runGraph } from './run-graph.ts';

/** What `answerSets` needs, by the graphs of an exported profile: sets are filled up with zeros to rows of d. */
export function exportedSetGraphs(
  directory: string,
  profile: Profile,
  { entities, dimension: d }: ModelConfig,
  calibration: Calibration,
): SetGraphs {
  const vector = (data: Float32Array | Int32Array): NumericTensor => numeric([data.length], data);
  const numbers = vector(calibrationValues(calibration));
  const degrees = async (graph: 'links' | 'projectSet', feeds: NumericTensors): Promise<Float32Array> => {
    const result = await runGraph(directory, profile[graph], { ...feeds, calibration: numbers });
    return Float32Array.from(result['degrees']!.data);
  };
  const rows = (set: Float32Array): NumericTensor => {
    const count = Math.ceil(entities / d);
    const filled = new Float32Array(count * d);
    filled.set(set);
    return numeric([count, d], filled);
  };
  const operator = async (
    name: 'conjunction' | 'disjunction' | 'negation',
    feeds: NumericTensors,
  ): Promise<Float32Array> => {
    const { embedding } = await runGraph(directory, profile.operators[name], feeds);
    return Float32Array.from(embedding!.data.subarray(0, entities));
  };
  return {
    links: ({ heads, relations, offsets }) =>
      degrees('links', { heads: vector(heads), relations: vector(relations), offsets: vector(offsets) }),
    projectSet: ({ heads, relation, offsets, membership, recorded }) =>
      degrees('projectSet', {
        heads: vector(heads),
        relation: numeric([1], [relation]),
        offsets: vector(offsets),
        membership: vector(membership),
        recorded: numeric([2, entities], recorded),
      }),
    and: (left, right) => operator('conjunction', { left: rows(left), right: rows(right) }),
    or: (left, right) => operator('disjunction', { left: rows(left), right: rows(right) }),
    not: (operand) => operator('negation', { operand: rows(operand) }),
  };
}
