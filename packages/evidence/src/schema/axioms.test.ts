import { createKnowledgeGraph, createRandom, type KnowledgeGraph, type Vocabulary } from '@fuzzqe/core';
import { createVocabulary } from '@fuzzqe/names';
import { describe, expect, it } from 'vitest';
import { type Axiom, axiomConflicts, declaredAxioms, type EntailedFacts, entailedFacts } from '../index.ts';
import { findCycles } from './cycles.ts';

/** A graph by names. */
interface NamedFacts {
  readonly facts: KnowledgeGraph;
  readonly vocabulary: Vocabulary;
  /** The id of an entity by its key. */
  entity(key: string): number;
  /** The id of a forward relation by its key. */
  relation(key: string): number;
  /** A fact as `head relation tail`. */
  text(head: number, relation: number, tail: number): string;
}

/** Reads lines `head relation tail`, numbered by first occurrence; `rename` makes the keys of the names. */
function namedFacts(lines: string, rename: (name: string) => string = (name) => name): NamedFacts {
  const [entities, relations] = [new Map<string, number>(), new Map<string, number>()];
  const numberOf = (known: Map<string, number>, name: string): number => {
    const key = rename(name);
    if (!known.has(key)) known.set(key, known.size);
    return known.get(key)!;
  };
  const triples = lines
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [head, relation, tail] = line.trim().split(/\s+/);
      return [numberOf(entities, head!), 2 * numberOf(relations, relation!), numberOf(entities, tail!)];
    });
  const entries = (known: Map<string, number>) => [...known.keys()].map((key) => ({ key, label: key }));
  const vocabulary = createVocabulary({ entities: entries(entities), relations: entries(relations) });
  const entity = (key: string): number => vocabulary.findEntity(rename(key));
  const relation = (key: string): number => vocabulary.findRelation(rename(key));
  return {
    facts: createKnowledgeGraph({
      entityCount: entities.size,
      relationCount: 2 * relations.size,
      triples: Int32Array.from(triples),
    }),
    vocabulary,
    entity,
    relation,
    text: (head, by, tail) =>
      [vocabulary.entity(head).key, vocabulary.relation(by).key, vocabulary.entity(tail).key].join(' '),
  };
}

/** A small ontology with the facts of a family. */
const family = `
  ex:Mother rdfs:subClassOf ex:Parent
  ex:Parent rdfs:subClassOf ex:Person
  ex:Person rdfs:subClassOf owl:Thing
  ex:Person rdfs:subClassOf _:restriction
  ex:motherOf rdfs:subPropertyOf ex:parentOf
  ex:parentOf rdfs:subPropertyOf ex:ancestorOf
  ex:parentOf owl:inverseOf ex:childOf
  ex:parentOf rdfs:domain ex:Parent
  ex:childOf rdfs:domain ex:Person
  ex:parentOf rdfs:range ex:Person
  ex:marriedTo rdf:type owl:SymmetricProperty
  ex:marriedTo rdf:type owl:FunctionalProperty
  ex:motherOf rdf:type owl:InverseFunctionalProperty
  ex:ancestorOf rdf:type owl:TransitiveProperty
  ex:neverUsed rdf:type owl:TransitiveProperty
  ex:Ada rdf:type ex:Mother
  ex:Ada ex:motherOf ex:Bea
  ex:Bea ex:parentOf ex:Cy
  ex:Dan ex:childOf ex:Cy
  ex:Cy ex:ancestorOf ex:Eve
  ex:Bea ex:marriedTo ex:Bob
`;

const namespaces: Readonly<Record<string, string>> = {
  rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
  rdfs: 'http://www.w3.org/2000/01/rdf-schema#',
  owl: 'http://www.w3.org/2002/07/owl#',
  ex: 'http://example.org/',
};
/** `rdfs:domain` as the IRI that it stands for. */
const inFull = (name: string): string =>
  name.replace(/^(\w+):/, (prefix, space: string) => namespaces[space] ?? prefix);

const textsOf = (named: NamedFacts, { triples }: Pick<EntailedFacts, 'triples'>): string[] =>
  Array.from({ length: triples.length / 3 }, (_, i) =>
    named.text(triples[3 * i]!, triples[3 * i + 1]!, triples[3 * i + 2]!),
  ).sort();

const closed = (named: NamedFacts, options = {}): EntailedFacts =>
  entailedFacts(named.facts, declaredAxioms(named.facts, named.vocabulary), options);

const entailedOfFamily = `
  ex:Ada ex:ancestorOf ex:Bea
  ex:Ada ex:ancestorOf ex:Cy
  ex:Ada ex:ancestorOf ex:Dan
  ex:Ada ex:ancestorOf ex:Eve
  ex:Ada ex:parentOf ex:Bea
  ex:Ada rdf:type ex:Parent
  ex:Ada rdf:type ex:Person
  ex:Bea ex:ancestorOf ex:Cy
  ex:Bea ex:ancestorOf ex:Dan
  ex:Bea ex:ancestorOf ex:Eve
  ex:Bea ex:childOf ex:Ada
  ex:Bea rdf:type ex:Parent
  ex:Bea rdf:type ex:Person
  ex:Bob ex:marriedTo ex:Bea
  ex:Cy ex:ancestorOf ex:Dan
  ex:Cy ex:childOf ex:Bea
  ex:Cy ex:parentOf ex:Dan
  ex:Cy rdf:type ex:Parent
  ex:Cy rdf:type ex:Person
  ex:Dan rdf:type ex:Person
  ex:Mother rdfs:subClassOf ex:Person
  ex:Mother rdfs:subClassOf _:restriction
  ex:Mother rdfs:subClassOf owl:Thing
  ex:Parent rdfs:subClassOf _:restriction
  ex:Parent rdfs:subClassOf owl:Thing
  ex:motherOf rdfs:subPropertyOf ex:ancestorOf
`
  .trim()
  .split('\n')
  .map((line) => line.trim())
  .sort();

describe('declaredAxioms', () => {
  it('reads the axioms of a graph, by prefixed names and by IRIs alike', () => {
    const named = namedFacts(family);
    const axioms = declaredAxioms(named.facts, named.vocabulary);
    expect(axioms.map(({ kind }) => kind)).toEqual([
      ...['transitive', 'transitive', 'subClassOf', 'subClassOf', 'subPropertyOf', 'subPropertyOf'],
      ...['inverseOf', 'domain', 'domain', 'range'],
      ...['symmetric', 'functional', 'inverseFunctional', 'transitive'],
    ]);
    expect(axioms[2]).toEqual({
      kind: 'subClassOf',
      sub: named.entity('ex:Mother'),
      super: named.entity('ex:Parent'),
      typeRelation: named.relation('rdf:type'),
    });
    const whole = namedFacts(family, inFull);
    expect(declaredAxioms(whole.facts, whole.vocabulary)).toEqual(axioms);
    // Negative control: the same words in another namespace declare nothing.
    const others = namedFacts(family, (name) => name.replace(/^(rdfs|owl):/, 'other:'));
    expect(declaredAxioms(others.facts, others.vocabulary)).toEqual([]);
  });

  it('finds no axioms where the graph has no such relation, and no types where it has no rdf:type', () => {
    const plain = namedFacts('a borders b\nb borders c');
    expect(declaredAxioms(plain.facts, plain.vocabulary)).toEqual([]);
    const untyped = namedFacts('p rdfs:domain C\nC rdfs:subClassOf D\na p b\np rdfs:subPropertyOf q\nx q y');
    const axioms = declaredAxioms(untyped.facts, untyped.vocabulary);
    expect(axioms.map(({ kind }) => kind)).toEqual([
      'transitive',
      'transitive',
      'subClassOf',
      'subPropertyOf',
      'domain',
    ]);
    expect(textsOf(untyped, entailedFacts(untyped.facts, axioms))).toEqual(['a q b']);
  });
});

describe('entailedFacts', () => {
  it('gives the closure without what is recorded', () => {
    const named = namedFacts(family);
    const entailed = closed(named);
    expect(textsOf(named, entailed)).toEqual(entailedOfFamily);
    expect(entailed).toMatchObject({ count: entailedOfFamily.length, truncated: false, loopsLeftOut: 0 });
    expect(entailed.countByAxiom.reduce((sum, each) => sum + each)).toBe(entailed.count);
    expect(entailed.graph.edgeCount).toBe(2 * entailed.count);
    expect(closed(named).triples).toEqual(entailed.triples);
    // Nothing more follows from the whole.
    const whole = named.facts.union(entailed.graph);
    expect(entailedFacts(whole, entailed.axioms).count).toBe(0);
  });

  it('gives a reason for each fact, whose premises were known before', () => {
    const named = namedFacts(family);
    const entailed = closed(named);
    const known = new Set<string>();
    for (let i = 0; i < entailed.triples.length; i += 3) {
      const [h, r, t] = entailed.triples.subarray(i, i + 3);
      const { axiom, premises } = entailed.reasonOf(h!, r!, t!)!;
      expect(premises.length).toBe(axiom.kind === 'transitive' ? 2 : 1);
      for (const { head, relation, tail, recorded } of premises) {
        const text = named.text(head, relation, tail);
        expect(named.facts.has(head, relation, tail)).toBe(recorded);
        expect(recorded || known.has(text)).toBe(true);
      }
      expect(entailed.reasonOf(t!, r! + 1, h!)).toEqual(entailed.reasonOf(h!, r!, t!));
      known.add(named.text(h!, r!, t!));
    }
    const [ada, eve] = [named.entity('ex:Ada'), named.entity('ex:Eve')];
    const why = entailed.reasonOf(ada, named.relation('ex:ancestorOf'), eve);
    expect(why?.axiom).toEqual({ kind: 'transitive', relation: named.relation('ex:ancestorOf') });
    expect(why?.premises.map(({ head, relation, tail }) => named.text(head, relation, tail))).toEqual([
      'ex:Ada ex:ancestorOf ex:Cy',
      'ex:Cy ex:ancestorOf ex:Eve',
    ]);
    // Negative controls: a recorded fact, and a fact that does not follow.
    expect(entailed.reasonOf(ada, named.relation('ex:motherOf'), named.entity('ex:Bea'))).toBeUndefined();
    expect(entailed.reasonOf(eve, named.relation('ex:ancestorOf'), ada)).toBeUndefined();
  });

  it('is the fixpoint of the rules applied to everything over and over', () => {
    for (let seed = 0; seed < 30; seed += 1) {
      const { facts, axioms } = randomOntology(seed);
      const entailed = entailedFacts(facts, axioms);
      const found = new Set<string>();
      for (let i = 0; i < entailed.triples.length; i += 3)
        found.add(entailed.triples.subarray(i, i + 3).join());
      expect([...found].sort()).toEqual(naiveClosure(facts, axioms));
    }
  });

  it('ends on a cycle of classes and on an equivalence, and makes nobody their own sibling', () => {
    const named = namedFacts(`
      A rdfs:subClassOf B
      B rdfs:subClassOf C
      C rdfs:subClassOf A
      x rdf:type A
      sibling rdf:type owl:SymmetricProperty
      sibling rdf:type owl:TransitiveProperty
      p sibling q
      q sibling r
    `);
    const entailed = closed(named);
    expect(textsOf(named, entailed)).toEqual([
      ...['A rdfs:subClassOf C', 'B rdfs:subClassOf A', 'C rdfs:subClassOf B'],
      ...['p sibling r', 'q sibling p', 'r sibling p', 'r sibling q'],
      ...['x rdf:type B', 'x rdf:type C'],
    ]);
    expect(entailed.loopsLeftOut).toBeGreaterThan(0);
    // Negative control: where one self loop is recorded, the others follow.
    const loops = namedFacts(
      'sibling rdf:type owl:TransitiveProperty\np sibling q\nq sibling p\nr sibling r',
    );
    expect(textsOf(loops, closed(loops))).toEqual(['p sibling p', 'q sibling q']);
  });

  it('follows equivalences both ways, and gives reflexive relations their self loops', () => {
    const named = namedFacts(`
      Car owl:equivalentClass Automobile
      owns owl:equivalentProperty possesses
      knows rdf:type owl:ReflexiveProperty
      x rdf:type Car
      y rdf:type Automobile
      x owns y
      y possesses z
      u knows v
      w rdf:type Person
    `);
    expect(textsOf(named, closed(named))).toEqual([
      ...['u knows u', 'v knows v', 'x possesses y', 'x rdf:type Automobile', 'y owns z', 'y rdf:type Car'],
    ]);
  });

  it('adds nothing that an irreflexive or asymmetric relation forbids', () => {
    const lines = `
      p rdfs:subPropertyOf q
      a p b
      b p a
      c p c
      d q e
      e p d
    `;
    const free = namedFacts(lines);
    expect(textsOf(free, closed(free))).toEqual(['a q b', 'b q a', 'c q c', 'e q d']);
    const irreflexive = namedFacts(`${lines}q rdf:type owl:IrreflexiveProperty`);
    expect(textsOf(irreflexive, closed(irreflexive))).toEqual(['a q b', 'b q a', 'e q d']);
    const asymmetric = namedFacts(`${lines}q rdf:type owl:AsymmetricProperty`);
    expect(textsOf(asymmetric, closed(asymmetric))).toEqual(['a q b']);
  });

  it('says that it left facts out where there are too many, and closes a long chain', () => {
    const chain = (count: number): NamedFacts =>
      namedFacts(
        [
          'before rdf:type owl:TransitiveProperty',
          ...Array.from({ length: count }, (_, i) => `e${i} before e${i + 1}`),
        ].join('\n'),
      );
    expect(closed(chain(300))).toMatchObject({ count: (300 * 299) / 2, truncated: false });
    const cut = closed(chain(300), { most: 1_000 });
    expect(cut).toMatchObject({ count: 1_000, truncated: true });
    // The closest come first.
    const named = chain(300);
    expect(cut.graph.has(named.entity('e250'), named.relation('before'), named.entity('e252'))).toBe(true);
    expect(closed(chain(2), { most: 1 })).toMatchObject({ count: 1, truncated: false });
    expect(closed(chain(2), { most: 0 })).toMatchObject({ count: 0, truncated: true });
    for (const most of [-1, 1.5, 2 ** 24, Number.NaN])
      expect(() => closed(named, { most })).toThrow(
        expect.objectContaining({ code: 'range', path: '$.most' }),
      );
  });

  it('ends after a bounded number of steps where most steps find nothing new', () => {
    const size = 120;
    const all = Array.from({ length: size * size }, (_, i) => [Math.floor(i / size), 0, i % size]);
    const clique = createKnowledgeGraph({
      entityCount: size,
      relationCount: 2,
      triples: Int32Array.from(all.flat()),
    });
    const axioms: Axiom[] = [{ kind: 'transitive', relation: 0 }];
    expect(entailedFacts(clique, axioms, { most: 0 })).toMatchObject({ count: 0, truncated: true });
    expect(entailedFacts(clique, axioms)).toMatchObject({ count: 0, truncated: false });
  });
});

it('axioms of another graph are refused', () => {
  const { facts } = namedFacts('a r b');
  for (const axiom of [
    { kind: 'symmetric', relation: 2 },
    { kind: 'symmetric', relation: 1 },
    { kind: 'inverseOf', relation: 0, other: 8 },
    { kind: 'domain', relation: 0, class: 2, typeRelation: 0 },
    { kind: 'subClassOf', sub: 0, super: 1, typeRelation: 4 },
  ] as const)
    expect(() => entailedFacts(facts, [{ kind: 'symmetric', relation: 0 }, axiom])).toThrow(
      expect.objectContaining({ code: 'range', path: '$.axioms[1]' }),
    );
  expect(entailedFacts(facts, [{ kind: 'symmetric', relation: 0 }]).count).toBe(1);
});

describe('axiomConflicts', () => {
  it('names cycles, second values and transitive functional properties', () => {
    const named = namedFacts(`
      A rdfs:subClassOf B
      B rdfs:subClassOf A
      B rdfs:subClassOf C
      p rdfs:subPropertyOf q
      q rdfs:subPropertyOf p
      capital rdf:type owl:FunctionalProperty
      capital rdf:type owl:TransitiveProperty
      spouse rdf:type owl:FunctionalProperty
      spouse rdf:type owl:SymmetricProperty
      mother rdf:type owl:InverseFunctionalProperty
      de capital berlin
      de capital bonn
      fr capital paris
      a spouse b
      c spouse b
      m mother x
      n mother y
      u p v
      v q w
    `);
    const { facts, vocabulary, entity, relation } = named;
    const axioms = declaredAxioms(facts, vocabulary);
    const entailed = entailedFacts(facts, axioms);
    const capital = { kind: 'functional', relation: relation('capital') };
    expect(axiomConflicts(facts, axioms, entailed)).toEqual([
      { kind: 'classCycle', members: [entity('A'), entity('B')] },
      { kind: 'propertyCycle', members: [relation('p'), relation('q')] },
      { kind: 'transitiveFunctional', axiom: capital },
      {
        kind: 'secondValue',
        axiom: capital,
        count: 1,
        recorded: 1,
        example: { entity: entity('de'), values: [entity('berlin'), entity('bonn')] },
      },
      {
        kind: 'secondValue',
        axiom: { kind: 'functional', relation: relation('spouse') },
        count: 1,
        recorded: 0,
        example: { entity: entity('b'), values: [entity('a'), entity('c')] },
      },
    ]);
    // The recorded facts alone show no second spouse.
    expect(axiomConflicts(facts, axioms).map(({ kind }) => kind)).toEqual([
      ...['classCycle', 'propertyCycle', 'transitiveFunctional', 'secondValue'],
    ]);
  });

  it('names opposite axioms and facts that axioms forbid', () => {
    const named = namedFacts(`
      near rdf:type owl:SymmetricProperty
      near rdf:type owl:AsymmetricProperty
      like rdf:type owl:ReflexiveProperty
      like rdf:type owl:IrreflexiveProperty
      above rdf:type owl:AsymmetricProperty
      other rdf:type owl:IrreflexiveProperty
      a near b
      a like b
      c above d
      d above c
      e above e
      f other f
      f other g
    `);
    const { facts, vocabulary, entity, relation } = named;
    const axioms = declaredAxioms(facts, vocabulary);
    const of = (kind: string, name: string) => ({ kind, relation: relation(name) });
    const entailed = entailedFacts(facts, axioms);
    expect(textsOf(named, entailed)).toEqual([]);
    expect(axiomConflicts(facts, axioms, entailed)).toEqual([
      { kind: 'opposites', axioms: [of('symmetric', 'near'), of('asymmetric', 'near')] },
      { kind: 'opposites', axioms: [of('reflexive', 'like'), of('irreflexive', 'like')] },
      {
        ...{ kind: 'forbiddenFacts', axiom: of('asymmetric', 'above'), count: 2 },
        example: { head: entity('c'), tail: entity('d') },
      },
      {
        ...{ kind: 'forbiddenFacts', axiom: of('irreflexive', 'other'), count: 1 },
        example: { head: entity('f'), tail: entity('f') },
      },
    ]);
    // Negative control: one of two opposite axioms alone is followed.
    const alone = namedFacts('near rdf:type owl:SymmetricProperty\na near b');
    expect(textsOf(alone, closed(alone))).toEqual(['b near a']);
  });

  it('finds nothing in an ontology without contradictions', () => {
    const named = namedFacts(family);
    const entailed = closed(named);
    expect(axiomConflicts(named.facts, entailed.axioms, entailed)).toEqual([]);
  });

  it('finds cycles of classes in a chain too long for recursion', () => {
    const chain = Array.from({ length: 20_000 }, (_, i) => [i, i + 1] as const);
    expect(findCycles(chain)).toEqual([]);
    expect(findCycles([...chain, [20_000, 19_995], [5, 5], [7, 3]])).toEqual([
      [3, 4, 5, 6, 7],
      [19_995, 19_996, 19_997, 19_998, 19_999, 20_000],
    ]);
  });
});

/** Facts and axioms at random: relation 0 is the type relation, entities 0 to 4 are classes. */
function randomOntology(seed: number): { readonly facts: KnowledgeGraph; readonly axioms: readonly Axiom[] } {
  const random = createRandom('ontology', seed);
  const triples = Array.from({ length: 14 }, () => {
    const relation = 2 * random.below(5);
    return [5 + random.below(9), relation, relation === 0 ? random.below(5) : 5 + random.below(9)];
  });
  const facts = createKnowledgeGraph({
    entityCount: 14,
    relationCount: 10,
    triples: Int32Array.from(triples.flat()),
  });
  const relation = (): number => 2 + 2 * random.below(4);
  const axioms = Array.from({ length: 6 }, (): Axiom => {
    const drawn = random.below(10);
    if (drawn === 0 || drawn === 7) {
      const kind = drawn === 0 ? 'subClassOf' : 'equivalentClass';
      return { kind, sub: random.below(5), super: random.below(5), typeRelation: 0 };
    }
    if (drawn === 1) return { kind: 'domain', relation: relation(), class: random.below(5), typeRelation: 0 };
    if (drawn === 2) return { kind: 'range', relation: relation(), class: random.below(5), typeRelation: 0 };
    if (drawn === 3) return { kind: 'subPropertyOf', relation: relation(), other: relation() };
    if (drawn === 4) return { kind: 'inverseOf', relation: relation(), other: relation() };
    if (drawn === 8) return { kind: 'equivalentProperty', relation: relation(), other: relation() };
    if (drawn === 9) return { kind: 'reflexive', relation: relation() };
    return { kind: drawn === 5 ? 'symmetric' : 'transitive', relation: relation() };
  });
  return { facts, axioms };
}

/** Every rule on every fact until nothing is new; facts that are recorded are left out. */
function naiveClosure(facts: KnowledgeGraph, axioms: readonly Axiom[]): string[] {
  const recorded = facts.forwardTriples();
  const known = new Map<string, readonly [number, number, number]>();
  for (let i = 0; i < recorded.length; i += 3)
    known.set(recorded.subarray(i, i + 3).join(), [recorded[i]!, recorded[i + 1]!, recorded[i + 2]!]);
  const reflexive = new Set([...known.values()].filter(([h, , t]) => h === t).map(([, r]) => r));
  for (let before = -1; before !== known.size; ) {
    before = known.size;
    for (const axiom of axioms)
      for (const [h, r, t] of [...known.values()]) {
        const say = (...fact: readonly [number, number, number]) => known.set(fact.join(), fact);
        if ('sub' in axiom) {
          if (r === 0 && t === axiom.sub) say(h, 0, axiom.super);
          if (axiom.kind === 'equivalentClass' && r === 0 && t === axiom.super) say(h, 0, axiom.sub);
          continue;
        }
        if (axiom.kind === 'inverseOf' && r === axiom.other) say(t, axiom.relation, h);
        if (axiom.kind === 'equivalentProperty' && r === axiom.other) say(h, axiom.relation, t);
        if (r !== axiom.relation) continue;
        if (axiom.kind === 'domain') say(h, 0, axiom.class);
        if (axiom.kind === 'range') say(t, 0, axiom.class);
        if (axiom.kind === 'subPropertyOf' || axiom.kind === 'equivalentProperty') say(h, axiom.other, t);
        if (axiom.kind === 'reflexive') for (const e of [h, t]) say(e, r, e);
        if (axiom.kind === 'inverseOf') say(t, axiom.other, h);
        if (axiom.kind === 'symmetric') say(t, r, h);
        if (axiom.kind === 'transitive')
          for (const [x, q, y] of [...known.values()])
            if (q === r && x === t && (y !== h || reflexive.has(r))) say(h, r, y);
      }
  }
  return [...known.keys()]
    .filter((key) => {
      const [h, r, t] = known.get(key)!;
      return !facts.has(h, r, t);
    })
    .sort();
}
