import { FuzzError, messageOf, schema } from '@fuzzqe/core';

/**
 * Reads the body of a request, or says everything that is wrong with it, and where the first of that stands.
 *
 * @throws FuzzError `query`.
 */
export function readRequest<T>(
  reader: schema.Schema<T>,
  body: unknown,
  example = '{"query": "project(#0, #1)"}',
): T {
  try {
    return schema.parse(reader, body, { code: 'query', what: 'request', path: '$' });
  } catch (error) {
    // Whatever is not read has an issue.
    const { path } = schema.issuesOf(reader, body)[0]!;
    throw new FuzzError('query', messageOf(error), {
      path,
      hint: `For example ${path === '$.model' ? '/v1/models/NAME/query' : example}.`,
    });
  }
}
