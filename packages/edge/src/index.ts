export { createEdgeApp, type EdgeApp, type EdgeAppOptions } from './app.ts';
export { type Fetch, fetchSource } from './bundle-source.ts';
export { type WebRuntime, type WebSessionOptions, webSessions } from './session.ts';
