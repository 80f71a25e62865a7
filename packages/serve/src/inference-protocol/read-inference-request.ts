import { FuzzError, schema, type Vocabulary } from '@fuzzqe/core';
import { instantiate, type Query, readQueryString } from '@fuzzqe/core/query';
import { type AnswerMode, type AnswerOptions, answerModes } from '@fuzzqe/engine';
import type { ProtocolModel } from './protocol-models.ts';
import { type GivenTensor, givenTensor, readIntegers, readTexts } from './read-tensor.ts';

/** A request for answers, read. */
export interface InferenceRequest {
  readonly id: string | undefined;
  readonly queries: readonly Query[];
  readonly options: AnswerOptions;
  readonly mode: AnswerMode;
  /** The names of the outputs that are wanted, in that order. */
  readonly outputs: readonly string[];
}

const parameters = schema.object({
  mode: schema.withDefault(schema.oneOf(answerModes), 'sets'),
  k: schema.optional(schema.integer({ min: 1 })),
  exclude: schema.withDefault(schema.oneOf(['known', 'none']), 'none'),
  min_degree: schema.optional(schema.number({ min: 0, max: 1 })),
  /** Clients of Triton ask for it unasked; a server without the extension answers as JSON. */
  binary_data_output: schema.optional(schema.boolean),
});

const fields = {
  id: schema.optional(schema.string),
  /** KServe's client says once more what the address says. */
  model_name: schema.optional(schema.string),
  parameters: schema.optional(schema.record(schema.anything)),
  inputs: schema.array(givenTensor, { max: 16 }),
  outputs: schema.optional(
    schema.array(
      schema.object({ name: schema.string, parameters: schema.optional(schema.record(schema.anything)) }),
      { max: 16 },
    ),
  ),
};
const request = schema.object(fields);

/** A request with its parameters, which are read by themselves. */
export const inferenceForm: schema.Schema<unknown> = schema.object({
  ...fields,
  parameters: schema.optional(parameters),
});

/**
 * Reads the body of an inference request.
 *
 * @throws FuzzError `query`, `range` or `vocabulary`, with the JSON path of the place.
 */
export function readInferenceRequest(
  body: unknown,
  model: ProtocolModel,
  vocabulary: Vocabulary,
  maxK: number,
): InferenceRequest {
  const given = schema.parse(request, body, { code: 'query', what: 'request', path: '$' });
  if (given.model_name !== undefined && given.model_name !== model.name)
    throw new FuzzError(
      'query',
      `model_name: expected ${JSON.stringify(model.name)}, as in the address, got ${JSON.stringify(given.model_name.slice(0, 100))}`,
      { path: '$.model_name', hint: 'Leave it out, or ask that model.' },
    );
  const { mode, k, exclude, min_degree } = schema.parse(parameters, given.parameters ?? {}, {
    code: 'query',
    what: 'parameters',
    path: '$.parameters',
  });
  if (k !== undefined && k > maxK)
    throw new FuzzError('range', `k: expected an integer in [1, ${maxK}], got ${k}`, {
      path: '$.parameters.k',
      hint: `This server gives at most ${maxK} answers.`,
    });
  const inputs = inputsByName(given.inputs, model);
  return {
    id: given.id,
    queries:
      model.structure === undefined
        ? readTextQueries(inputs, vocabulary)
        : readIdQueries(inputs, model, vocabulary),
    // The engine refuses what the mode does not have.
    options: {
      mode,
      exclude,
      // Tensors have no place that tells them from answers.
      ...(mode === 'sets' ? { suggestions: false } : {}),
      ...(k === undefined ? {} : { k }),
      ...(min_degree === undefined ? {} : { minDegree: min_degree }),
    } as AnswerOptions,
    mode,
    outputs: wantedOutputs(
      given.outputs?.map(({ name }) => name),
      model,
      mode,
    ),
  };
}

type Inputs = ReadonlyMap<string, { readonly tensor: GivenTensor; readonly path: string }>;

/** Each input that the model has, once. */
function inputsByName(given: readonly GivenTensor[], { name: model, inputs }: ProtocolModel): Inputs {
  const expected = inputs.map(({ name }) => name);
  const found = new Map<string, { readonly tensor: GivenTensor; readonly path: string }>();
  given.forEach((tensor, i) => {
    const path = `$.inputs[${i}]`;
    const twice = found.has(tensor.name);
    if (!twice && expected.includes(tensor.name)) found.set(tensor.name, { tensor, path });
    else throw unexpectedName(`inputs of ${model}`, expected, `${tensor.name}`, twice, `${path}.name`);
  });
  const missing = expected.find((name) => !found.has(name));
  if (missing === undefined) return found;
  throw new FuzzError('query', `inputs of ${model}: expected ${expected.join(', ')}, got no "${missing}"`, {
    path: '$.inputs',
    hint: 'GET /v2/models/NAME describes the inputs.',
  });
}

function readTextQueries(inputs: Inputs, vocabulary: Vocabulary): Query[] {
  const { tensor, path } = inputs.get('query')!;
  const { values } = readTexts(tensor, { name: 'query', datatype: 'BYTES', shape: [-1] }, path);
  return values.map((text, i) => readQueryString(text, vocabulary, `${path}.data[${i}]`));
}

function readIdQueries(
  inputs: Inputs,
  { structure, inputs: expected }: ProtocolModel,
  vocabulary: Vocabulary,
): Query[] {
  const [anchors, relations] = expected.map((metadata) => {
    const { tensor, path } = inputs.get(metadata.name)!;
    const read = readIntegers(tensor, metadata, path);
    const [kind, count] =
      metadata.name === 'anchors'
        ? ['entity', vocabulary.entityCount]
        : ['relation', vocabulary.relationCount];
    const wrong = read.values.findIndex((id) => id < 0 || id >= Number(count));
    if (wrong >= 0)
      throw new FuzzError(
        'range',
        `input "${metadata.name}": expected ids of ${kind} in [0, ${count}), got ${read.values[wrong]}`,
        {
          path: `${path}.data, value ${wrong}`,
          hint:
            kind === 'entity'
              ? 'Use an id of the bundle.'
              : 'Relation 2k is the k-th of the bundle, and 2k+1 its inverse.',
        },
      );
    return read;
  });
  const [batch, width, steps] = [anchors!.shape[0]!, anchors!.shape[1]!, relations!.shape[1]!];
  if (relations!.shape[0] !== batch)
    throw new FuzzError(
      'query',
      `inputs: expected as many rows of relations as of anchors, ${batch}, got ${relations!.shape[0]}`,
      {
        path: `${inputs.get('relations')!.path}.shape[0]`,
        hint: 'A row of each makes one query.',
      },
    );
  return Array.from({ length: batch }, (_, i) =>
    instantiate(
      structure!.template,
      anchors!.values.slice(i * width, (i + 1) * width),
      relations!.values.slice(i * steps, (i + 1) * steps),
    ),
  );
}

/** The outputs that a client names, or all that the mode has but names, which are many times as long. */
function wantedOutputs(
  given: readonly string[] | undefined,
  { name: model, outputs }: ProtocolModel,
  mode: AnswerMode,
): string[] {
  const other = mode === 'sets' ? 'scores' : 'degrees';
  const present = outputs.map(({ name }) => name).filter((name) => name !== other);
  if (given === undefined || given.length === 0)
    return present.filter((name) => name !== 'keys' && name !== 'labels');
  const wanted: string[] = [];
  given.forEach((name, i) => {
    const twice = wanted.includes(name);
    if (twice || !present.includes(name))
      throw unexpectedName(
        `outputs of ${model} in mode ${mode}`,
        present,
        name,
        twice,
        `$.outputs[${i}].name`,
      );
    wanted.push(name);
  });
  return wanted;
}

function unexpectedName(
  what: string,
  expected: readonly string[],
  name: string,
  twice: boolean,
  path: string,
): FuzzError {
  const got = JSON.stringify(name.slice(0, 200));
  return new FuzzError(
    'query',
    `${what}: expected ${expected.join(', ')}, got ${got}${twice ? ' twice' : ''}`,
    {
      path,
      hint: 'GET /v2/models/NAME describes inputs and outputs.',
    },
  );
}
