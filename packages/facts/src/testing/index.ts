export {
  describeFactStore,
  type FactStoreUnderTest,
  type FactTestRunner,
} from './describe-fact-store.ts';
export { batchesOf, lastChanges } from './read-store.ts';
