export * from './datasets/index.ts';
export * from './evaluation/index.ts';
export * from './sampling/index.ts';
