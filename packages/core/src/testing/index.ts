export * from './case-program.ts';
export * from './difference.ts';
export * from './op-cases.ts';
