export * from './errors.ts';
export * from './tensor/index.ts';
