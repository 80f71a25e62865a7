export { createEdgeApp, type EdgeApp, type EdgeAppOptions, type RequestContext } from './app.ts';
export { type FetchSourceOptions, fetchSource, type ReadProgress } from './bundle-source.ts';
export type { Fetch } from './read-attempts.ts';
export { type WebRuntime, type WebSessionOptions, type WebSessions, webSessions } from './session.ts';
