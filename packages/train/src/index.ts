export * from './datasets/index.ts';
export * from './sampling/index.ts';
