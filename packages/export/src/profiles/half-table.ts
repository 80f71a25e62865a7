import { FuzzError } from '@fuzzqe/core';
import { encodeHalf } from '@fuzzqe/core/tensor';

/** float32 numbers as the bits of float16. Throws: 'checkpoint' for a number that is too large. */
export function halfTable(name: string, table: Float32Array): Uint16Array {
  const halves = new Uint16Array(table.length);
  for (let i = 0; i < table.length; i += 1) {
    const half = encodeHalf(table[i]!);
    if ((half & 0x7fff) >= 0x7c00)
      throw new FuzzError('checkpoint', `expected numbers that float16 can hold, got ${table[i]}`, {
        path: `${name}[${i}]`,
        hint: 'Leave this profile out: its numbers end at 65504.',
      });
    halves[i] = half;
  }
  return halves;
}
