import type { Profile } from '@fuzzqe/bundle';
import type { ModelConfig } from '@fuzzqe/core/model';
import { type Calibration, calibrationValues, createSetLogic, type SetGraphs } from '@fuzzqe/core/sets';
import { type NumericTensor, type NumericTensors, numeric } from '@fuzzqe/core/tensor';
import { openGraphs } from './run-graph.ts';

/** Works with what `answerSets` needs, by the graphs of an exported profile: ∧, ∨ and ¬ of sets take none. */
export async function withSetGraphs<T>(
  directory: string,
  profile: Profile,
  { entities, logic }: ModelConfig,
  calibration: Calibration,
  work: (graphs: SetGraphs) => Promise<T>,
): Promise<T> {
  const { run, close } = openGraphs(directory);
  const vector = (data: Float32Array | Int32Array): NumericTensor => numeric([data.length], data);
  const numbers = vector(calibrationValues(calibration));
  const degrees = async (graph: 'links' | 'projectSet', feeds: NumericTensors): Promise<Float32Array> => {
    const result = await run(profile[graph], { ...feeds, calibration: numbers });
    return Float32Array.from(result['degrees']!.data);
  };
  const graphs: SetGraphs = {
    links: ({ heads, relations, offsets }) =>
      degrees('links', { heads: vector(heads), relations: vector(relations), offsets: vector(offsets) }),
    projectSet: ({ heads, relation, offsets, membership, recorded }) =>
      degrees('projectSet', {
        heads: vector(heads),
        relation: numeric([1], [relation]),
        offsets: vector(offsets),
        membership: vector(membership),
        recorded: numeric([3, entities], recorded),
      }),
    ...createSetLogic(logic, calibration),
  };
  try {
    return await work(graphs);
  } finally {
    await close();
  }
}
