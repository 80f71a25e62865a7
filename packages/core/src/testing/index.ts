export { caseProgram, inputsOf, randomValues } from './case-program.ts';
export { difference } from './difference.ts';
export { type OpCase, opCases } from './op-cases.ts';
