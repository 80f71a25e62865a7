export { caseProgram, inputsOf, randomValues } from './case-program.ts';
export { difference } from './difference.ts';
export { fuzzErrorOf } from './fuzz-error-of.ts';
export type { GradientCase, OpCase, OpTests } from './op-cases/op-case.ts';
export { opCases } from './op-cases.ts';
export { someGraph } from './some-graph.ts';
export { type PatternSizes, somePattern } from './some-pattern.ts';
export { someTree, type TreeSizes } from './some-tree.ts';
export { type StandInLinks, standInLinks } from './stand-in-links.ts';
