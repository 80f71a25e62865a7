import { describe, expect, it } from 'vitest';
import {
  credentialsOf,
  isSourceAddress,
  parseSourceAddress,
  sourceName,
  withoutCredentials,
} from './source-address.ts';

const refusal = (address: string, query?: string): unknown => {
  try {
    return parseSourceAddress(address, query);
  } catch (error) {
    return error;
  }
};

describe('the address of a source', () => {
  it('ends in its query, which may hold whatever an address may not', () => {
    const typed = parseSourceAddress('sparql+https://h.org/sparql?query=SELECT * { ?h <x#y>+ ?t } # a&b=c');
    expect(typed).toMatchObject({ kind: 'sparql', query: 'SELECT * { ?h <x#y>+ ?t } # a&b=c' });
    expect(typed.url.href).toBe('https://h.org/sparql');
    const encoded = parseSourceAddress('postgres://h/db?sslmode=require&query=SELECT%20a%2Bb');
    expect([encoded.query, encoded.url.href]).toEqual(['SELECT a+b', 'postgres://h/db?sslmode=require']);
    expect(parseSourceAddress('bolt+s://h:7688', 'RETURN 1')).toMatchObject({
      kind: 'neo4j',
      query: 'RETURN 1',
    });
  });

  it('shows neither user nor password', () => {
    const address = 'postgres://ann:s%40cret@h:5433/db?password=other&query=SELECT%201';
    expect(credentialsOf(parseSourceAddress(address).url)).toEqual({ user: 'ann', password: 's@cret' });
    expect(parseSourceAddress(address).place).toBe('postgres://h:5433/db');
    expect(withoutCredentials(address)).toBe('postgres://h:5433/db?query=SELECT%201');
    expect(withoutCredentials('folder/facts.tsv')).toBe('folder/facts.tsv');
    // A slash that should have been encoded ends the host early.
    expect(parseSourceAddress('postgres://ann:12/cret@h/db', 'q').place).not.toContain('cret');
    for (const wrong of ['postgres://ann:secret@:x/db?query=q', 'neo4j://ann:se%cret@h?query=q'])
      expect(String(refusal(wrong)).replaceAll(/secret|cret@/g, 'LEAK')).toMatch(
        /expected \w+:\/\/host…\?query=…, got no address$/m,
      );
  });

  it('names the graph after the database or the server', () => {
    expect(sourceName('postgres://ann@h/films?query=q')).toBe('films');
    expect(sourceName('neo4j://graph.org?query=q')).toBe('graph.org');
    expect(sourceName('sparql+https://query.wikidata.org/sparql')).toBe('query.wikidata.org');
  });

  it('is told apart from a path', () => {
    expect(['postgres://h', 'x+y://h'].map(isSourceAddress)).toEqual([true, true]);
    expect(['a.tsv', 'C:\\a.tsv', '/a://b', 'a:b', './postgres://h'].map(isSourceAddress)).not.toContain(
      true,
    );
  });

  it.each([
    ['mysql://h/db?query=q', undefined, 'usage', /expected sparql\+http:\/\/.* got "mysql:\/\/"/],
    ['https://h/x.nt', undefined, 'usage', /got "https:\/\/"/],
    ['postgres://h/db', undefined, 'usage', /expected one query, got none/],
    ['postgres://h/db?query=q', 'q', 'usage', /expected one query, got two/],
    ['postgres://h/db?query=%20', undefined, 'usage', /got an empty one/],
    ["postgres://h/db?query=LIKE '%'", undefined, 'usage', /a % that encodes nothing/],
  ])('%s is refused', (address, query, code, message) => {
    expect(refusal(address, query)).toMatchObject({ code, message: expect.stringMatching(message) });
  });
});
