import { type StructureName, structures } from '@fuzzqe/core/query';
import type { ModelConfig } from '@fuzzqe/model';
import { slotCount } from './answer-program.ts';
import { enumerated, type TextMessage, type TextValue } from './text-format.ts';

/** What the models of a repository have in common. */
export interface RepositoryShape {
  /** What the names of its models begin with. */
  readonly name: string;
  /** How many answers a query gets. */
  readonly k: number;
  /** How many queries Triton may put into one run. */
  readonly maxBatch: number;
}

/** The file of labels of the entities, next to the configuration of `links`. */
export const labelsFile = 'labels.txt';

const tensor = (name: string, kind: 'INT64' | 'FP32', width: number): Record<string, TextValue> => ({
  name,
  data_type: enumerated(`TYPE_${kind}`),
  dims: width,
});

/** Of whatever waits while a run is computed Triton makes the next; where more waits than can be answered, it refuses. */
const batching: TextMessage = {
  default_queue_policy: {
    timeout_action: enumerated('REJECT'),
    default_timeout_microseconds: 30_000_000,
    max_queue_size: 512,
  },
};

const common = ({ maxBatch }: RepositoryShape, name: string): TextMessage => ({
  name,
  max_batch_size: maxBatch,
  version_policy: { latest: { num_versions: 1 } },
});

/** The best entities for queries of any structures, which holds the weights. */
export function answerConfig(shape: RepositoryShape): TextMessage {
  const inputs = [
    tensor('structure', 'INT64', 1),
    tensor('anchors', 'INT64', slotCount),
    tensor('relations', 'INT64', slotCount),
  ];
  return {
    ...common(shape, `${shape.name}-answer`),
    backend: 'onnxruntime',
    input: inputs,
    output: answers(shape),
    instance_group: { count: 1, kind: enumerated('KIND_AUTO') },
    dynamic_batching: batching,
    model_warmup: {
      name: 'one query',
      batch_size: 1,
      inputs: inputs.map(({ name, data_type, dims }) => ({
        key: name!,
        value: { data_type: data_type!, dims: dims!, zero_data: true },
      })),
    },
  };
}

/** Queries of one structure as rows of `answerConfig`: no weights, microseconds on a processor. */
export function slotsConfig(shape: RepositoryShape, structure: StructureName): TextMessage {
  return {
    ...common(shape, slotsName(shape, structure)),
    backend: 'onnxruntime',
    input: queryInputs(structure),
    output: [
      tensor('structure', 'INT64', 1),
      tensor('anchor_slots', 'INT64', slotCount),
      tensor('relation_slots', 'INT64', slotCount),
    ],
    instance_group: { count: 1, kind: enumerated('KIND_CPU') },
  };
}

/** Queries of one structure and their answers, with the tensors that our own server has for them. */
export function structureConfig(shape: RepositoryShape, structure: StructureName): TextMessage {
  const same = (...names: readonly string[]): TextMessage[] => mapped(names.map((name) => [name, name]));
  return {
    ...common(shape, `${shape.name}-${structure}`),
    platform: 'ensemble',
    input: queryInputs(structure),
    output: answers(shape),
    ensemble_scheduling: {
      step: [
        {
          model_name: slotsName(shape, structure),
          model_version: -1,
          input_map: same('anchors', 'relations'),
          output_map: same('structure', 'anchor_slots', 'relation_slots'),
        },
        {
          model_name: `${shape.name}-answer`,
          model_version: -1,
          input_map: mapped([
            ['structure', 'structure'],
            ['anchors', 'anchor_slots'],
            ['relations', 'relation_slots'],
          ]),
          output_map: same('ids', 'scores'),
        },
      ],
    },
  };
}

/** The model's scores of the links of a head and a relation, with the labels of the entities. */
export function linksConfig(shape: RepositoryShape, { entities }: ModelConfig): TextMessage {
  return {
    ...common(shape, `${shape.name}-links`),
    backend: 'onnxruntime',
    input: [tensor('heads', 'INT64', 1), tensor('relations', 'INT64', 1)],
    output: { ...tensor('scores', 'FP32', entities), label_filename: labelsFile },
    instance_group: { count: 1, kind: enumerated('KIND_AUTO') },
    dynamic_batching: batching,
  };
}

/** What the model that fills up queries of a structure is called. */
export const slotsName = ({ name }: Pick<RepositoryShape, 'name'>, structure: StructureName): string =>
  `${name}-${structure}-slots`;

const queryInputs = (structure: StructureName): TextMessage[] => [
  tensor('anchors', 'INT64', structures[structure].anchors),
  tensor('relations', 'INT64', structures[structure].relations),
];

const answers = ({ k }: RepositoryShape): TextMessage[] => [
  tensor('ids', 'INT64', k),
  tensor('scores', 'FP32', k),
];

const mapped = (pairs: readonly (readonly [string, string])[]): TextMessage[] =>
  pairs.map(([key, value]) => ({ key, value }));
