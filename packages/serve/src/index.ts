export type { NamedChange } from '@fuzzqe/facts/apply';
export { type AccessKeys, createAccessKey, parseAccessKeys } from './access/access-keys.ts';
export { folderSource } from './bundle-source.ts';
export { bundleFolder } from './bundles/bundle-folder.ts';
export { isHubAddress } from './bundles/hub-address.ts';
export type { HubSettings } from './bundles/hub-server.ts';
export { type DeviceName, deviceNames } from './device.ts';
export { entitiesPart } from './facts/entities-part.ts';
export { type FactsPartOptions, factsPart } from './facts/facts-part.ts';
export { createLiveFacts, type LiveFacts, type NamesWritten } from './facts/live-facts.ts';
export { openLiveFacts } from './facts/open-live-facts.ts';
export { type UpdatableFacts, updatableFacts } from './facts/updatable-facts.ts';
export { inferenceProtocolPart } from './inference-protocol/inference-protocol-part.ts';
export { type JudgementsPartOptions, judgementsPart } from './judgements/judgements-part.ts';
export { type PlaygroundOptions, pageHeaders, playgroundPart } from './playground/playground-part.ts';
export { type IndexedOptions, openIndexedEngine, openIndexedRanker } from './pool/open-indexed-engine.ts';
export { type OpenIndex, openServingEngine, type ServingOptions } from './pool/open-serving-engine.ts';
export { createPooledRanker, type PoolOptions } from './pool/pooled-ranker.ts';
export { probeDevice } from './probe-device.ts';
export {
  type RunningServer,
  type ServerLimits,
  type ServerOptions,
  type ServerTimeouts,
  serverDefaults,
  startServer,
} from './server.ts';
export { factsAccess } from './service/facts-access.ts';
export { type Service, type ServiceOptions, startService } from './service/start-service.ts';
export { type NodeSessionOptions, nodeSessions } from './session.ts';
export { readSettings, type SettingSources } from './settings/read-settings.ts';
export type { Settings } from './settings/settings-table.ts';
export {
  createLog,
  type Log,
  type LogFields,
  type LogLevel,
  type LogOptions,
  logLevels,
} from './telemetry/log.ts';
export type {
  MetricSources,
  Metrics,
  RefusalReason,
  RequestSample,
} from './telemetry/metrics.ts';
export { openTracing, type Tracing, type TracingOptions } from './telemetry/tracing.ts';
export { type ChatTranslatorOptions, chatTranslator } from './words/chat-translator.ts';
export { translatorOf } from './words/translator-of.ts';
