import type { GraphEntry, Manifest } from '@fuzzqe/bundle';
import type { Session, TensorValue, TensorValues } from '../sessions/session.ts';

/** Fails a case. */
export function expectThat(condition: boolean, otherwise: string): void {
  if (!condition) throw new Error(otherwise);
}

/** Fails a case unless the work fails. */
export async function expectFailure(what: string, work: () => Promise<unknown>): Promise<void> {
  const failed = await work().then(
    () => false,
    () => true,
  );
  expectThat(failed, `expected ${what} to be refused`);
}

/** Fails a case unless an `anchor` session still answers. */
export async function expectWorking(session: Session): Promise<void> {
  const outputs = await session.run({ entities: int32([0]) });
  expectThat(outputs['embedding'] !== undefined, 'the session gives no embedding any more');
}

/** Fails a case unless both hold the same numbers, bit for bit. */
export function expectSame(actual: TensorValues, expected: TensorValues): void {
  for (const [name, { data }] of Object.entries(expected)) {
    const other = actual[name]?.data;
    expectThat(
      other?.length === data.length && data.every((value, i) => value === other[i]),
      `${name} differs between runs`,
    );
  }
}

/** `float32 [1,8]`. */
export function describeTensor({ dims, data }: TensorValue): string {
  return `${data instanceof Int32Array ? 'int32' : 'float32'} [${dims}]`;
}

/** A vector of ids. */
export function int32(values: readonly number[]): TensorValue {
  return { dims: [values.length], data: Int32Array.from(values) };
}

/** Where a row of a [batch, …] tensor begins and ends. */
export function rowOf({ dims, data }: TensorValue, row: number): [number, number] {
  const width = data.length / dims[0]!;
  return [row * width, (row + 1) * width];
}

/** What the graph of structure 1p takes. */
export function feeds1p(anchors: readonly number[], relations: readonly number[]): TensorValues {
  const column = (values: readonly number[]): TensorValue => ({ ...int32(values), dims: [values.length, 1] });
  return { anchors: column(anchors), relations: column(relations) };
}

/** Feeds of the declared form for any graph: small ids that differ, and vectors within [0,1]. */
export function feedsFor(
  graph: GraphEntry,
  dimensions: { readonly batch: number; readonly k: number },
  manifest: Manifest,
): TensorValues {
  const { entities, relations } = manifest.model;
  // Terms of 0 read the first register as it is.
  const limits: Readonly<Record<string, number>> = {
    entities,
    anchors: entities,
    heads: entities,
    secondTerms: 1,
    thirdTerms: 1,
    answerTerms: 1,
  };
  return Object.fromEntries(
    graph.inputs.map(({ name, dtype, shape }) => {
      if (name === 'k') return [name, int32([dimensions.k])];
      const dims = shape.map((dim) => (typeof dim === 'number' ? dim : dimensions.batch));
      const size = dims.reduce((product, dim) => product * dim, 1);
      const limit = limits[name] ?? relations;
      const data =
        dtype === 'int'
          ? Int32Array.from({ length: size }, (_, i) => i % limit)
          : Float32Array.from({ length: size }, (_, i) => ((i * 7) % 11) / 11);
      return [name, { dims, data }];
    }),
  );
}
