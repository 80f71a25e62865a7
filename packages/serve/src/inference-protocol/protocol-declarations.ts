import {
  answered,
  type Declaration,
  type Declare,
  type FieldNotes,
  timeoutForm,
  timeoutHeader,
  titled,
} from '@fuzzqe/api';
import { schema } from '@fuzzqe/core';
import { inferenceForm } from './read-inference-request.ts';
import { largestBatch } from './read-tensor.ts';

const { array, boolean, integer, object, oneOf, optional, string } = schema;

const tag = 'Open Inference Protocol';
const tensor = {
  name: string,
  datatype: oneOf(['INT64', 'FP32', 'BYTES']),
  shape: array(integer({ min: -1 })),
};
const described = array(object(tensor));
const metadata = object({
  ...{ name: string, versions: array(string), platform: string },
  ...{ inputs: described, outputs: described },
});
const inferred = object({
  ...{ model_name: string, model_version: string, id: optional(string) },
  outputs: array(object({ ...tensor, data: array(schema.anything) })),
});
const live = object({ live: boolean });
const ready = object({ ready: boolean });
const modelReady = object({ name: string, ready: boolean });
const server = object({ name: string, version: string, extensions: array(string) });
const refusal = object({ error: string });

const notes: FieldNotes = {
  id: 'Comes back in the answer.',
  model_name: { description: 'That of the address, where a client repeats it.', minLength: 1 },
  parameters: 'How to answer, as in POST /v1/query.',
  inputs: 'What the model takes.',
  outputs: 'Which outputs are wanted. Default: ids, and degrees or scores.',
  data: 'Row by row, nested or flat.',
  [timeoutHeader]: 'How long the client waits, in milliseconds.',
};

/** The protocol. */
export const declareProtocol: Declare = ({ maxK }, { facts }) => {
  const infer: Declaration = {
    ...{ tag, refusal, summary: 'Answers the queries of a model' },
    path: { name: { type: 'string', example: 'fuzzqe' }, version: { type: 'string', example: '1' } },
    headers: { [timeoutHeader]: timeoutForm },
    notes: {
      k: { maximum: Math.min(maxK, facts.entityCount) },
      inputs: {
        description: 'What the model takes: query, or anchors and relations.',
        minItems: 1,
      },
      datatype: { enum: ['INT64', 'BYTES'] },
      shape: { items: { type: 'integer', minimum: 1, maximum: largestBatch } },
    },
    body: { 'application/json': inferenceForm },
    examples: {
      query: {
        summary: 'One query as text',
        value: {
          id: 'one',
          parameters: { k: 3 },
          inputs: [{ name: 'query', datatype: 'BYTES', shape: [1], data: ['project(#0, #1)'] }],
        },
      },
    },
    answers: { 200: answered(inferred, 'Tensors, a row a query.') },
    problems: titled(400, 413, 415, 422, 429, 504),
  };
  const ofModel = (path: string): Record<string, Declaration> => ({
    [`GET ${path}`]: {
      ...{ tag, refusal, path: infer.path!, summary: 'Describes a model' },
      answers: { 200: answered(metadata, 'Its inputs and outputs.') },
    },
    [`GET ${path}/ready`]: {
      ...{ tag, refusal, path: infer.path!, summary: 'Says whether a model is ready' },
      answers: { 200: answered(modelReady, 'It is.'), 503: answered(modelReady, 'It is not.') },
    },
    [`POST ${path}/infer`]: infer,
  });
  return {
    notes,
    routes: {
      'GET /v2': { tag, summary: 'Describes the server', answers: { 200: answered(server) } },
      'GET /v2/health/live': {
        ...{ tag, summary: 'Says that the server runs', isProbe: true },
        answers: { 200: answered(live, 'It does.') },
      },
      'GET /v2/health/ready': {
        ...{ tag, summary: 'Says whether every model is ready', isProbe: true },
        answers: { 200: answered(ready, 'They are.'), 503: answered(ready, 'They are not.') },
      },
      ...ofModel('/v2/models/:name'),
      ...ofModel('/v2/models/:name/versions/:version'),
    },
  };
};
