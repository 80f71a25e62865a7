export { type BoundProbe, boundProbes, type Refusal, refusalOf } from './bound-probes.ts';
export { checkResponses, type ResponseCheck, type SchemaValidator } from './check-responses.ts';
