export {
  describeSweepStore,
  type StoreTestRunner,
  type StoreUnderTest,
} from './describe-sweep-store.ts';
