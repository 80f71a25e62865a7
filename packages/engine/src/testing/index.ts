export {
  describeSession,
  type SessionSetup,
  type SkippedCases,
  type TestRunner,
} from './describe-session.ts';
export { type MemoryBundle, memoryBundle } from './memory-bundle.ts';
export { referenceSessions } from './reference-sessions.ts';
export { type SessionCase, type SessionCaseContext, sessionCases } from './session-cases.ts';
