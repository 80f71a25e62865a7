import type { OpenApiObject } from '@fuzzqe/api';

/** An answer in the words of OpenAPI: what it means, and the schema of its body. */
export const describedAnswer = (
  description: string,
  schema: OpenApiObject,
  mediaType = 'application/json',
): OpenApiObject => ({ description, content: { [mediaType]: { schema } } });
