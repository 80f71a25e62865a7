export { dateText, withValidity } from '@fuzzqe/names';
export { type FollowedFacts, type FollowOptions, openFollowedFacts } from './follow/open-followed-facts.ts';
export { type FactLogOptions, openFactLog } from './log/open-fact-log.ts';
export { createMemoryFacts } from './memory/create-memory-facts.ts';
export { factsAddress, type OpenFactsOptions, openFacts } from './open/open-facts.ts';
export { openPostgresFacts, type PostgresFactsOptions } from './postgres/open-postgres-facts.ts';
export { openSparqlFacts, type SparqlFactsOptions } from './sparql/open-sparql-facts.ts';
export { changeKinds, factFields, mostBatchBytes, mostChanges } from './store/check-batch.ts';
export { aliasFields, type EntityNames, namesSchema, valueFields } from './store/entity-names.ts';
export type {
  ChangeKind,
  FactBatch,
  FactChange,
  FactKeys,
  FactStore,
  FollowState,
  NewFactBatch,
  NewKeys,
  SharedFactStore,
} from './store/fact-store.ts';
export { createNetChanges, factText, type NetChanges } from './store/net-changes.ts';
export { createNetNames, type NetNames } from './store/net-names.ts';
export { createSerial } from './store/serial.ts';
export { textForm } from './store/text-fields.ts';
