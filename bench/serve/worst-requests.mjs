// The most that one request may ask of each endpoint, within the limits of a server: what holds its event loop longest.
import { asEntityId, asRelationId } from '@fuzzqe/core';
import { and, entity, formatQuery, or, project, writeQuery } from '@fuzzqe/core/query';

const json = 'application/json';
const limits = { cost: 250, k: 1000, body: 250_000, steps: 5000, operands: 2 ** 16, assistant: 2000 };

/** Requests as `{name, method, path, type, body}`, for an engine's vocabulary, facts and costs. */
export function worstRequests({ vocabulary, facts, costOf }) {
  const { entityCount, relationCount } = facts;
  const link = (i) => project(asRelationId(i % relationCount), entity(asEntityId((i * 7) % entityCount)));
  const links = (count) => Array.from({ length: count }, (_, i) => link(i));
  /** The largest of what sizes make, half by half, that may be asked. */
  const largest = (size, make) => {
    for (let count = size; count > 2; count = Math.floor(count / 2)) {
      const { query, ...options } = make(count);
      if (costOf(query, options) <= limits.cost) return { query: writeQuery(query, vocabulary), ...options };
    }
    const { query, ...options } = make(2);
    return { query: writeQuery(query, vocabulary), ...options };
  };
  const k = Math.min(limits.k, entityCount);
  const explained = (count) => ({
    query: and(...links(count)),
    k: Math.min(k, Math.floor(limits.steps / (2 * count + 1))),
    explain: true,
  });
  const many = largest(500, (count) => ({
    query: and(...links(count)),
    k: Math.min(k, Math.floor(limits.operands / count)),
  }));
  const deepest = links(500);
  const pairs = '?x, ?y : #0(?x, ?y), #2(?y, ?z), #4(?z, ?x)';
  const hub = busiest(facts);
  const [relation] = [...facts.relationsOf(hub)].sort(
    (a, b) => facts.tails(hub, b).length - facts.tails(hub, a).length,
  );
  const post = (name, path, body, type = json) => ({
    name,
    method: 'POST',
    path,
    type,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const get = (name, path) => ({ name, method: 'GET', path });
  const label = (id) => vocabulary.entity(id).label;
  const slip = (text) => `${text.slice(0, -3)}${text.at(-2)}${text.at(-3)}${text.at(-1)}`;
  const mistyped = slip(label(Math.floor(entityCount / 2)));
  const unknown = `project(#0, ${JSON.stringify(`${mistyped} q`)})`;
  const keys = (count) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 1]));
  const lines = (count, line) => Array.from({ length: count }, (_, i) => JSON.stringify(line(i))).join('\n');
  const rows = 64;
  const search = (text, more = '') => `?q=${encodeURIComponent(text)}${more}`;
  const iri = (kind, { key }) => `<urn:fuzzqe:${kind}:${encodeURIComponent(key)}>`;
  const triples = Array.from({ length: 120 }, (_, i) => {
    const relation = iri('relation', vocabulary.relation((2 * i) % relationCount));
    return `{ ${iri('entity', vocabulary.entity(i % entityCount))} ${relation} ?x }`;
  });
  const sparql = `SELECT ?x ?degree ?known ?label { ${triples.slice(0, 40).join(' UNION ')} } LIMIT ${k}`;
  const sum = Array.from({ length: 700 }, (_, i) => (i % 60 === 59 ? '1 ' : '1')).join('+');
  const operators = `SELECT ?x { ${triples[0]} ${`FILTER(${sum} > 1) `.repeat(11)} }`;
  const ask = (name, given) =>
    post(`POST /mcp, ${name}`, '/mcp', {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: given },
    });
  return [
    post('POST /v1/query, many answers of many operands', '/v1/query', many),
    post('POST /v1/query, explained', '/v1/query', largest(64, explained)),
    post('POST /v1/query, by embedding', '/v1/query', { query: 'project(#0, #0)', k, mode: 'embedding' }),
    post('POST /v1/query, a text of many names', '/v1/query', {
      query: formatQuery(or(...deepest), vocabulary),
      mode: 'embedding',
    }),
    post('POST /v1/query, an unknown name', '/v1/query', { query: unknown }),
    post('POST /v1/query, unknown keys', '/v1/query', { query: '#0', ...keys(24_000) }),
    post('POST /v1/query, a long name', '/v1/query', { query: 'x'.repeat(limits.body) }),
    post('POST /v1/query, a filter by ids', '/v1/query', {
      query: 'project(#0, #0)',
      filter: { ids: Array.from({ length: 40_000 }, (_, i) => i % entityCount) },
    }),
    post('POST /v1/query/relations', '/v1/query/relations', {
      query: `project(#${relation}, #${hub})`,
      k: Math.min(k, 500),
    }),
    post(
      'POST /v1/query/batch, unknown names',
      '/v1/query/batch',
      lines(4, (i) => ({ query: `project(#0, ${JSON.stringify(`${slip(label(i))} q`)})` })),
      'application/x-ndjson',
    ),
    post(
      'POST /v1/query/batch, many answers',
      '/v1/query/batch',
      lines(3, () => many),
      'application/x-ndjson',
    ),
    post('POST /v1/patterns, many answers, explained', '/v1/patterns', {
      pattern: pairs,
      ...{ k, links: 8, explain: true },
    }),
    post('POST /v1/patterns, unknown names', '/v1/patterns', {
      pattern: `?x : ${Array.from({ length: 4 }, (_, i) => `#0(?x, ${JSON.stringify(`${slip(label(i))} q`)})`).join(', ')}`,
    }),
    post('POST /v1/patterns, a long name', '/v1/patterns', {
      pattern: `?x : ${'x'.repeat(limits.body - 100)}(?x, #0)`,
    }),
    get('GET /v1/entities, a letter', `/v1/entities${search('e', '&limit=1000')}`),
    get('GET /v1/entities, misspelt', `/v1/entities${search(mistyped)}`),
    get('GET /v1/entities, a long text', `/v1/entities${search('alpha river valley harbour meadow crown')}`),
    get('GET /v1/entities, no text', '/v1/entities?limit=1000'),
    get('GET /v1/entities/{id}', `/v1/entities/${hub}?limit=64&recorded=1000&predicted=0`),
    get('GET /v1/entities/{id}, an unknown name', `/v1/entities/${encodeURIComponent(`${mistyped} q`)}`),
    get('GET /v1/relations', '/v1/relations'),
    get('GET /v1/relations, misspelt', `/v1/relations${search(slip(vocabulary.relation(0).label))}`),
    get('GET /v1/structures', '/v1/structures'),
    get('GET /v1/models', '/v1/models'),
    get('GET /', '/'),
    get('GET /healthz', '/healthz'),
    get('GET /openapi.json', '/openapi.json'),
    get('GET /docs', '/docs'),
    get('GET /sparql', '/sparql'),
    post('POST /sparql', '/sparql', sparql, 'application/sparql-query'),
    post('POST /sparql, operators', '/sparql', operators, 'application/sparql-query'),
    ...['/v2', '/v2/health/live', '/v2/health/ready'].map((path) => get(`GET ${path}`, path)),
    post('POST /v2/models/fuzzqe/infer', '/v2/models/fuzzqe/infer', {
      inputs: [
        {
          name: 'query',
          datatype: 'BYTES',
          shape: [rows],
          data: Array.from({ length: rows }, (_, i) => `project(#0, #${i % entityCount})`),
        },
      ],
      parameters: { mode: 'embedding', k: Math.min(k, 500) },
      outputs: ['ids', 'scores', 'keys', 'labels'].map((name) => ({ name })),
    }),
    ask(
      'ask',
      largest(24, (count) => ({
        query: and(...links(count)),
        k: Math.min(k, 200, Math.floor(limits.assistant / count)),
      })),
    ),
    post('POST /mcp, unknown keys', '/mcp', { jsonrpc: '2.0', id: 1, method: 'ping', ...keys(24_000) }),
    ask('find_entities', { text: mistyped, limit: 100 }),
    ask('find_relations', { limit: 100 }),
    ask('describe_entity', { entity: `#${hub}`, relations: 64, recorded: 31, predicted: 0 }),
    ask('explain_answer', { query: largest(64, explained).query, entity: '#0' }),
  ];
}

/** The entity with most facts. */
function busiest(facts) {
  let best = 0;
  for (let id = 1; id < facts.entityCount; id += 1) if (facts.degree(id) > facts.degree(best)) best = id;
  return best;
}
