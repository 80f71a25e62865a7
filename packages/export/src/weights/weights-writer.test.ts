import { layoutWeights } from '@fuzzqe/onnx';
import { describe, expect, it } from 'vitest';
import { weightsWriter } from './weights-writer.ts';

const layout = layoutWeights(
  ['a', 'b'].map((name) => ({ name, dtype: 'float' as const, shape: [2], bytes: { byteLength: 8 } })),
);

/** A writer of tensors `a` and `b` of 8 bytes each, and what it has written. */
function writer() {
  const pieces: Uint8Array[] = [];
  const file = {
    write: async (bytes: string | Uint8Array) => void pieces.push(Buffer.from(bytes)),
    close: async () => undefined,
  };
  const { put, close } = weightsWriter(file, layout);
  const add = (tensor: string, length: number) => put([{ tensor, bytes: new Uint8Array(length).fill(1) }]);
  return { add, close, written: () => Buffer.concat(pieces) };
}

describe('a file of weights', () => {
  it('has each tensor at its place, whatever the pieces, and zeros between', async () => {
    const { add, close, written } = writer();
    for (const [tensor, length] of [
      ['a', 3],
      ['a', 5],
      ['b', 8],
    ] as const)
      await add(tensor, length);
    await close();
    const expected = Buffer.alloc(layout.size);
    for (const { offset, length } of layout.places.values()) expected.fill(1, offset, offset + length);
    expect(written()).toEqual(expected);
  });

  it('is refused with bytes that are missing, too many or of another tensor', async () => {
    const few = writer();
    await few.add('a', 8);
    await few.add('b', 7);
    await expect(few.close()).rejects.toMatchObject({ code: 'shape' });
    await expect(few.add('b', 2)).rejects.toMatchObject({ code: 'shape' });
    await expect(writer().add('b', 8)).rejects.toMatchObject({ code: 'shape' });
  });
});
