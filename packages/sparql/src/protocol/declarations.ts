import {
  type Declaration,
  type Declare,
  type Form,
  type OpenApiObject,
  timeoutForm,
  timeoutHeader,
  titled,
} from '@fuzzqe/api';
import { asEntityId, asRelationId, schema } from '@fuzzqe/core';
import { entity, project } from '@fuzzqe/core/query';
import { leastAnswer } from '@fuzzqe/engine';
import { formatSparql } from '../format/index.ts';
import { resultFormats } from '../results/write-results.ts';

const { array, boolean, integer, object, oneOf, optional, string } = schema;
const text: OpenApiObject = { type: 'string', minLength: 1 };
const count = integer({ min: 0 });

const term = object({
  ...{ type: oneOf(['uri', 'literal', 'bnode']), value: string },
  ...{ datatype: optional(string), 'xml:lang': optional(string) },
});
const results = schema.union([
  object({
    head: object({ vars: array(string), link: optional(array(string)) }),
    results: object({ bindings: array(schema.record(term)) }),
  }),
  object({ head: object({ link: optional(array(string)) }), boolean }),
]);
const updated = object({
  ...{ epoch: count, added: count, removed: count, unchanged: count },
  created: optional(integer({ min: 1 })),
  repeated: optional(boolean),
});

const flag = { enum: ['true', 'false'], default: 'false' };
/** Parameters besides the text; others are left alone. */
const links: Readonly<Record<string, OpenApiObject>> = {
  minDegree: {
    ...{ type: 'number', exclusiveMinimum: 0, maximum: 1, default: leastAnswer },
    description: 'The lowest degree of a link that is not recorded.',
  },
  recorded: { ...flag, description: 'Whether recorded facts alone are read.' },
  ranked: { ...flag, description: 'Whether answers are ranked, as with ?degree.' },
};
const query = { ...text, description: 'Without it: the service description.' };
const create = {
  ...flag,
  description:
    'Whether facts that an update adds may have names that the graph lacks, which become entities and relations.',
};
const sent = {
  type: 'object',
  properties: { query: text, update: text },
  oneOf: [{ required: ['query'] }, { required: ['update'] }],
};
const [json, ...others] = resultFormats.map(({ mediaType }) => mediaType);

const reading: Declaration = {
  tag: 'SPARQL',
  summary: 'Answers a query of SPARQL 1.1',
  description:
    'A query reads recorded facts and links of a degree of 0.5 or more. With ?degree, ?known or ?label it ranks the answers of a tree with one variable. Results as the header Accept prefers. An update is answered with its epoch and counts, on a server whose facts change.',
  query: { properties: { query, ...links } },
  headers: { [timeoutHeader]: timeoutForm },
  answers: answersOf({}),
  problems: { ...titled(413, 415, 429, 504), 400: 'what of the text cannot be answered, and why.' },
};
const writing: Declaration = {
  ...reading,
  summary: 'Answers a query of SPARQL 1.1, or updates recorded facts',
  query: { properties: { create, ...links } },
  body: {
    'application/sparql-query': text,
    'application/sparql-update': { ...text },
    'application/x-www-form-urlencoded': sent,
  },
  answers: answersOf({ 'application/json': updated }),
  problems: {
    ...reading.problems,
    403: 'an update of a caller who may not write.',
    409: 'the id of another store of facts.',
    422: 'more changes than an update may have.',
  },
};

function answersOf(more: Readonly<Record<string, Form>>): Declaration['answers'] {
  return {
    200: {
      meaning: 'The results.',
      content: { [json!]: results, ...more, ...Object.fromEntries(others.map((type) => [type, string])) },
      headers: {
        'fuzzqe-warning': {
          type: 'string',
          description: 'What was answered by recorded facts without likely links, as `code: text`.',
        },
      },
    },
  };
}

/** What the protocol reads and answers. */
export const declareSparql: Declare = (_, { vocabulary }) => ({
  schemas: { SparqlResults: results, SparqlUpdated: updated },
  notes: { [timeoutHeader]: 'How long the client waits, in milliseconds.' },
  routes: Object.fromEntries(
    ['/sparql', '/v1/models/:name/sparql'].flatMap((path) => [
      [`GET ${path}`, reading],
      [
        `POST ${path}`,
        {
          ...writing,
          examples: {
            hop: {
              summary: 'One hop',
              value: formatSparql(project(asRelationId(0), entity(asEntityId(0))), vocabulary, { limit: 3 }),
            },
          },
        },
      ],
    ]),
  ),
});
