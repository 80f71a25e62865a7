export * from './evaluate.ts';
export * from './functions.ts';
export * from './numeric.ts';
export type { Binding, Operation } from './operation.ts';
export * from './ops/index.ts';
export * from './program.ts';
export * from './random.ts';
export * from './shape.ts';
export * from './tensor.ts';
