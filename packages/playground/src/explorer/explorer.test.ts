import { asEntityId } from '@fuzzqe/core';
import { plainTree, planPattern } from '@fuzzqe/core/query';
import type { EntityDescription } from '@fuzzqe/engine';
import { createVocabulary } from '@fuzzqe/names';
import { entityIri, parseSparql } from '@fuzzqe/sparql';
import { areIriKeys } from '@fuzzqe/sparql/format';
import { Parser } from 'n3';
import { describe, expect, it } from 'vitest';
import { type AnswerSource, SourceError } from '../sources/answer-source.ts';
import { keepList } from '../storage/keep-list.ts';
import { acceptedFacts, factOf, isJudged, judge, verdictOf } from './desk.ts';
import { driftWords, teachingWords } from './judgement-words.ts';
import { reloadPage } from './load-page.ts';
import { beginningsBelow, writeNTriples } from './n-triples.ts';

const name = (key: string) => ({ key, label: `label of ${key}` });
const borders = { key: 'borders', label: 'borders', inverse: false };
const other = (key: string, degree = 0.4) => ({ ...name(key), degree });
const fact = factOf(name('France'), borders, other('Spain'));

describe("the curator's desk", () => {
  it('has facts in the direction of the data, whichever page they were suggested on', () => {
    const inverse = { key: 'borders^-1', label: 'borders', inverse: true };
    expect(factOf(name('Spain'), inverse, other('France'))).toEqual(fact);
    expect(fact).toMatchObject({
      head: { key: 'France' },
      relation: { key: 'borders' },
      tail: { key: 'Spain' },
    });
  });

  it('keeps one verdict of each fact, the last', () => {
    const second = factOf(name('France'), borders, other('Italy'));
    let desk = judge([], fact, 'accepted');
    desk = judge(desk, second, 'accepted');
    expect(acceptedFacts(desk)).toEqual([fact, second]);
    desk = judge(desk, fact, 'rejected');
    expect([verdictOf(desk, fact), verdictOf(desk, second)]).toEqual(['rejected', 'accepted']);
    expect(acceptedFacts(desk)).toEqual([second]);
    expect(verdictOf(judge(desk, second, undefined), second)).toBeUndefined();
  });
});

describe('a page that is loaded anew', () => {
  const relations = Array.from({ length: 20 }, (_, id) => ({ relation: { id } }));
  /** A source that gives at most four relations at once. */
  const source = {
    page: (_: number, { limit = 1, offset = 0 }) => {
      if (limit > 4) return Promise.reject(new SourceError('refused', 'too many'));
      const results = relations.slice(offset, offset + limit);
      return Promise.resolve({ id: 3, relations: { total: relations.length, results } });
    },
  } as unknown as AnswerSource;
  const pageOf = (count: number) =>
    ({ id: 3, relations: { total: 20, results: relations.slice(0, count) } }) as unknown as EntityDescription;

  it('has as many relations as before, or as there are by now', async () => {
    const { signal } = new AbortController();
    expect((await reloadPage(source, pageOf(7), signal)).relations.results).toEqual(relations.slice(0, 8));
    expect((await reloadPage(source, pageOf(3), signal)).relations.results).toHaveLength(4);
    relations.pop();
    expect((await reloadPage(source, pageOf(20), signal)).relations.results).toEqual(relations);
  });
});

describe('a desk that is kept', () => {
  const second = factOf(name('France'), borders, other('Italy'));
  const texts = new Map<string, string>();
  const storage = {
    getItem: (place: string) => texts.get(place) ?? null,
    setItem: (place: string, text: string) => void texts.set(place, text),
  };

  it('comes back as it was kept, and empty where somebody else wrote there', () => {
    const desk = judge(judge([], fact, 'accepted'), factOf(name('a'), borders, other('b')), 'rejected');
    const kept = keepList(() => storage, 'desk', isJudged);
    kept.change(() => desk);
    expect(keepList(() => storage, 'desk', isJudged).read()).toEqual(desk);
    for (const text of ['', '{', '3', '{"a": 1}', 'null']) {
      texts.set('desk', text);
      expect(kept.read()).toEqual([]);
    }
    texts.set('desk', JSON.stringify([...desk, { verdict: 'accepted' }, { fact, verdict: 'maybe' }, null]));
    expect(kept.read()).toEqual(desk);
  });

  it('has the verdicts of all tabs', () => {
    const [one, two, elsewhere] = ['a', 'a', 'b'].map((place) => keepList(() => storage, place, isJudged));
    one!.change((desk) => judge(desk, fact, 'accepted'));
    two!.change((desk) => judge(desk, second, 'rejected'));
    expect(one!.read().map(({ verdict }) => verdict)).toEqual(['accepted', 'rejected']);
    expect(elsewhere!.read()).toEqual([]);
  });

  it('lasts as long as the page where nothing can be kept', () => {
    const full = { getItem: () => null, setItem: () => expect.fail('full') };
    const forbidden = (): Storage => expect.fail('forbidden');
    for (const kept of [keepList(() => full, 'a', isJudged), keepList(forbidden, 'a', isJudged)]) {
      kept.change((desk) => judge(desk, fact, 'accepted'));
      kept.change((desk) => judge(desk, second, 'accepted'));
      expect(acceptedFacts(kept.read())).toEqual([fact, second]);
    }
  });
});

describe('what is said of verdicts', () => {
  const link = { ...fact, conflicts: [] };

  it.each([
    [0.5, 1, 'teaches much: the model is unsure, and no link of “label of borders” is judged.'],
    [0.5, 1 / 2, 'teaches something: the model is unsure, and one link of “label of borders” is judged.'],
    [0.1, 0.469 / 4, 'teaches little: the model leans, and 3 links of “label of borders” are judged.'],
    [0.99, 0.0808, 'teaches little: the model is nearly sure, and no link of “label of borders” is judged.'],
  ])('tells of the degree %f what teaches %f', (degree, teaches, words) => {
    const relation = name('borders');
    expect(teachingWords({ ...link, relation, degree, teaches })).toBe(`A verdict ${words}`);
  });

  it('tells drift from chance, and does not of few links', () => {
    const drift = (accepted: number, said: number, found: number, spread: number) =>
      driftWords({ accepted, rejected: 24 - accepted, said, found, spread });
    const begin = 'Of 24 judged links, the model said 61 % on average; 58 % were accepted.';
    expect(drift(14, 0.61, 14 / 24, 0.08)).toBe(`${begin} Chance alone makes a difference of up to 16 %.`);
    expect(drift(6, 0.61, 0.25, 0.08)).toMatch(/16 %: the model says too much\.$/);
    expect(drift(23, 0.61, 0.96, 0.08)).toMatch(/16 %: the model says too little\.$/);
    expect(driftWords({ accepted: 1, rejected: 0, said: 0.1, found: 1, spread: 0.3 })).toBe(
      'Of 1 judged link, the model said 10 % on average; 100 % were accepted. Fewer than 10 links say little of the model.',
    );
    expect(driftWords({ accepted: 0, rejected: 0, said: 0, found: 0, spread: 0 })).toMatch(/^No link/);
  });
});

describe('accepted facts as N-Triples', () => {
  it('are IRIs that the SPARQL endpoint reads, of keys that are none too', () => {
    const keys = ['http://example.org/é', 'West African franc', 'a<b>"c"', '100%', 'country:AND', '\\'];
    const facts = keys.map((key) => factOf(name(key), { ...borders, key: 'is in' }, other('Q1')));
    const lines = writeNTriples(facts).split('\n').slice(0, -1);
    expect(lines).toHaveLength(keys.length);
    const read = new Parser({ format: 'N-Triples' }).parse(writeNTriples(facts));
    // What the importer of data sets reads N-Triples with.
    expect(new Set(read.map(({ subject }) => subject.value)).size).toBe(keys.length);
    const vocabulary = createVocabulary({
      entities: [...keys.map(name), name('Q1')],
      relations: [name('is in')],
    });
    lines.forEach((line, i) => {
      expect(line).toMatch(/^<[^<>"{}|^`\\\s]+> <[^<>"{}|^`\\\s]+> <[^<>"{}|^`\\\s]+> \.$/);
      const [subject, predicate] = line.split(' ');
      const { pattern } = parseSparql(`SELECT ?x { ${subject} ${predicate} ?x }`, vocabulary);
      expect(plainTree(planPattern(pattern))).toEqual({
        op: 'project',
        relation: 0,
        from: { op: 'entity', entity: i },
      });
    });
    expect(lines[0]).toContain('<http://example.org/é> ');
    expect(writeNTriples([facts[0]!, facts[0]!])).toBe(`${lines[0]}\n`);
  });

  it('keep IRIs of whatever scheme in a graph whose keys are IRIs, as the SPARQL endpoint does', () => {
    const named = createVocabulary({
      entities: ['doid:1', 'geo:2'].map(name),
      relations: [name('ex:cures'), name('http://example.org/r')],
    });
    const suggested = factOf(name('doid:1'), { ...borders, key: 'ex:cures' }, other('geo:2'));
    const written = writeNTriples([suggested], undefined, areIriKeys([0, 2].map((id) => named.relation(id))));
    expect(written).toBe('<doid:1> <ex:cures> <geo:2> .\n');
    expect(entityIri(asEntityId(0), named)).toBe('doid:1');
    // Of a graph with other keys, these are no IRIs.
    expect(areIriKeys([name('ex:cures'), name('borders')])).toBe(false);
    expect(writeNTriples([suggested])).toContain('<urn:fuzzqe:entity:doid:1>');
  });

  it('stand below the base that is wanted', () => {
    const expected =
      '<http://x.org/g/entity/France> <http://x.org/g/relation/borders> <http://x.org/g/entity/Spain> .\n';
    for (const base of ['http://x.org/g/', ' http://x.org/g'])
      expect(writeNTriples([fact], beginningsBelow(base))).toBe(expected);
    expect(writeNTriples([fact], beginningsBelow(' '))).toContain('<urn:fuzzqe:entity:France>');
    for (const base of ['example', 'http://a b/', '<http://a/>'])
      expect(() => beginningsBelow(base)).toThrow(/an IRI with a scheme/);
  });
});
