import type { DType } from '@fuzzqe/core/tensor';

/** The kinds of numbers that FuzzQE graphs use, with their numbers in onnx.proto. */
export const elementTypes = {
  float: 1,
  uint8: 2,
  int8: 3,
  int32: 6,
  int64: 7,
  bool: 9,
  float16: 10,
} as const;

/** A kind of numbers in an ONNX file. */
export type ElementType = keyof typeof elementTypes;

/** How many bytes one number takes. */
export const elementBytes: Readonly<Record<ElementType, number>> = {
  float: 4,
  uint8: 1,
  int8: 1,
  int32: 4,
  int64: 8,
  bool: 1,
  float16: 2,
};

/** How the numbers of a tensor program are stored. */
export const elementTypeOf: Readonly<Record<DType, ElementType>> = {
  float: 'float',
  int: 'int32',
  bool: 'bool',
  half: 'float16',
  int8: 'int8',
  uint8: 'uint8',
};

/** How many bytes one number of a tensor program takes in a file. */
export const elementSize = (dtype: DType): number => elementBytes[elementTypeOf[dtype]];

/** The kind of numbers under a number of onnx.proto, or nothing where FuzzQE does not use it. */
export function elementTypeNamed(number: number | undefined): ElementType | undefined {
  return (Object.keys(elementTypes) as ElementType[]).find((name) => elementTypes[name] === number);
}

/** What `type` of an attribute says about where its value is. */
export const attributeTypes = { f: 1, i: 2, s: 3, t: 4, g: 5, floats: 6, ints: 7 } as const;

/** `dataLocation` of a tensor whose numbers are in another file. */
export const externalLocation = 1;
