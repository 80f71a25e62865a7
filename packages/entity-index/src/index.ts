export {
  type AddressOption,
  type IndexAddress,
  type IndexKind,
  type IndexMethod,
  indexKinds,
  parseIndexAddress,
} from './address/index-address.ts';
export { type EntityIndexOptions, openEntityIndex } from './open/open-entity-index.ts';
export { type PushOptions, type PushResult, pushIndex } from './push/push-index.ts';
export { measureRecall, type Recall } from './recall/measure-recall.ts';
export type { CallPatience } from './store/index-calls.ts';
export type { IndexContent, StoredIndex } from './store/index-content.ts';
