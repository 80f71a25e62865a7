import type { TimeLimit } from '@fuzzqe/api';
import type { Steps } from '@fuzzqe/core';
import { type Answer, checkCost, type Engine, inTurns, type SearchLimits } from '@fuzzqe/engine';
import type { Datatype, ProtocolModel } from './protocol-models.ts';
import type { InferenceRequest } from './read-inference-request.ts';

/** An output of a response. */
interface OutputTensor {
  readonly name: string;
  readonly datatype: Datatype;
  readonly shape: readonly number[];
  readonly data: readonly (number | string)[];
}

/** What an inference request is answered. */
export interface InferenceResponse {
  readonly model_name: string;
  readonly model_version: string;
  readonly id?: string;
  readonly outputs: readonly OutputTensor[];
}

/**
 * Answers the queries of a request together.
 *
 * @throws FuzzError `cost`: the queries take longer together than a request may. What the engine throws.
 *
 * Shapes: every output is [queries × most answers of one]; rows with fewer end in id -1 with degree or score 0 and empty names.
 */
export async function answerInference(
  engine: Engine,
  { name, outputs: described }: ProtocolModel,
  version: string,
  { id, queries, options, outputs }: InferenceRequest,
  { costLimit, onCost, ...limit }: TimeLimit & SearchLimits,
): Promise<InferenceResponse> {
  const costs = queries.map((query) => engine.costOf(query, options));
  const dearest = costs.reduce((best, cost, i) => (cost > costs[best]! ? i : best), 0);
  const total = costs.reduce((sum, cost) => sum + cost, 0);
  // What one request takes is limited, however many queries it divides that into.
  checkCost(queries[dearest]!, total, costLimit, `$.inputs, query ${dearest}`);
  onCost(total);
  const found: readonly Answer[] = await engine.answerAll(queries, { ...options, ...limit });
  const width = Math.max(...found.map(({ answers }) => answers.length));
  const shape = [found.length, width];
  function* tensors(): Steps<OutputTensor[]> {
    const all: OutputTensor[] = [];
    for (const output of outputs) {
      const { datatype } = described.find((each) => each.name === output)!;
      const data: (number | string)[] = [];
      for (const { answers } of found) {
        for (let i = 0; i < width; i += 1) data.push(cellOf(output, answers[i]));
        yield;
      }
      all.push({ name: output, datatype, shape, data });
    }
    return all;
  }
  return {
    model_name: name,
    model_version: version,
    ...(id === undefined ? {} : { id }),
    outputs: await inTurns(tensors(), limit),
  };
}

function cellOf(output: string, answer: Answer['answers'][number] | undefined): number | string {
  switch (output) {
    case 'ids':
      return answer?.id ?? -1;
    case 'keys':
      return answer?.key ?? '';
    case 'labels':
      return answer?.label ?? '';
    default:
      return answer === undefined ? 0 : 'degree' in answer ? answer.degree : answer.score;
  }
}
