import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFuzzqe as fuzzqe } from '../testing/run-fuzzqe.ts';

const ontology = `
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix ex: <http://example.org/> .
ex:Painter rdfs:subClassOf ex:Person .
ex:Person rdfs:subClassOf [ a owl:Restriction ] .
ex:painted rdfs:domain ex:Painter ; owl:inverseOf ex:paintedBy .
ex:knows a owl:SymmetricProperty, owl:FunctionalProperty .
ex:Ada ex:painted ex:Sunrise, ex:Noon ; ex:knows ex:Bea, ex:Cy .
ex:Dusk ex:paintedBy ex:Bea .
`;
const contradictory = `
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix ex: <http://example.org/> .
ex:Car owl:equivalentClass ex:Auto .
ex:owns owl:equivalentProperty ex:has .
ex:near a owl:SymmetricProperty, owl:AsymmetricProperty .
ex:above a owl:AsymmetricProperty .
ex:other a owl:IrreflexiveProperty .
ex:Ada a ex:Car ; ex:owns ex:Bea ; ex:has ex:Cy ; ex:near ex:Bea ; ex:above ex:Bea ; ex:other ex:Ada .
ex:Bea ex:above ex:Ada .
ex:Cat rdfs:subClassOf ex:Feline . ex:Feline rdfs:subClassOf ex:Cat .
`;

let folder = '';
const at = (name: string): string => join(folder, name);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-schema-'));
  const couples = Array.from({ length: 6 }, (_, i) => [
    `a${i},spouse,b${i}`,
    `b${i},spouse,a${i}`,
    `a${i},partner,b${i}`,
    `b${i},partner,a${i}`,
    `a${i},likes,a${i}`,
    `c${i},child,a${i}`,
    `a${i},parent,c${i}`,
    `a${i},instance of,Person`,
    `b${i},instance of,Person`,
  ]);
  await writeFile(at('couples.csv'), ['a0,visits,c0', ...couples.flat(), ''].join('\n'));
  await writeFile(at('ontology.ttl'), ontology);
  await writeFile(at('contradictory.ttl'), contradictory);
  for (const [file, out] of [
    ['couples.csv', 'couples'],
    ['ontology.ttl', 'ontology'],
    ['contradictory.ttl', 'contradictory'],
  ] as const)
    expect(await fuzzqe('data', 'import', at(file), '--out', at(out))).toMatchObject({
      code: 0,
    });
});
afterAll(() => rm(folder, { recursive: true }));

describe('fuzzqe schema', () => {
  it('says what the facts of a relation show, in sentences with counts', async () => {
    const spouse = await fuzzqe('schema', at('couples'), 'spouse');
    expect(spouse.out.split('\n')).toEqual([
      'spouse: 12 facts, 12 heads, 12 tails',
      '  Self loops: none; 0 of 12 entities that are both head and tail.',
      '  Symmetric: yes; 12 of 12 facts also stand reversed.',
      '  Functional: yes; 12 of 12 heads have one tail.',
      '  Inverse functional: yes; 12 of 12 tails have one head.',
      '  Same as partner; 12 of 12 facts stand there, too, among 12.',
      '  Inverse of partner; 12 of 12 facts stand there, too, among 12.',
      '  Heads are Person (12 of 12).',
      '  Tails are Person (12 of 12).',
    ]);
    const [, query] = /^Next: .*fuzzqe ask \S+couples '(project\(spouse, \w+\))'$/m.exec(spouse.notes) ?? [];
    expect((await fuzzqe('ask', at('couples'), String(query), '--seconds', '1')).code).toBe(0);
    const child = await fuzzqe('schema', at('couples'), 'child');
    expect(child.out).toContain('  Self loops: not to be told; no entity is both head and tail.');
    expect(child.out).toContain('  Symmetric: no; 0 of 6 facts also stand reversed.');
    expect(child.out).toContain('  Inverse of parent; 6 of 6 facts');
    expect(child.out).toContain('  Heads also have parent^-1 (6 of 6)');
    const likes = await fuzzqe('schema', at('couples'), 'likes');
    expect(likes.out).toContain('  Self loops: all; 6 of 6 entities');
    expect(likes.out).toContain('  Symmetric: not to be told; every fact is a self loop.');
    const visits = await fuzzqe('schema', at('couples'), 'visits');
    expect(visits.out).toContain(
      '  Functional: yes; 1 of 1 heads have one tail. Few cases: it may be chance.',
    );
  });

  it('lists relations one block each, as many as are asked for, and as JSON', async () => {
    const all = await fuzzqe('schema', at('couples'));
    expect(all.out.split('\n\n')).toHaveLength(7);
    const { out, notes } = await fuzzqe('schema', at('couples'), '--limit', '2');
    expect(out.split('\n\n')).toHaveLength(2);
    expect(notes).toContain('The first 2 of 7 relations');
    const json = await fuzzqe('schema', at('couples'), 'spouse', '--json');
    expect(JSON.parse(json.out)).toMatchObject({
      total: 1,
      relations: [
        {
          key: 'spouse',
          facts: 12,
          symmetric: { verdict: 'always', hits: 12, of: 12, share: 1, few: false },
          overlaps: [{ relation: { key: 'partner' } }, { relation: { key: 'partner^-1' } }],
          domain: { by: 'classes', entities: 12, kinds: [{ class: { label: 'Person' }, hits: 12 }] },
        },
      ],
    });
    expect(json.notes).toBe('');
    expect(await fuzzqe('schema', at('couples'), 'spuose')).toMatchObject({
      code: 3,
      notes: expect.stringContaining('spouse'),
    });
  });

  it('refuses a file of triples with the command that makes a data set of it', async () => {
    const refused = await fuzzqe('schema', at('contradictory.ttl'));
    expect(refused.code).toBe(6);
    expect(refused.notes).toContain(`fuzzqe data import ${at('contradictory.ttl')} --out data/contradictory`);
  });

  it('lists the declared axioms, what follows from each, and contradictions', async () => {
    const { out, notes } = await fuzzqe('schema', at('ontology'), '--axioms');
    expect(out.split('\n')).toEqual([
      'subClassOf is transitive: 1 fact follows.',
      'Every Painter is a Person: 2 facts follow.',
      'painted is the inverse of paintedBy: 3 facts follow.',
      'Every head of painted is a Painter: 2 facts follow.',
      'knows is symmetric: 2 facts follow.',
      'knows is functional.',
      'Contradiction: knows is functional, but 1 head has more than one tail (1 by recorded facts): Ada has Bea and Cy.',
    ]);
    expect(notes).toContain('6 axioms: 10 facts follow that no one recorded.');
    const shown = await fuzzqe('schema', at('ontology'), 'knows');
    expect(shown.out.split('\n').slice(-2)).toEqual([
      '  Declared: knows is symmetric.',
      '  Declared: knows is functional.',
    ]);
    expect((await fuzzqe('schema', at('couples'), 'spouse')).out).not.toContain('Declared');
    const json = await fuzzqe('schema', at('ontology'), 'painted', '--axioms', '--json');
    expect(JSON.parse(json.out)).toMatchObject({
      total: 2,
      axioms: [
        { kind: 'inverseOf', relation: { label: 'painted' }, other: { label: 'paintedBy' }, entails: 3 },
        { kind: 'domain', class: { key: 'http://example.org/Painter' }, entails: 2 },
      ],
      entailed: 10,
      truncated: false,
      conflicts: [{ kind: 'secondValue', count: 1, example: { entity: { label: 'Ada' } } }],
    });
    const contradiction = await fuzzqe('schema', at('contradictory'), '--axioms');
    expect(contradiction.out.split('\n')).toEqual([
      'subClassOf is transitive.',
      'Every Cat is a Feline.',
      'Every Feline is a Cat.',
      'Car is the same class as Auto: 1 fact follows.',
      'owns is the same as has: 2 facts follow.',
      'near is symmetric.',
      'near is asymmetric.',
      'above is asymmetric.',
      'other is irreflexive.',
      'Contradiction: near is symmetric and asymmetric: neither is followed.',
      'Cycle: Cat, Feline are declared below each other, so these classes have the same members.',
      'Contradiction: above is asymmetric, but facts are recorded both ways: 1, the first between Ada and Bea.',
      'Contradiction: other is irreflexive, but self loops are recorded: 1, the first of Ada.',
    ]);
    const none = await fuzzqe('schema', at('couples'), '--axioms');
    expect(none).toMatchObject({ code: 0, out: '' });
    expect(none.notes).toContain('The graph declares no axioms of RDFS or OWL.');
  });
});
