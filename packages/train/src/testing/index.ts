export { float64Scorer } from './float64-scorer.ts';
export {
  type ContractCase,
  type ContractResult,
  compareWithReference,
  contractCases,
  describeTrainingRuntime,
  outsideTolerances,
  type TestRunner,
  trainingTolerances,
} from './training-contract.ts';
