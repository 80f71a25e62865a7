import { type ModelConfig, sizeOf } from '@fuzzqe/core';
import { layoutWeights, type WeightLayout } from '@fuzzqe/onnx';
import { type TableName, tableNames, tableShapes } from '../programs/tables.ts';

/** Where each table stands in the weights file. */
export function weightsLayout(config: ModelConfig): WeightLayout {
  const shapes = tableShapes(config);
  return layoutWeights(
    tableNames.map((name) => ({
      name,
      dtype: 'float',
      shape: shapes[name],
      bytes: { byteLength: sizeOf(shapes[name]) * Float32Array.BYTES_PER_ELEMENT },
    })),
  );
}

/** The bytes of the weights file from its beginning: tables at their places, zeros between them. */
export function* weightsBytes(
  layout: WeightLayout,
  tables: Readonly<Record<TableName, () => Iterable<Float32Array>>>,
): Generator<Uint8Array> {
  let position = 0;
  for (const [name, { offset, length }] of layout.places) {
    if (offset > position) yield new Uint8Array(offset - position);
    // The layout was made of the tables' names.
    for (const block of tables[name as TableName]()) {
      // Little-endian on every machine that runs Node and ONNX Runtime.
      yield new Uint8Array(block.buffer, block.byteOffset, block.byteLength);
    }
    position = offset + length;
  }
}
