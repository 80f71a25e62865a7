export { documentation } from './documentation.ts';
export type { OpenApiOptions } from './openapi-document.ts';
