import { describeValue, FuzzError, schema } from '@fuzzqe/core';
import type { TensorMetadata } from './protocol-models.ts';

/** The most queries of one request. */
export const largestBatch = 256;

/** An input as a request gives it. */
export interface GivenTensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly datatype: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly data: readonly unknown[];
}

/** Reads what a request says of an input, not yet whether it is the one that the model wants. */
export const givenTensor: schema.Schema<GivenTensor> = schema.object({
  name: schema.string,
  shape: schema.array(schema.integer({ min: 0 }), { min: 1, max: 8 }),
  datatype: schema.string,
  parameters: schema.optional(schema.record(schema.anything)),
  data: schema.array(schema.anything),
});

/** The values of a tensor in row-major order. */
export interface Tensor<T> {
  readonly shape: readonly number[];
  readonly values: readonly T[];
}

/**
 * A tensor of whole numbers, as INT64 says.
 *
 * @throws FuzzError `query` or `shape` problems as FuzzError `query`.
 */
export function readIntegers(given: GivenTensor, expected: TensorMetadata, path: string): Tensor<number> {
  return readValues(given, expected, path, 'an integer', (value): value is number =>
    Number.isSafeInteger(value),
  );
}

/** A tensor of texts, as BYTES are in JSON. */
export function readTexts(given: GivenTensor, expected: TensorMetadata, path: string): Tensor<string> {
  return readValues(given, expected, path, 'a string', (value): value is string => typeof value === 'string');
}

/**
 * Holds a tensor to what the model expects.
 *
 * Shapes: -1 in `expected` is the size of the batch, in [1, 256]. Data may be nested as the shape says, or flat.
 *
 * @throws FuzzError `query`: another datatype or shape, data that the shape does not describe, or a value of another kind.
 */
function readValues<T>(
  { name, shape, datatype, parameters = {}, data }: GivenTensor,
  expected: TensorMetadata,
  path: string,
  kind: string,
  isValue: (value: unknown) => value is T,
): Tensor<T> {
  const fail = (at: string, wanted: string, got: string, hint: string): FuzzError =>
    new FuzzError('query', `input "${name}": expected ${wanted}, got ${got}`, { path: `${path}${at}`, hint });
  if ('binary_data_size' in parameters)
    throw fail(
      '.parameters',
      'data as JSON',
      'binary data',
      'This server has no extensions: send with binary_data=False.',
    );
  if (datatype !== expected.datatype)
    throw fail(
      '.datatype',
      expected.datatype,
      JSON.stringify(datatype),
      'GET /v2/models/NAME describes the inputs.',
    );
  const fits =
    shape.length === expected.shape.length &&
    expected.shape.every((size, i) => size === -1 || size === shape[i]);
  const wanted = `the shape [${expected.shape.join(', ')}]`;
  if (!fits)
    throw fail(
      '.shape',
      wanted,
      `[${shape.join(', ')}]`,
      '-1 is the number of queries; GET /v2/models/NAME describes the inputs.',
    );
  const [batch = 0] = shape;
  if (batch < 1 || batch > largestBatch)
    throw fail('.shape[0]', `1 to ${largestBatch} queries`, `${batch}`, 'Split the request into several.');
  const values: T[] = [];
  const take = (value: unknown, at: string): void => {
    if (!isValue(value))
      throw fail(at, kind, describeValue(value), `Data of ${datatype} are ${kind.replace(/^an? /, '')}s.`);
    values.push(value);
  };
  const visit = (items: readonly unknown[], [size, ...inner]: readonly number[], at: string): void => {
    if (items.length !== size)
      throw fail(
        at,
        `${size} items for the shape [${shape.join(', ')}]`,
        `${items.length}`,
        'Give data nested as the shape says, or flat.',
      );
    items.forEach((item, i) => {
      if (inner.length === 0) take(item, `${at}[${i}]`);
      else if (Array.isArray(item)) visit(item, inner, `${at}[${i}]`);
      else
        throw fail(
          `${at}[${i}]`,
          'an array',
          describeValue(item),
          'Give data nested as the shape says, or flat.',
        );
    });
  };
  const total = shape.reduce((product, size) => product * size, 1);
  visit(data, data.some(Array.isArray) ? shape : [total], '.data');
  return { shape, values };
}
