export {
  batchesOf,
  describeFactStore,
  type FactStoreUnderTest,
  type FactTestRunner,
  lastChanges,
} from './describe-fact-store.ts';
