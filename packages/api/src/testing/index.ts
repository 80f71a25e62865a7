export { checkResponses, type ResponseCheck, type SchemaValidator } from './check-responses.ts';
