import type { OpenApiPart } from '../part/api-part.ts';

const json = 'application/json';
const problem = (description: string) => ({
  description,
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
});
const operation = (suffix: string) => ({
  operationId: `ask${suffix}`,
  summary: 'Answers a question in words',
  description:
    'Writes the pattern that the question means, by templates or by the translator of the server, and answers the pattern. The translator never writes an answer.',
  tags: ['Queries'],
  requestBody: {
    required: true,
    content: {
      [json]: {
        schema: { $ref: '#/components/schemas/Question' },
        examples: { question: { summary: 'One hop', value: { question: 'what borders France' } } },
      },
    },
  },
  responses: {
    200: {
      description: 'The pattern, and its answer.',
      content: { [json]: { schema: { $ref: '#/components/schemas/QuestionAnswer' } } },
    },
    400: problem('Bad Request: no pattern is found for the question, or an option is wrong.'),
    ...(suffix === '' ? {} : { 404: problem('Not Found') }),
    413: problem('Content Too Large'),
    415: problem('Unsupported Media Type'),
    422: problem('Unprocessable Content'),
    429: problem('Too Many Requests'),
    500: problem('Internal Server Error'),
    503: problem('Service Unavailable: also if the translator does not answer.'),
    504: problem('Gateway Timeout'),
  },
});

const listing = (suffix: string) => ({
  operationId: `listQuestions${suffix}`,
  summary: 'Lists questions that may be asked in words',
  description:
    'Questions over the facts of the graph that templates know, and whether a translator reads others.',
  tags: ['Queries'],
  responses: {
    200: {
      description: 'The answer.',
      content: { [json]: { schema: { $ref: '#/components/schemas/Questions' } } },
    },
    ...(suffix === '' ? {} : { 404: problem('Not Found') }),
    503: problem('Service Unavailable'),
  },
});

/** What questions in words are and give, for programs. */
export const wordsOpenApi: OpenApiPart = {
  paths: {
    '/v1/ask': { get: listing(''), post: operation('') },
    '/v1/models/{name}/ask': {
      parameters: [{ name: 'name', in: 'path', required: true, schema: { type: 'string' } }],
      get: listing('-of-model'),
      post: operation('-of-model'),
    },
  },
  schemas: {
    Question: {
      type: 'object',
      required: ['question'],
      properties: {
        question: { type: 'string', minLength: 1, maxLength: 500 },
        run: { type: 'boolean', description: 'Whether the pattern is answered; true unless given.' },
        k: { type: 'integer', description: 'This and the rest are the options of POST /v1/patterns.' },
        minDegree: { type: 'number', minimum: 0, maximum: 1 },
        at: { type: 'string' },
        suggestions: { type: 'boolean' },
        exclude: { enum: ['known', 'none'] },
        explain: { type: 'boolean' },
        count: { type: 'boolean', description: 'Default: whether the question asks how many.' },
        links: { type: 'integer', minimum: 1, maximum: 65_536 },
        width: { type: 'integer', minimum: 1, maximum: 65_536 },
        order: { type: 'object' },
        timeoutMs: { type: 'integer', minimum: 1 },
      },
      additionalProperties: false,
    },
    Questions: {
      type: 'object',
      required: ['questions', 'translator'],
      properties: {
        questions: { type: 'array', items: { type: 'string' } },
        translator: { type: 'boolean' },
      },
    },
    QuestionAnswer: {
      type: 'object',
      required: ['question', 'by', 'pattern', 'count'],
      properties: {
        question: { type: 'string' },
        by: { enum: ['templates', 'translator'], description: 'What wrote the pattern.' },
        pattern: {
          type: 'object',
          required: ['text', 'json'],
          properties: { text: { type: 'string' }, json: { $ref: '#/components/schemas/Pattern' } },
        },
        count: { type: 'boolean', description: 'Whether the question asks how many.' },
        answer: { $ref: '#/components/schemas/PatternAnswer' },
      },
    },
  },
};
