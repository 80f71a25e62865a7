import { type App, createApp, createModelRegistry } from '@fuzzqe/api';
import { documentation } from '@fuzzqe/api/documentation';
import { checkResponses } from '@fuzzqe/api/testing';
import { asEntityId, asRelationId } from '@fuzzqe/core';
import {
  entity as fromEntity,
  instantiate,
  parsePatternText,
  project,
  type Query,
  structureNames,
  structures,
} from '@fuzzqe/core/query';
import { type Engine, openEngine } from '@fuzzqe/engine';
import { memoryBundle, referenceSessions } from '@fuzzqe/engine/testing';
import { Ajv2020 } from 'ajv/dist/2020.js';
import {
  type IBindings,
  type ISparqlEndpointFetcherArgs,
  SparqlEndpointFetcher,
} from 'fetch-sparql-endpoint';
import { type Literal, Parser } from 'n3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatSparql, sparqlPart } from '../index.ts';
import { parseSyntax } from '../syntax/index.ts';

const json = 'application/sparql-results+json';
const relation = (name: string): string => `<urn:fuzzqe:relation:${name}>`;
const entity = (name: string): string => `<urn:fuzzqe:entity:${name}>`;

describe('the SPARQL protocol', () => {
  let engine: Engine;
  let app: App;
  beforeAll(async () => {
    const { source, config, parameters } = await memoryBundle();
    engine = await openEngine({ source, sessions: referenceSessions(config, parameters) });
    const served = createApp(engine, { mount: [sparqlPart(), documentation()] });
    const openapi = await (await served.request('/openapi.json')).json();
    expect(openapi.paths).toHaveProperty(['/v1/models/{name}/sparql', 'post']);
    // Every answer in JSON has to be as described.
    ({ app } = checkResponses(served, openapi, new Ajv2020({ strict: false })));
  });
  afterAll(() => engine.close());

  const get = (query: string, accept?: string): Promise<Response> =>
    Promise.resolve(
      app.request(
        `/sparql?query=${encodeURIComponent(query)}`,
        accept === undefined ? {} : { headers: { accept } },
      ),
    );
  const rowsOf = async (query: string): Promise<Record<string, { value: string }>[]> => {
    const response = await get(query);
    const answered = await response.json();
    expect([response.status, answered.detail]).toEqual([200, undefined]);
    return answered.results.bindings;
  };
  /** What the engine answers, as rows of ?x and ?degree. */
  const expected = async (query: Query, k: number): Promise<unknown[]> =>
    (await engine.answer(query, { k, minDegree: 0.01 })).answers.map(({ key, degree }) => ({
      x: `urn:fuzzqe:entity:${key}`,
      degree,
    }));
  const asked = async (query: string): Promise<unknown[]> =>
    (await rowsOf(query)).map(({ x, degree }) => ({ x: x!.value, degree: Number(degree!.value) }));

  it('shares the turns of its caller', async () => {
    const callers: unknown[] = [];
    const answer = (...[query, options]: Parameters<Engine['answer']>): Promise<unknown> => {
      callers.push(options?.caller);
      return engine.answer(query, options);
    };
    const match = (...[pattern, options]: Parameters<Engine['match']>): Promise<unknown> => {
      callers.push(options?.caller);
      return engine.match(pattern, options);
    };
    const served = createApp(
      { ...engine, answer: answer as Engine['answer'], match: match as Engine['match'] },
      {
        mount: [
          sparqlPart({
            parse: async (text, { caller, signal, deadline }, unit) => {
              expect(signal.aborted || deadline <= performance.now()).toBe(false);
              callers.push(caller);
              return parseSyntax(text, unit);
            },
          }),
        ],
        middleware: [
          (context, next) => {
            context.set('caller', 'ann');
            return next();
          },
        ],
      },
    );
    for (const columns of ['?x', '?x ?degree']) {
      callers.length = 0;
      const query = `SELECT ${columns} { ${entity('e1')} ${relation('r0')} ?x }`;
      const response = await served.request(`/sparql?query=${encodeURIComponent(query)}`);
      expect([response.status, callers], columns).toEqual([200, ['ann', 'ann']]);
    }
  });

  it('answers every structure as the engine answers its tree', async () => {
    for (const name of structureNames) {
      const { template, anchors, relations } = structures[name];
      const ids = Array.from({ length: anchors }, (_, i) => 7 * i + 1);
      const steps = Array.from({ length: relations }, (_, i) => (3 * i + 2) % 6);
      const query = instantiate(template, ids, steps);
      const rows = await asked(formatSparql(query, engine.vocabulary, { limit: 40 }));
      expect(rows, name).toEqual(await expected(query, 40));
    }
    // Another question has another answer.
    const swapped = (first: number, second: number): Query =>
      instantiate(structures['2p'].template, [1], [asRelationId(first), asRelationId(second)]);
    const text = formatSparql(swapped(0, 2), engine.vocabulary, { limit: 40 });
    expect(await asked(text)).not.toEqual(await expected(swapped(2, 0), 40));
  });

  it.each([
    ['a pair', '?x ?y', '?x relation:r0 ?y . ?y relation:r1 entity:e3', '?x, ?y : r0(?x, ?y), r1(?y, e3)'],
    ['a circle', '?y ?x', '?x relation:r0 ?y . ?y relation:r1 ?x', '?y, ?x : r0(?x, ?y), r1(?y, ?x)'],
    [
      'a negation between two',
      '?x ?y',
      '?x relation:r0 ?y MINUS { ?y relation:r2 ?x } FILTER(?x != ?y)',
      '?x, ?y : r0(?x, ?y), not r2(?y, ?x), ?x != ?y',
    ],
  ])('ranks the answers of %s as its pattern', async (_, select, patterns, pattern) => {
    const rows = await rowsOf(`SELECT ${select} ?xLabel ?degree { ${patterns} } LIMIT 20`);
    const { rows: found } = await engine.match(parsePatternText(pattern, engine.vocabulary), {
      ...{ k: 20, minDegree: 0.01, suggestions: false },
    });
    const names = select.replaceAll('?', '').split(' ');
    expect(found.length).toBeGreaterThan(3);
    expect(rows.map((row) => [...names.map((name) => row[name]!.value), row['degree']!.value])).toEqual(
      found.map(({ entities, degree }) => [
        ...entities.map(({ key }) => `urn:fuzzqe:entity:${key}`),
        String(degree),
      ]),
    );
    const at = names.indexOf('x');
    expect(rows.map((row) => row['xLabel']!.value)).toEqual(found.map(({ entities }) => entities[at]!.label));
  });

  it('asks of several variables whether they have a likely solution', async () => {
    const askOf = async (patterns: string): Promise<unknown> =>
      (await (await get(`ASK { ${patterns} }`)).json()).boolean;
    expect(await askOf('?x relation:r0 ?y FILTER(?degree >= 0.5)')).toBe(true);
    expect(await askOf('?x relation:r0 ?x FILTER(?degree > 1) ')).toBe(false);
  });

  it('gives what is recorded first, with degree 1, where a pattern is asked in full', async () => {
    const [head, link] = engine.facts.forwardTriples();
    for (const inverse of [0, 1]) {
      const [from, step] = inverse === 0 ? [head!, link!] : [engine.facts.headsOf(link! + 1)[0]!, link! + 1];
      const recorded = [...engine.facts.tails(from, step)].map((id) => `urn:fuzzqe:entity:e${id}`);
      const [subject, object] = inverse === 0 ? [`entity:e${from}`, '?x'] : ['?x', `entity:e${from}`];
      const rows = await rowsOf(
        `SELECT ?x ?degree ?known { ${subject} relation:r${link! / 2} ${object} FILTER(?degree >= 0) }`,
      );
      const first = rows.slice(0, recorded.length);
      expect(first.map(({ x }) => x!.value).sort()).toEqual(recorded.sort());
      expect(first.every(({ degree, known }) => degree!.value === '1' && known!.value === 'true')).toBe(true);
      expect(rows.length).toBeGreaterThan(recorded.length);
      const alone = await rowsOf(`SELECT ?x { ${subject} relation:r${link! / 2} ${object} }`);
      const likely = rows.filter(({ degree }, i) => i < recorded.length || Number(degree!.value) >= 0.5);
      expect(alone.map(({ x }) => x!.value)).toEqual(likely.map(({ x }) => x!.value));
      const ranked = await rowsOf(
        `SELECT ?x ?degree { ${subject} relation:r${link! / 2} ${object} } LIMIT 40`,
      );
      expect(ranked).toHaveLength(rows.filter(({ degree }) => Number(degree!.value) >= 0.01).length);
      expect(rows.slice(recorded.length).every(({ known }) => known!.value === 'false')).toBe(true);
    }
  });

  it('sorts, cuts and filters the answers', async () => {
    const bare = 'entity:e1 relation:r0/relation:r1 ?x';
    const pattern = `${bare} FILTER(?degree >= 0)`;
    const all = await rowsOf(`SELECT ?x ?degree ?known ?label { ${pattern} }`);
    const names = all.map(({ x }) => x!.value);
    const degrees = all.map(({ degree }) => Number(degree!.value));
    expect(names.length).toBeGreaterThan(5);
    const of = async (rest: string): Promise<string[]> =>
      (await rowsOf(`SELECT ?x ?degree ${rest}`)).map(({ x }) => x!.value);
    expect(await of(`{ ${pattern} } OFFSET 2 LIMIT 3`)).toEqual(names.slice(2, 5));
    expect(await of(`{ ${pattern} } LIMIT 0`)).toEqual([]);
    expect(await of(`{ ${pattern} } OFFSET 1000`)).toEqual([]);
    expect(await of(`{ ${pattern} } ORDER BY ?x`)).toEqual([...names].sort());
    expect(await of(`{ ${pattern} } ORDER BY DESC(?x) LIMIT 2`)).toEqual(
      [...names].sort().reverse().slice(0, 2),
    );
    const ascending = await rowsOf(`SELECT ?x ?degree { ${pattern} } ORDER BY ?degree`);
    expect(ascending.map(({ degree }) => Number(degree!.value))).toEqual([...degrees].sort((a, b) => a - b));
    const third = degrees[3]!;
    const count = (holds: (degree: number) => boolean): number => degrees.filter(holds).length;
    expect(await of(`{ ${pattern} FILTER(?degree >= ${third}) }`)).toHaveLength(
      count((degree) => degree >= third),
    );
    expect(await of(`{ ${pattern} FILTER(?degree > ${third}) }`)).toHaveLength(
      count((degree) => degree > third),
    );
    const unknown = all.filter(({ known }) => known!.value === 'false').map(({ x }) => x!.value);
    expect(await of(`{ ${pattern} FILTER(!?known) }`)).toEqual(unknown);
    expect(all[0]!['label']!.value).toMatch(/^Entity \d+$/);

    const ask = async (rest: string): Promise<boolean> =>
      (await (await get(`ASK { ${rest} }`)).json()).boolean;
    expect(await ask(`${bare} FILTER(?degree >= 0.5)`)).toBe(degrees[0]! >= 0.5);
    expect(await ask('entity:e1 relation:r0 ?x FILTER(?x = entity:e1)')).toBe(false);
    expect(await ask(`${pattern} FILTER(?degree >= ${degrees[0]})`)).toBe(true);
    expect(await ask(`${pattern} FILTER(?degree > ${degrees[0]})`)).toBe(false);
    const best = names[0]!;
    const ground = pattern.replace('?x', `<${best}>`);
    expect(await ask(`${ground} FILTER(?degree >= ${degrees[0]})`)).toBe(true);
    expect(await ask(`${ground} FILTER(?degree > ${degrees[0]})`)).toBe(false);
  });

  it('takes a query by GET, by a form and directly, and of any model', async () => {
    const query = 'SELECT ?x ?degree { entity:e1 relation:r0 ?x } LIMIT 3';
    const first = await (await get(query)).json();
    const post = (body: string, type: string): Response | Promise<Response> =>
      app.request('/v1/models/memory/sparql', { method: 'POST', headers: { 'content-type': type }, body });
    const form = 'application/x-www-form-urlencoded';
    const sent = [
      await post(query, 'application/sparql-query'),
      await post(new URLSearchParams({ query, format: 'json' }).toString(), `${form}; charset=utf-8`),
    ];
    for (const response of sent) expect(await response.json()).toEqual(first);
    expect(first.results.bindings).toHaveLength(3);

    const refused: [Response | Promise<Response>, number, RegExp][] = [
      [post('', form), 400, /query: expected one, got none/],
      [post('query=a&query=b', form), 400, /got several/],
      [post('update=INSERT', form), 400, /UPDATE: expected a server whose facts change/],
      [post('query=a&update=b', form), 400, /got several/],
      [post(query, 'application/sparql-update'), 400, /UPDATE: expected a server whose facts change/],
      [app.request('/sparql?using-graph-uri=b', { method: 'POST' }), 400, /using-graph-uri/],
      [app.request('/sparql?update=INSERT'), 400, /UPDATE/],
      [app.request('/sparql?query=a&default-graph-uri=b'), 400, /default-graph-uri/],
      [post(query, 'text/plain'), 415, /content-type/],
      [post('x'.repeat(300_000), 'application/sparql-query'), 413, /bytes/],
      [get('SELECT ?x { entity:e1 relation:r9 ?x }'), 400, /^relation: .*"r9"/],
      [get('SELECT ?x ?degree { entity:e1 relation:r0 ?x OPTIONAL { } }'), 400, /^OPTIONAL/],
      [get('SELECT ?x { GRAPH <a:b> { entity:e1 relation:r0 ?x } }'), 400, /^GRAPH/],
      [get('SELECT ?x { SERVICE <a:b> { entity:e1 relation:r0 ?x } }'), 400, /^SERVICE/],
      [get('SELECT ?x FROM <a:b> { entity:e1 relation:r0 ?x }'), 400, /^FROM/],
      [app.request('/sparql?minDegree=2&query=a'), 400, /minDegree: expected one number/],
      [app.request('/sparql?recorded=yes&query=a'), 400, /recorded: expected true or false/],
      [app.request('/v1/models/other/sparql?query=a'), 404, /no such model/],
      [app.request('/sparql', { method: 'PUT' }), 405, /GET, HEAD, POST/],
    ];
    for (const [response, status, detail] of refused) {
      const problem = await (await response).json();
      expect([problem.status, problem.detail]).toEqual([status, expect.stringMatching(detail)]);
    }
  });

  it('answers by the algebra of the standard in the graph of recorded facts and likely links', async () => {
    // The links of an entity that are likely, as the engine gives them.
    const [head, link] = engine.facts.forwardTriples();
    const likely = async (from: number, minDegree: number): Promise<string[]> => {
      const query = project(asRelationId(link!), fromEntity(asEntityId(from)));
      const { answers } = await engine.answer(query, { k: 40, minDegree, suggestions: false });
      return answers.map(({ key }) => `urn:fuzzqe:entity:${key}`).sort();
    };
    const recorded = [...engine.facts.tails(head!, link!)].map((id) => `urn:fuzzqe:entity:e${id}`).sort();
    const pattern = `entity:e${head} relation:r${link! / 2} ?y`;
    const ask = async (text: string, options = ''): Promise<Response> =>
      app.request(`/sparql?query=${encodeURIComponent(text)}${options}`);
    const values = async (text: string, options = '', name = 'y'): Promise<string[]> => {
      const { results } = await (await ask(text, options)).json();
      return results.bindings.map((row: Record<string, { value: string }>) => row[name]!.value).sort();
    };
    for (const minDegree of [0.2, 0.5, 0.9])
      expect(await values(`SELECT ?y { ${pattern} }`, `&minDegree=${minDegree}`)).toEqual(
        await likely(head!, minDegree),
      );
    expect(await likely(head!, 0.2)).not.toEqual(recorded);
    expect(await values(`SELECT ?y { ${pattern} }`)).toEqual(await likely(head!, 0.5));
    expect(await values(`SELECT ?y { ${pattern} }`, '&recorded=true')).toEqual(recorded);
    // Each binding of a pattern asks the next pattern, whose ends are known then.
    const second = (
      await Promise.all((await likely(head!, 0.2)).map((iri) => likely(Number(iri.slice(19)), 0.2)))
    ).flat();
    const chain = `SELECT ?y { entity:e${head} relation:r${link! / 2} ?x . ?x relation:r${link! / 2} ?y }`;
    expect(await values(chain, '&minDegree=0.2')).toEqual(second.sort());
    expect(await values(`SELECT (COUNT(*) AS ?n) { ${pattern} }`, '&minDegree=0.2', 'n')).toEqual([
      String((await likely(head!, 0.2)).length),
    ]);
    // Where no end is known, recorded facts answer, and the answer says so.
    const open = await ask(`SELECT ?x ?y { ?x relation:r${link! / 2} ?y }`, '&minDegree=0.2');
    expect(open.headers.get('fuzzqe-warning')).toMatch(/^recorded-only: /);
    const relationFacts = engine.facts.headsOf(link!);
    const count = relationFacts.reduce((sum, each) => sum + engine.facts.tails(each, link!).length, 0);
    expect((await open.json()).results.bindings).toHaveLength(count);
    expect((await (await ask(`ASK { ${pattern} }`)).json()).boolean).toBe(
      (await likely(head!, 0.5)).length > 0,
    );
    const known = await ask(`SELECT ?y { ${pattern} }`);
    expect(known.headers.get('fuzzqe-warning')).toBeNull();
    // An IRI of another graph has no facts; a name of ours that there is not is refused.
    expect(await (await ask('ASK { <http://example.org/a> ?p ?o }')).json()).toMatchObject({
      boolean: false,
    });
    expect((await ask('ASK { entity:nobody ?p ?o }')).status).toBe(400);
    // Rows are ranked where the address says so.
    const ranked = await values(`SELECT ?y { ${pattern} } LIMIT 40`, '&ranked=true');
    expect(ranked.length).toBeGreaterThan((await likely(head!, 0.5)).length);
  });

  it('writes graphs as triples, with literals of their kinds', async () => {
    const text =
      'CONSTRUCT { ?x rdfs:label ?l ; a:b "ü\\n"@de , 2 } WHERE { VALUES ?x { entity:e1 } ?x rdfs:label ?l }';
    for (const [accept, type] of [
      ['text/turtle', 'text/turtle; charset=utf-8'],
      ['application/n-triples', 'application/n-triples'],
      ['*/*', 'text/turtle; charset=utf-8'],
    ] as const) {
      const response = await get(`PREFIX a: <http://example.org/> ${text}`, accept);
      expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
      const quads = new Parser().parse(await response.text());
      const literals = quads.map(({ object }) => {
        const { value, language, datatype } = object as Literal;
        return [value, language, datatype.value.split('#')[1]];
      });
      expect(literals.sort()).toEqual([
        ['2', '', 'integer'],
        ['Entity 1', '', 'string'],
        ['ü\n', 'de', 'langString'],
      ]);
    }
    const description = new Parser().parse(await (await get('DESCRIBE entity:e1')).text());
    expect(description.filter(({ predicate }) => predicate.value.startsWith('urn:fuzzqe:'))).toHaveLength(
      [...engine.facts.relationsOf(1)]
        .filter((each) => each % 2 === 0)
        .reduce((sum, each) => sum + engine.facts.tails(1, each).length, 0),
    );
  });

  it('refuses what costs too much, with the figure', async () => {
    const strict = createApp(engine, { mount: [sparqlPart()], costLimit: 1e-9 });
    const ask = (query: string): Response | Promise<Response> =>
      strict.request(`/sparql?query=${encodeURIComponent(query)}`);
    const refused = await ask('SELECT ?x { entity:e1 relation:r0/relation:r1 ?x }');
    expect([refused.status, (await refused.json()).code]).toEqual([400, 'cost']);
    // Nothing has to be computed.
    expect((await ask('SELECT ?x { entity:e1 relation:r0/relation:r1 ?x } LIMIT 0')).status).toBe(200);
  });

  it('writes the form that a client prefers', async () => {
    const query = 'SELECT ?x ?degree ?known { VALUES ?x { entity:e1 } }';
    const typeOf = async (accept: string | undefined, text = query): Promise<string | null> =>
      (await get(text, accept)).headers.get('content-type');
    expect(await typeOf(undefined)).toBe(json);
    expect(await typeOf('*/*')).toBe(json);
    expect(await typeOf('text/html, application/xml;q=0.9, */*;q=0.8')).toMatch(/results\+xml/);
    expect(await typeOf(`${json};q=0.5, text/csv`)).toMatch(/^text\/csv/);
    expect(await typeOf(`application/sparql-results+xml;q=0.9, ${json}`)).toBe(json);
    expect(await typeOf('text/csv;q=0, */*')).toBe(json);
    expect(await typeOf(`${json};q=0, */*;q=0.1`)).toMatch(/results\+xml/);
    expect(await typeOf('*/*, text/csv;q=0.5')).toBe(json);
    expect(await typeOf('text/csv', 'ASK { entity:e1 relation:r0 ?x }')).toMatch(/results\+json/);

    const textOf = async (accept: string): Promise<string> => (await get(query, accept)).text();
    expect(await textOf('text/csv')).toBe('x,degree,known\r\nurn:fuzzqe:entity:e1,1,true\r\n');
    const double = '"1"^^<http://www.w3.org/2001/XMLSchema#double>';
    const boolean = '"true"^^<http://www.w3.org/2001/XMLSchema#boolean>';
    expect(await textOf('text/tab-separated-values')).toBe(
      `?x\t?degree\t?known\n${entity('e1')}\t${double}\t${boolean}\n`,
    );
    expect(await textOf('application/sparql-results+xml')).toContain(
      '<binding name="x"><uri>urn:fuzzqe:entity:e1</uri></binding><binding name="degree"><literal datatype=',
    );
  });

  it.each([null, { parse: 3 }, { parser: () => undefined }])('refuses %j as its options', (options) => {
    // What callers without types may give.
    expect(() => sparqlPart(options as never)).toThrow(expect.objectContaining({ code: 'usage' }));
  });

  it.each(['update=x', 'default-graph-uri=x'])(
    'refuses %s beside what is sent by POST',
    async (parameter) => {
      const response = await app.request(`/sparql?${parameter}`, {
        method: 'POST',
        headers: { 'content-type': 'application/sparql-query' },
        body: `SELECT ?x { ${entity('e1')} ${relation('r0')} ?x }`,
      });
      expect([response.status, (await response.json()).path]).toEqual([400, parameter.slice(0, -2)]);
    },
  );

  it('lets go of its model after each answer, refusal and description, so that it can be replaced', async () => {
    const models = createModelRegistry(['m']);
    // It is another test's as well.
    const close = (): Promise<void> => Promise.resolve();
    await models.put('m', { ...engine, close });
    const served = createApp(models, { mount: [sparqlPart()] });
    const asking = `/sparql?query=${encodeURIComponent(`SELECT ?x { ${entity('e1')} ${relation('r0')} ?x }`)}`;
    for (const [path, status] of [
      [asking, 200],
      ['/sparql?query=x', 400],
      ['/sparql', 200],
    ] as const)
      expect((await served.request(path)).status).toBe(status);
    const left = models.remove('m').then(() => 'closed');
    expect(await Promise.race([left, new Promise((resolve) => setTimeout(resolve, 1000, 'held'))])).toBe(
      'closed',
    );
  });

  it('describes itself where nothing is asked', async () => {
    const response = await app.request('/sparql', { headers: { accept: 'text/turtle' } });
    expect(response.headers.get('content-type')).toMatch(/^text\/turtle/);
    const quads = new Parser({ baseIRI: 'http://host/sparql' }).parse(await response.text());
    const objectsOf = (name: string): string[] =>
      quads.filter(({ predicate }) => predicate.value.endsWith(name)).map(({ object }) => object.value);
    expect(objectsOf('#endpoint')).toEqual(['http://host/sparql']);
    expect(objectsOf('#resultFormat')).toHaveLength(6);
    expect(objectsOf('void#triples')).toEqual([String(engine.facts.forwardTriples().length / 3)]);
    expect(objectsOf('#namespace')).toContain('urn:fuzzqe:entity:');
    expect((await (await app.request('/')).json()).endpoints).toHaveProperty(
      'GET /sparql?query=, POST /sparql',
    );
  });

  it.each<[string, ISparqlEndpointFetcherArgs]>([
    ['GET', { method: 'GET' }],
    ['a form', { method: 'POST' }],
    ['POST', { method: 'POST', directPost: true }],
  ])('answers the client fetch-sparql-endpoint by %s', async (_, args) => {
    const client = new SparqlEndpointFetcher({
      ...args,
      fetch: async (input, init) => app.request(input, init),
    });
    const query = instantiate(structures['2in'].template, [1, 2], [0, 3]);
    const text = formatSparql(query, engine.vocabulary, { limit: 5 });
    const rows: { x: string; degree: number }[] = [];
    // The stream's items are bindings, by the client's documentation.
    for await (const row of (await client.fetchBindings(
      'http://host/sparql',
      text,
    )) as AsyncIterable<IBindings>)
      rows.push({ x: row['x']!.value, degree: Number(row['degree']!.value) });
    expect(rows).toEqual(await expected(query, 5));
    const asks = `PREFIX e: <urn:fuzzqe:entity:> ASK { e:e1 ${relation('r0')} ?x FILTER(?degree >= 0.5) }`;
    expect(typeof (await client.fetchAsk('http://host/sparql', asks))).toBe('boolean');
    await expect(client.fetchBindings('http://host/sparql', 'SELECT ?x { ?x a:b ?z }')).rejects.toThrow(
      /400/,
    );
  });
});
