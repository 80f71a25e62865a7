import { type App, createApp } from '@fuzzqe/api';
import { loadCountries } from '@fuzzqe/data';
import { openGraphEngine } from '@fuzzqe/engine';
import { defaultWeights } from '@fuzzqe/evidence';
import { aliasesOf } from '@fuzzqe/names';
import { entityIri, relationIri, sparqlPart } from '@fuzzqe/sparql';
import { literal, namedNode, Store, triple } from 'oxigraph';
import { beforeAll, describe, expect, it } from 'vitest';

const { vocabulary, graphs } = loadCountries();
const facts = graphs().full;
const { relationCount } = vocabulary;

const rdfs = 'http://www.w3.org/2000/01/rdf-schema#';
const skos = 'http://www.w3.org/2004/02/skos/core#';
const prefixes = `PREFIX rdfs: <${rdfs}>\n`;

/** What people ask, with names of entities and relations in braces. */
const queries: Readonly<Record<string, string>> = {
  'a relation': 'SELECT ?x { {France} {borders} ?x }',
  'a relation backwards': 'SELECT ?x { ?x {capital} {Paris} }',
  'a path': 'SELECT DISTINCT ?x { {France} {borders}/{currency} ?x }',
  'two patterns': 'SELECT ?x { ?x {borders} {France} ; {currency} {Euro} }',
  'either of two': 'SELECT ?x { { {France} {borders} ?x } UNION { {Germany} {borders} ?x } }',
  'not one': 'SELECT ?x { {France} {borders} ?x FILTER NOT EXISTS { ?x {currency} {Euro} } }',
  'without others': 'SELECT ?x { {France} {borders} ?x MINUS { {Germany} {borders} ?x } }',
  'some values': 'SELECT ?x { VALUES ?x { {Spain} {Italy} {Poland} } {France} {borders} ?x }',
  'another one': 'SELECT ?x { {France} {borders} ?x FILTER(?x != {Spain}) }',
  'a page': 'SELECT ?x { {France} {borders} ?x } ORDER BY ?x LIMIT 3 OFFSET 1',
  'two variables': 'SELECT ?x ?y { ?x {borders} ?y . ?x {subregion} {Western Europe} }',
  labels: 'SELECT ?x ?name { {France} {borders} ?x . ?x rdfs:label ?name }',
  'a filter of labels':
    'SELECT ?x { ?x {region} {Europe} ; rdfs:label ?name FILTER(CONTAINS(?name, "land")) }',
  'a lookup by label': 'SELECT ?y { ?x rdfs:label "France" . ?x {borders} ?y }',
  'an optional part':
    'SELECT ?x ?c { {France} {borders} ?x OPTIONAL { ?x {currency} ?c FILTER(?c != {Euro}) } }',
  'how many': 'SELECT (COUNT(?x) AS ?n) { {France} {borders} ?x }',
  'how many each':
    'SELECT ?x (COUNT(?y) AS ?n) { ?x {subregion} {Western Europe} ; {borders} ?y } GROUP BY ?x HAVING(COUNT(?y) > 1)',
  'yes or no': 'ASK { {France} {borders} {Spain} }',
  no: 'ASK { {France} {borders} {Poland} }',
  'a graph': 'CONSTRUCT { ?x {partOf} {Euro} } WHERE { ?x {currency} {Euro} ; {region} {Europe} }',
  'a description': 'DESCRIBE {France}',
  'any number of steps': 'SELECT ?x { {Portugal} {borders}* ?x }',
  'a variable relation': 'SELECT ?p ?o { {France} ?p ?o }',
  'the relations between two': 'SELECT ?p { {France} ?p {Spain} }',
};

describe('queries that people write', () => {
  const store = new Store();
  let app: App;
  beforeAll(async () => {
    const evidence = { weights: defaultWeights(relationCount), rules: { relationCount, rules: [] } };
    app = createApp(await openGraphEngine({ vocabulary, facts, evidence }), { mount: [sparqlPart()] });
    // What the graph says, without the part that answers.
    const entity = (id: number) => namedNode(entityIri(id as Parameters<typeof entityIri>[0], vocabulary));
    const relation = (id: number) =>
      namedNode(relationIri(id as Parameters<typeof relationIri>[0], vocabulary));
    const triples = facts.forwardTriples();
    for (let i = 0; i < triples.length; i += 3)
      store.add(triple(entity(triples[i]!), relation(triples[i + 1]!), entity(triples[i + 2]!)));
    const properties = { label: `${rdfs}label`, alias: `${skos}altLabel`, description: `${rdfs}comment` };
    for (let id = 0; id < vocabulary.entityCount; id++) {
      const { label, description } = vocabulary.entity(id);
      store.add(triple(entity(id), namedNode(properties.label), literal(label)));
      if (description !== undefined)
        store.add(triple(entity(id), namedNode(properties.description), literal(description)));
      for (const { kind, language, text } of aliasesOf(vocabulary.aliases, id))
        store.add(triple(entity(id), namedNode(properties[kind]), literal(text, language || undefined)));
    }
    for (let id = 0; id < relationCount; id += 2)
      store.add(triple(relation(id), namedNode(properties.label), literal(vocabulary.relation(id).label)));
  });

  const named = (text: string): string =>
    text.replace(/\{([\w ]+)\}/g, (_, name: string) =>
      vocabulary.hasRelation(name)
        ? `<${relationIri(vocabulary.findRelation(name), vocabulary)}>`
        : `<${entityIri(vocabulary.findEntity(name), vocabulary)}>`,
    );
  /** The names as people write them. */
  const written = (text: string): string =>
    text.replace(/\{([\w ]+)\}/g, (_, name: string) => {
      const kind = vocabulary.hasRelation(name) ? 'relation' : 'entity';
      return name.includes(' ') ? `<urn:fuzzqe:${kind}:${encodeURIComponent(name)}>` : `${kind}:${name}`;
    });
  const isGraph = (text: string): boolean => /^(?:CONSTRUCT|DESCRIBE)/.test(text);
  const ask = async (text: string, more = ''): Promise<Response> =>
    app.request(`/sparql?query=${encodeURIComponent(text)}${more}`);
  /** Rows in any order, or lines of triples. */
  const rowsOf = (text: string, isTriples: boolean): unknown => {
    if (isTriples) return text.trim().split('\n').sort();
    const { boolean, results } = JSON.parse(text);
    return (
      boolean ?? results.bindings.map((row: object) => JSON.stringify(Object.entries(row).sort())).sort()
    );
  };
  const answer = async (query: string, more = ''): Promise<unknown> => {
    const response = await ask(written(query), more);
    const text = await response.text();
    expect([response.status, response.status === 200 ? '' : text]).toEqual([200, '']);
    return rowsOf(text, isGraph(query));
  };
  const expected = (query: string): unknown => {
    const format = isGraph(query) ? 'application/n-triples' : 'application/sparql-results+json';
    return rowsOf(store.query(prefixes + named(query), { results_format: format }) as string, isGraph(query));
  };

  it.each(Object.entries(queries))('%s: recorded facts give what Oxigraph gives', async (_, query) => {
    const rows = await answer(query, '&recorded=true');
    expect(rows).toEqual(expected(query));
    if (Array.isArray(rows)) expect(rows).not.toEqual([]);
  });

  it('answers each with likely links as well, within the usual limits, and says where recorded facts answer', async () => {
    const partial: string[] = [];
    for (const [name, query] of Object.entries(queries)) {
      const response = await ask(written(query));
      expect([name, response.status]).toEqual([name, 200]);
      if (response.headers.get('fuzzqe-warning')?.startsWith('recorded-only: ')) partial.push(name);
    }
    expect(partial).toEqual([
      'an optional part',
      'a description',
      'any number of steps',
      'a variable relation',
      'the relations between two',
    ]);
  });

  it('tells results apart', () => {
    const all = Object.values(queries).map((query) => JSON.stringify(expected(query)));
    expect(new Set(all).size).toBe(all.length);
  });
});
