export { checkBatch, readSharedBatch } from '../store/check-batch.ts';
export type { FactBatch, FactChange, FactKeys, NewFactBatch, NewKeys } from '../store/fact-store.ts';
export { createNetChanges, type NetChanges } from '../store/net-changes.ts';
export { createSerial } from '../store/serial.ts';
export { type BadChange, badChanges, type ChangedThing } from './bad-changes.ts';
export {
  type AppliedBatch,
  type Counts,
  type EngineFacts,
  engineFacts,
  type Replayed,
} from './engine-facts.ts';
export { hasKey, keyIds, keysOfIds } from './fact-ids.ts';
export { type ChangedEntity, type GivenValue, nameEntities } from './name-entities.ts';
export { type NamedChange, nameFacts, nameNewFacts } from './name-facts.ts';
export type { FactOfIds, KnownProvenance } from './provenance-index.ts';
export { readDelta } from './read-delta.ts';
export { atLeastHeader, epochHeader, epochNotThere, wantedEpoch } from './wanted-epoch.ts';
