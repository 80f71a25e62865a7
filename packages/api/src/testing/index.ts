export { type BoundProbe, boundProbes, isRefused } from './bound-probes.ts';
export { checkResponses, type ResponseCheck, type SchemaValidator } from './check-responses.ts';
