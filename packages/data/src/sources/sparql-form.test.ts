import { describe, expect, it } from 'vitest';
import { parseSourceAddress } from './source-address.ts';
import { sparqlForm } from './sparql-form.ts';

const formOf = (query: string): string => sparqlForm(parseSourceAddress('sparql+http://h/', query));

describe('the form of a SPARQL query', () => {
  it('is told by the first keyword after the prologue', () => {
    expect(formOf('select * {}')).toBe('rows');
    expect(formOf('# CONSTRUCT\nPREFIX select: <http://x#CONSTRUCT> BASE <#> SELECT ?x {}')).toBe('rows');
    expect(formOf('prefix : <http://x/select#> CONSTRUCT WHERE { ?h ?r ?t }')).toBe('graph');
    expect(formOf('DESCRIBE <http://x/SELECT>')).toBe('graph');
  });

  it.each(['ASK {}', 'DELETE WHERE { ?h ?r ?t }', 'SELECTED {}', '{}'])('%s is refused', (query) => {
    expect(() => formOf(query)).toThrow(/expected SELECT, CONSTRUCT or DESCRIBE/);
  });
});
