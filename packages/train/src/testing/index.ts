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
