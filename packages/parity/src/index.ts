export { type DrawOptions, randomTree } from './cases/parity-case.ts';
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
