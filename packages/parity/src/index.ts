export { type DrawOptions, randomTree } from './cases/parity-case.ts';
export { type LawSides, type Sides, type Violation, violationOf } from './laws/check-law.ts';
export {
  type CounterExample,
  checkLaws,
  type LawFinding,
  type LawOptions,
  type LawReport,
  type LawRow,
  lawTolerances,
} from './laws/check-laws.ts';
export { furtherLaws } from './laws/further-laws.ts';
export { type OperatorGraphs, openOperatorGraphs, sidesOfDegrees } from './laws/graph-sides.ts';
export { type Law, type LawClaim, lawProgram, type TruthAlgebra, tensorAlgebra } from './laws/law.ts';
export { laws, paperLaws } from './laws/laws.ts';
export type {
  LargestDifference,
  ParityCell,
  ParityFailure,
  ParityMatrix,
  SkippedRuntime,
} from './matrix/matrix.ts';
export { openReference, type Reference } from './reference/reference.ts';
export { expectParity } from './reports/expect-parity.ts';
export { formatHtml } from './reports/format-html.ts';
export { formatMatrix, summaryOf } from './reports/format-text.ts';
export { type ParityOptions, runParity } from './run-parity.ts';
export { wasmFile } from './runtimes/bundle-host.ts';
export { type ParityRuntimeName, parityRuntimeNames, parityRuntimes } from './runtimes/registry.ts';
export type { Answerer, ParityRuntime, ParityTarget } from './runtimes/runtime.ts';
