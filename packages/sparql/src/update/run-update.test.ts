import { changedFacts, createKnowledgeGraph, createRandom, finish, type KnowledgeGraph } from '@fuzzqe/core';
import { fuzzErrorOf } from '@fuzzqe/core/testing';
import { createVocabulary } from '@fuzzqe/names';
import { namedNode, quad, Store } from 'oxigraph';
import { describe, expect, it } from 'vitest';
import { parseSyntax } from '../syntax/index.ts';
import { createNewNames } from './new-names.ts';
import { readUpdate } from './read-update.ts';
import { type IdChange, runUpdate } from './run-update.ts';

const entities = 7;
const relations = 3;
const named = (kind: string, count: number) =>
  Array.from({ length: count }, (_, i) => ({ key: `http://example.org/${kind}${i}`, label: `${kind} ${i}` }));
const vocabulary = createVocabulary({
  entities: named('e', entities),
  relations: named('r', relations),
});
const prefix = 'PREFIX ex: <http://example.org/> ';

type Fact = readonly [head: number, relation: number, tail: number];
const graphOf = (facts: readonly Fact[]): KnowledgeGraph =>
  createKnowledgeGraph({
    entityCount: entities,
    relationCount: 2 * relations,
    triples: Int32Array.from(facts.flatMap(([h, r, t]) => [h, 2 * r, t])),
  });
const shown = ([h, r, t]: readonly number[]): string => `e${h} r${r} e${t}`;

/** The facts after an update, as this package and as Oxigraph make them. */
function after(update: string, facts: readonly Fact[]): { ours: string[]; theirs: string[] } {
  const graph = graphOf(facts);
  const changes = changesOf(update, graph);
  const triples = (does: IdChange['does']): Int32Array =>
    Int32Array.from(
      changes.flatMap((each) => (each.does === does ? [each.head, each.relation, each.tail] : [])),
    );
  const changed = changedFacts(graph, { added: triples('add'), removed: triples('remove') }).graph;
  const flat = changed.forwardTriples();
  const ours = Array.from({ length: flat.length / 3 }, (_, i) =>
    shown([flat[3 * i]!, flat[3 * i + 1]! / 2, flat[3 * i + 2]!]),
  );
  const node = (kind: string, id: number) => namedNode(`http://example.org/${kind}${id}`);
  const store = new Store(facts.map(([h, r, t]) => quad(node('e', h), node('r', r), node('e', t))));
  store.update(prefix + update);
  const last = (term: { readonly value: string }): string => term.value.slice('http://example.org/'.length);
  const theirs = store
    .match()
    .map(({ subject, predicate, object }) => `${last(subject)} ${last(predicate)} ${last(object)}`);
  return { ours: ours.sort(), theirs: theirs.sort() };
}

function changesOf(update: string, graph: KnowledgeGraph, limits = { changes: 1000, limit: 100 }) {
  const operations = readUpdate(parseSyntax(prefix + update, 'update'), createNewNames(vocabulary));
  const cost = { limit: limits.limit, spent: 0 };
  return finish(runUpdate(operations, graph, { changes: limits.changes, cost }));
}

const facts: readonly Fact[] = [
  [0, 0, 1],
  [1, 0, 2],
  [2, 0, 0],
  [0, 1, 3],
  [3, 1, 3],
  [3, 2, 0],
  [4, 2, 5],
];

describe('an update', () => {
  it.each([
    'INSERT DATA { ex:e5 ex:r0 ex:e6 . ex:e0 ex:r0 ex:e1 , ex:e2 ; ex:r1 ex:e6 }',
    'DELETE DATA { ex:e0 ex:r0 ex:e1 . ex:e6 ex:r0 ex:e6 }',
    'DELETE WHERE { ex:e0 ?p ?o }',
    'DELETE WHERE { ?s ?p ex:e3 }',
    'DELETE WHERE { ?s ?p ?o }',
    'DELETE WHERE { ?x ex:r1 ?x }',
    'DELETE WHERE { ex:e0 ?p ex:e1 }',
    'DELETE WHERE { ?x ex:r0 ?y . ?y ex:r0 ?z }',
    'DELETE { ?x ex:r0 ?y } INSERT { ?y ex:r2 ?x } WHERE { ?x ex:r0 ?y }',
    'DELETE { ?x ex:r0 ?y } INSERT { ?x ex:r0 ?y } WHERE { ?x ex:r0 ?y }',
    'INSERT { ?y ?p ?x } WHERE { ?x ?p ?y FILTER(?p != ex:r0 && (?x = ex:e3 || !(?y IN (ex:e0, ex:e3)))) }',
    'INSERT { ?x ex:r2 ?z } WHERE { ?x ex:r0 ?y . ?y ^ex:r0 ?z FILTER(?x = ?z) }',
    'INSERT { ?x ex:r2 ?y } WHERE { ?x ex:r0 ?y FILTER NOT EXISTS { ?y ex:r1 ?z } }',
    'INSERT { ?x ex:r2 ?y } WHERE { ?x ex:r0 ?y FILTER(EXISTS { ?x ex:r1 ?z . ?z ex:r2 ?x }) }',
    'INSERT { ?x ex:r2 ?y } WHERE { ?x ex:r0 ?y FILTER NOT EXISTS { ?y ex:r0 ?z FILTER(?z = ?x) } }',
    'DELETE { ?x ?p ?y } WHERE { VALUES ?x { ex:e0 ex:e4 } ?x ?p ?y }',
    'INSERT { ex:e6 ex:r0 ex:e6 } WHERE { }',
    'INSERT { ex:e6 ex:r0 ex:e6 } WHERE { ex:e6 ex:r1 ex:e0 }',
    'INSERT DATA { ex:e6 ex:r0 ex:e0 } ; DELETE { ?x ex:r0 ?y } INSERT { ?x ex:r1 ?y } WHERE { ?x ex:r0 ?y }',
    'DELETE WHERE { ex:e0 ex:r0 ?x } ; INSERT { ?x ex:r2 ?y } WHERE { ?x ex:r0 ?y } ; DELETE DATA { ex:e1 ex:r2 ex:e2 }',
    'INSERT DATA { ex:e6 ex:r0 ex:e0 } ; DELETE DATA { ex:e6 ex:r0 ex:e0 } ;',
    '',
  ])('leaves the facts that Oxigraph leaves: %s', (update) => {
    const { ours, theirs } = after(update, facts);
    expect(ours).toEqual(theirs);
  });

  it('leaves the facts that Oxigraph leaves, whatever patterns are drawn', () => {
    const random = createRandom('updates');
    const pick = (count: number): number => random.below(count);
    let changed = 0;
    for (let round = 0; round < 300; round++) {
      const given = Array.from({ length: 12 }, (): Fact => [pick(entities), pick(relations), pick(entities)]);
      const end = (): string => (pick(3) === 0 ? `ex:e${pick(entities)}` : `?v${pick(3)}`);
      const step = (): string => (pick(4) === 0 ? '?p' : `ex:r${pick(relations)}`);
      const where = Array.from({ length: 1 + pick(3) }, () => `${end()} ${step()} ${end()} .`).join(' ');
      const known = [...new Set(where.match(/\?v\d/g) ?? [])];
      const bound = (): string => known[pick(known.length)] ?? 'ex:e0';
      const filter = known.length < 2 ? '' : `FILTER(${bound()} ${pick(2) === 0 ? '=' : '!='} ${bound()})`;
      const template = (): string => `${bound()} ex:r${pick(relations)} ${bound()}`;
      // Oxigraph deletes and inserts solution by solution, where the standard deletes for all solutions first.
      const of = (does: string): string => `${does} { ${template()} } WHERE { ${where} ${filter} }`;
      const update = `${of('DELETE')} ; ${of('INSERT')} ; DELETE WHERE { ${end()} ${step()} ${end()} }`;
      const { ours, theirs } = after(update, given);
      expect(ours, update).toEqual(theirs);
      changed += Number(ours.join() !== [...new Set(given.map(shown))].sort().join());
    }
    // Most of them do something.
    expect(changed).toBeGreaterThan(100);
  });

  it('deletes for all solutions before it inserts for any', () => {
    // e0 r0 e1 goes for one solution, and comes for the other.
    const graph = graphOf([
      [0, 0, 1],
      [1, 0, 0],
    ]);
    const turn = 'DELETE { ?x ex:r0 ?y } INSERT { ?y ex:r0 ?x } WHERE { ?x ex:r0 ?y }';
    expect(changesOf(turn, graph).map(({ does }) => does)).toEqual(['add', 'add']);
  });

  it('has the last change of each fact', () => {
    const changes = changesOf(
      'DELETE DATA { ex:e0 ex:r0 ex:e1 } ; INSERT DATA { ex:e0 ex:r0 ex:e1 }',
      graphOf(facts),
    );
    expect(changes).toEqual([{ does: 'add', head: 0, relation: 0, tail: 1 }]);
  });

  it('is refused with more changes or more work than allowed', () => {
    const graph = graphOf(facts);
    const remove = 'DELETE WHERE { ?x ?p ?y }';
    expect(changesOf(remove, graph, { changes: facts.length, limit: 100 })).toHaveLength(facts.length);
    expect(() => changesOf(remove, graph, { changes: facts.length - 1, limit: 100 })).toThrow(
      /at most 6 changes/,
    );
    const join = 'DELETE { ?a ex:r0 ?b } WHERE { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f . ?g ?s ?h . ?i ?t ?j }';
    expect(() => changesOf(join, graph, { changes: 1000, limit: 2 })).toThrow(
      expect.objectContaining({ code: 'cost' }),
    );
  });

  it.each([
    ['LOAD <http://example.org/>', 'LOAD'],
    ['CLEAR DEFAULT', 'CLEAR'],
    ['DROP ALL', 'DROP'],
    ['CREATE GRAPH ex:g', 'CREATE'],
    ['COPY ex:g TO DEFAULT', 'COPY'],
    ['ADD ex:g TO DEFAULT', 'ADD'],
    ['MOVE ex:g TO DEFAULT', 'MOVE'],
    ['INSERT DATA { GRAPH ex:g { ex:e0 ex:r0 ex:e1 } }', 'GRAPH'],
    ['DELETE WHERE { GRAPH ?g { ex:e0 ex:r0 ?x } }', 'GRAPH'],
    ['WITH ex:g DELETE { ?x ex:r0 ?y } WHERE { ?x ex:r0 ?y }', 'WITH'],
    ['DELETE { ?x ex:r0 ?y } USING ex:g WHERE { ?x ex:r0 ?y }', 'USING'],
    ['INSERT DATA { _:a ex:r0 ex:e1 }', 'blank node'],
    ['INSERT DATA { ex:e0 ex:r0 [ ex:r1 ex:e1 ] }', 'blank node'],
    ['INSERT DATA { ex:e0 ex:r0 "text" }', 'literal'],
    ['INSERT DATA { ex:e0 ex:r0 7 }', 'literal'],
    ['INSERT DATA { ex:e0 <http://www.w3.org/2000/01/rdf-schema#label> "E" }', 'literal'],
    ['DELETE WHERE { ex:e0 ?p "E"@en }', 'literal'],
    ['INSERT DATA { ex:e0 ex:r9 ex:e1 }', 'r9'],
    ['INSERT DATA { ex:e0 ex:r0 ex:e99 }', 'e99'],
    ['INSERT DATA { ex:e0 ex:r0 ?x }', '?x'],
    ['INSERT DATA { up:e0 ex:r0 ex:e1 }', 'prefix'],
    ['INSERT { ?x ex:r0 ?y } WHERE { ?x ex:r0 ex:e1 }', '?y'],
    ['INSERT { ?x ex:r0 ?p } WHERE { ?x ?p ex:e1 }', '?p'],
    ['INSERT { ?x ex:r0 ex:e1 } WHERE { ?x ex:r0/ex:r1 ex:e1 }', 'path'],
    ['INSERT { ?x ex:r0 ex:e1 } WHERE { ?x ex:r0 ex:e1 OPTIONAL { ?x ex:r1 ex:e2 } }', 'OPTIONAL'],
    ['INSERT { ?x ex:r0 ex:e1 } WHERE { { ?x ex:r0 ex:e1 } UNION { ?x ex:r1 ex:e2 } }', 'UNION'],
    ['INSERT { ?x ex:r0 ex:e1 } WHERE { SELECT ?x { ?x ex:r0 ex:e1 } }', 'SELECT'],
    ['INSERT { ?x ex:r0 ex:e1 } WHERE { ?x ex:r0 ex:e1 FILTER(?z = ex:e1) }', '?z'],
    ['INSERT { ?x ex:r0 ex:e1 } WHERE { ?x ex:r0 ex:e1 FILTER(?x > ex:e1) }', 'FILTER'],
    ['INSERT { ?x ex:r0 ex:e1 } WHERE { ?x ex:r0 ex:e1 FILTER(ex:e1 = ex:e1) }', 'FILTER'],
    ['INSERT { ?x ex:r0 ex:e1 } WHERE { ?x ex:r0 ex:e1 VALUES (?x ?y) { (ex:e1 ex:e2) } }', 'VALUES'],
    ['INSERT { ?x ex:r0 ex:e1 } WHERE { ?x ex:r0 ex:e1 VALUES ?x { UNDEF } }', 'VALUES'],
    ['INSERT DATA { ex:e0 ex:r0 ex:e1 } INSERT DATA { ex:e0 ex:r0 ex:e2 }', 'SPARQL'],
    ['SELECT ?x { ?x ex:r0 ex:e1 }', 'SPARQL'],
  ])('is refused with its place: %s', (update, said) => {
    let refusal: unknown;
    try {
      readUpdate(parseSyntax(prefix + update, 'update'), createNewNames(vocabulary));
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toMatchObject({ name: 'FuzzError', path: expect.stringMatching(/^line 1, column \d+$/) });
    expect(String(refusal)).toContain(said);
  });

  it('says where labels change instead', () => {
    const update = `${prefix}INSERT DATA { ex:e0 <http://www.w3.org/2000/01/rdf-schema#label> "E" }`;
    const read = () => readUpdate(parseSyntax(update, 'update'), createNewNames(vocabulary));
    expect(fuzzErrorOf(read).hint).toContain('PATCH /v1/entities');
  });
});
