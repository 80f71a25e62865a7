import { attributeTypes } from '../proto/element-type.ts';
import type { OnnxAttribute } from '../proto/model.ts';

/** Attributes of a node as they are written in a lowering. */
export type Attributes = Readonly<Record<string, number | string | readonly number[]>>;

/** The attributes of a node, sorted by name so that the bytes do not depend on how they were written down. */
export function toAttributes(attributes: Attributes): OnnxAttribute[] {
  return Object.entries(attributes)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => {
      const none = { name, floats: [], ints: [] };
      if (typeof value === 'number') return { ...none, i: value, type: attributeTypes.i };
      if (typeof value === 'string') return { ...none, s: asciiBytes(value), type: attributeTypes.s };
      return { ...none, ints: value, type: attributeTypes.ints };
    });
}

/** Words of ONNX are ASCII; a TextEncoder would need a platform that has one. */
function asciiBytes(word: string): Uint8Array {
  return Uint8Array.from(word, (letter) => letter.charCodeAt(0));
}
