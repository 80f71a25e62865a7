import assert from 'node:assert/strict';
import { type Structure, structures } from '@fuzzqe/core/query';
import fc, { type Arbitrary } from 'fast-check';
import { jsonSigns, mutated, utf8 } from '../mutations.ts';
import { type HttpInput, text, tree } from './http-inputs.ts';
import { maybe } from './maybe.ts';

/** A tensor or a whole request, which edits may make anything of. */
type Json = Readonly<Record<string, unknown>>;
type Edit = (request: Json) => Json;

const tensor = (
  name: string,
  datatype: string,
  shape: readonly number[],
  data: readonly unknown[],
): Json => ({
  name,
  datatype,
  shape,
  data,
});

const rows = (values: readonly number[], width: number): number[][] =>
  Array.from({ length: values.length / width }, (_, i) => values.slice(i * width, (i + 1) * width));

/** Queries of one structure: ids in range, nested or flat. */
function idInputs({ anchors, relations }: Structure): Arbitrary<readonly Json[]> {
  const sizes = fc.oneof(
    { weight: 12, arbitrary: fc.integer({ min: 1, max: 4 }) },
    { weight: 1, arbitrary: fc.constantFrom(255, 256, 257) },
  );
  const shapes = fc.tuple(sizes, fc.boolean(), fc.integer({ min: 0, max: 39 }));
  return shapes.map(([batch, nested, first]) => {
    const ids = (width: number, count: number): number[] =>
      Array.from({ length: batch * width }, (_, i) => (first + 7 * i) % count);
    const given = (name: string, width: number, count: number): Json => {
      const flat = ids(width, count);
      return tensor(name, 'INT64', [batch, width], nested ? rows(flat, width) : flat);
    };
    return [given('anchors', anchors, 40), given('relations', relations, 6)];
  });
}

const plainText = fc.constantFrom(
  'project(r0, e1)',
  'and(project(r0, e1), not(e2))',
  '#3',
  '{"entity":"e1"}',
);
const oneText = fc.oneof(
  { weight: 4, arbitrary: plainText },
  { weight: 1, arbitrary: text },
  { weight: 1, arbitrary: tree.map((each) => JSON.stringify(each)) },
);
const textInputs: Arbitrary<readonly Json[]> = fc
  .oneof(
    { weight: 12, arbitrary: fc.array(plainText, { minLength: 1, maxLength: 4 }) },
    { weight: 12, arbitrary: fc.array(oneText, { minLength: 1, maxLength: 4 }) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(oneText, fc.constantFrom(256, 257, 3000))
        .map(([each, times]) => Array.from({ length: times }, () => each.slice(0, 400))),
    },
  )
  .map((texts) => [tensor('query', 'BYTES', [texts.length], texts)]);

const hostile = fc.constantFrom<unknown>(
  ...[0, -1, 0.5, 1e300, 2 ** 31, 2 ** 53, null, true, '', '1', 'e1', [], [[]], {}, '__proto__', '\ud800'],
);
const shape = fc.oneof(
  fc.constantFrom<unknown>(
    [],
    [0],
    [-1],
    [1e9],
    [2 ** 31, 2 ** 31],
    [2 ** 53 - 1, 2 ** 53 - 1],
    [1e300],
    [1, 0],
    [0.5],
    ['1'],
    null,
    '[1]',
    { length: 1 },
    [1, 1, 1, 1, 1, 1, 1, 1],
    Array.from({ length: 9 }, () => 1),
  ),
  fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 4 }),
);
const nestedIn = (depth: number, value: unknown): unknown =>
  Array.from({ length: depth }).reduce((inner) => [inner], value);
const asList = (data: unknown): readonly unknown[] => (Array.isArray(data) ? data : []);
const dataEdit: Arbitrary<(data: unknown) => unknown> = fc.oneof(
  hostile.map((value) => () => value),
  hostile.map((value) => (data: unknown) => [...asList(data), value]),
  hostile.map((value) => (data: unknown) => [value, ...asList(data).slice(1)]),
  fc.constant((data: unknown) => asList(data).slice(1)),
  fc.constant((data: unknown) => [data]),
  fc.constant((data: unknown) => asList(data).map((each) => [each])),
  fc.constant((data: unknown) => asList(data).flat()),
  fc.integer({ min: 2, max: 300 }).map((depth) => (data: unknown) => nestedIn(depth, data)),
  fc
    .oneof(
      { weight: 9, arbitrary: fc.integer({ min: 1, max: 300 }) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 20_000 }) },
    )
    .map((size) => () => Array.from({ length: size }, () => 1)),
);

const withInputs =
  (change: (inputs: readonly Json[]) => readonly unknown[]): Edit =>
  (request) => ({ ...request, inputs: change(asList(request['inputs']) as readonly Json[]) });
/** Changes one of the tensors, by its place; what follows other edits may be none. */
const withTensor = (place: number, change: (tensor: Json) => Json): Edit =>
  withInputs((inputs) =>
    inputs.map((each, i) => (i === place % inputs.length && typeof each === 'object' ? change(each) : each)),
  );
const place = fc.nat({ max: 1 });
const tensorEdit = (change: Arbitrary<(tensor: Json) => Json>): Arbitrary<Edit> =>
  fc.tuple(place, change).map(([at, of]) => withTensor(at, of));
const setKey = (key: string, value: Arbitrary<unknown>): Arbitrary<Edit> =>
  value.map((each) => (request) => ({ ...request, [key]: each }));

const names = fc.constantFrom<unknown>(
  'query',
  'anchors',
  'relations',
  'ids',
  '',
  '__proto__',
  'x'.repeat(9999),
  1,
);
const parameters = fc.record(
  {
    mode: fc.constantFrom<unknown>('sets', 'embedding', 'both', 1),
    k: fc.constantFrom<unknown>(1, 3, 40, 41, 1000, 1001, 0, -1, 0.5, '1', 2 ** 53),
    exclude: fc.constantFrom<unknown>('known', 'none', 'all'),
    min_degree: fc.constantFrom<unknown>(0, 0.5, 1, 2, -1, '0'),
    binary_data_output: fc.constantFrom<unknown>(true, false, 1),
    priority: hostile,
  },
  { requiredKeys: [] },
);
const edit: Arbitrary<Edit> = fc.oneof(
  tensorEdit(names.map((name) => (each) => ({ ...each, name }))),
  tensorEdit(
    fc
      .constantFrom<unknown>('INT64', 'INT32', 'BYTES', 'FP32', 'BOOL', 'int64', '', null)
      .map((datatype) => (each) => ({ ...each, datatype })),
  ),
  tensorEdit(shape.map((value) => (each) => ({ ...each, shape: value }))),
  tensorEdit(dataEdit.map((change) => (each) => ({ ...each, data: change(each['data']) }))),
  tensorEdit(
    fc
      .constantFrom<unknown>({ binary_data_size: 8 }, { binary_data: false }, {}, [], null)
      .map((value) => (each) => ({ ...each, parameters: value })),
  ),
  tensorEdit(
    fc.constantFrom('name', 'shape', 'datatype', 'data').map(
      (key) =>
        ({ [key]: _, ...rest }) =>
          rest,
    ),
  ),
  // Twice, none, or very many of them.
  place.map((at) => withInputs((inputs) => [...inputs, inputs[at] ?? inputs[0]])),
  place.map((at) => withInputs((inputs) => inputs.filter((_, i) => i !== at))),
  fc
    .constantFrom(17, 1000)
    .map((times) => withInputs(([first]) => Array.from({ length: times }, () => first))),
  setKey('inputs', hostile),
  setKey('parameters', fc.oneof({ weight: 4, arbitrary: parameters }, hostile)),
  setKey('id', fc.oneof(hostile, fc.string({ maxLength: 3000 }))),
  setKey(
    'outputs',
    fc.oneof(
      fc.array(
        fc.record({
          name: fc.constantFrom<unknown>(
            'ids',
            'degrees',
            'scores',
            'keys',
            'labels',
            '',
            'x'.repeat(9999),
            1,
          ),
          parameters: maybe(hostile),
        }),
        { maxLength: 6 },
      ),
      hostile,
    ),
  ),
  setKey('extra', hostile),
);

const models: readonly (readonly [string, Arbitrary<readonly Json[]>])[] = [
  ['fuzzqe', textInputs],
  ...Object.values(structures).map((each) => [`fuzzqe-${each.name}`, idInputs(each)] as const),
];
/** Texts, which have the most to go wrong, half of the time. */
const model = fc.oneof(fc.constant(models[0]!), fc.constantFrom(...models));
const path = (name: string): Arbitrary<string> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constant(`/v2/models/${name}/infer`) },
    { weight: 1, arbitrary: fc.constant(`/v2/models/${name}/versions/1/infer`) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '/v2/models/fuzzqe-pni/infer',
        '/v2/models/fuzzqe-/infer',
        '/v2/models/-2in/infer',
        '/v2/models/%00/infer',
        '/v2/models/%ff/infer',
        '/v2/models/__proto__/infer',
        `/v2/models/${'x'.repeat(5000)}/infer`,
        '/v2/models/fuzzqe/versions/2/infer',
        '/v2/models/fuzzqe/infer/',
      ),
    },
  );
const body: Arbitrary<readonly [string, string]> = model.chain(([name, inputs]) =>
  fc.tuple(
    path(name),
    fc
      .tuple(
        inputs,
        fc.oneof({ weight: 1, arbitrary: parameters }, { weight: 2, arbitrary: fc.constant({ k: 3 }) }),
        fc.oneof(
          { weight: 1, arbitrary: fc.constant([]) },
          { weight: 2, arbitrary: fc.array(edit, { maxLength: 3 }) },
        ),
      )
      .map(([tensors, options, edits]) => {
        const request: Json = { id: 'one', inputs: tensors, parameters: options };
        return JSON.stringify(edits.reduce((each, change) => change(each), request)).slice(0, 1 << 19);
      }),
  ),
);

/** Requests of the Open Inference Protocol: to what it says of itself, and for answers. */
export const inferenceInput: Arbitrary<HttpInput> = body.chain(([where, json]) =>
  fc
    .tuple(
      fc.oneof(
        { weight: 3, arbitrary: fc.constant(Buffer.from(json)) },
        {
          weight: 1,
          arbitrary: mutated(utf8(fc.constant(json)), [
            ...jsonSigns,
            '"inputs":',
            '"data":[',
            '[[[[[[[[',
            '9'.repeat(400),
          ]),
        },
      ),
      fc.oneof(
        { weight: 24, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: fc.constant([['inference-header-content-length', '20'] as const]) },
      ),
    )
    .map(([bytes, headers]) => ({
      method: 'POST',
      path: where,
      headers,
      body: Buffer.from(bytes).toString('latin1'),
    })),
);

interface Response {
  readonly outputs: readonly {
    readonly name: string;
    readonly datatype: string;
    readonly shape: readonly [number, number];
    readonly data: readonly unknown[];
  }[];
}

/** Holds an answer to its own shapes: rows of numbers or of texts, each output once. */
export function expectTensors(answer: string): void {
  const { outputs } = JSON.parse(answer) as Response;
  assert.equal(new Set(outputs.map(({ name }) => name)).size, outputs.length);
  for (const { name, datatype, shape, data } of outputs) {
    assert.deepEqual(shape, outputs[0]!.shape);
    assert.equal(data.length, shape[0] * shape[1], name);
    const type = datatype === 'BYTES' ? 'string' : 'number';
    assert.ok(
      data.every((value) => typeof value === type),
      name,
    );
    if (name === 'ids') assert.ok(data.every((id) => Number(id) >= -1 && Number(id) < 40));
  }
}

/** How many queries a request has that was answered, for the bound on the answer. */
export function queriesOf(answer: string): number {
  return (JSON.parse(answer) as Response).outputs[0]?.shape[0] ?? 0;
}
