import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { buildingTurtle } from '@fuzzqe/data/testing';

const relations = ['my relation', 'made by', 'part of', 'near'];
const entityCount = 60;
const nameOf = (entity: number): string =>
  entity % entityCount === 0 ? 'My entity' : `entity ${entity % entityCount}`;

/** Eight facts an entity, of four relations that shift and stretch the ring of entities. */
const facts: readonly (readonly [head: string, relation: string, tail: string])[] = Array.from(
  { length: entityCount },
  (_, head) =>
    relations.flatMap((relation, k) =>
      [1, 7].map((shift) => [nameOf(head), relation, nameOf(head * (k + 1) + shift * (k + 2))] as const),
    ),
).flat();

const lines = (rows: readonly (readonly string[])[], separator: string): string =>
  rows.map((row) => `${row.join(separator)}\n`).join('');

const [valid, test] = [facts.filter((_, i) => i % 16 === 7), facts.filter((_, i) => i % 16 === 15)];
const train = facts.filter((_, i) => i % 8 !== 7);
const entities = Array.from({ length: entityCount }, (_, entity) => nameOf(entity));
const iri = (name: string): string => `<https://example.org/${name.replaceAll(' ', '-')}>`;

/** The files that the blocks of the documents name, and that a reader would have: small ones that can be trained on. */
const files: Readonly<Record<string, string | Uint8Array>> = {
  'triples.tsv': lines(facts, '\t'),
  'triples.csv.gz': gzipSync(lines(train, ',')),
  'valid.csv': lines(valid, ','),
  'test.csv': lines(test, ','),
  'names.tsv': lines(
    entities.map((name) => [name, `${name}, by name`]),
    '\t',
  ),
  'facts.ttl': facts.map((fact) => `${fact.map(iri).join(' ')} .\n`).join(''),
  'scored.tsv': `# scored by hand\n${lines(
    facts.map((fact, i) => [...fact, `0.${i % 10}`]),
    '\t',
  )}`,
  'building.ttl': buildingTurtle,
  'building.nq.gz': gzipSync(
    facts.map((fact) => `${fact.map(iri).join(' ')} <https://example.org/graph> .\n`).join('') +
      `_:list ${iri('near')} ${iri('My entity')} .\n`,
  ),
  'CoDEx/s/train.txt': lines(train, '\t'),
  'CoDEx/s/valid.txt': lines(valid, '\t'),
  'CoDEx/s/test.txt': lines(test, '\t'),
  ...betaE('FB15k-237-betae'),
  'official-valid-queries.jsonl.gz': gzipSync(validQueries()),
};

/** A 1p query for each validation fact, in the ids of the folder above; a reader computes what is easy. */
function validQueries(): string {
  const known = new Set(train.map(String));
  const lines = new Set(
    valid.map(([head, relation]) => {
      const tails = valid.filter(
        ([h, r, t]) => h === head && r === relation && !known.has(String([h, r, t])),
      );
      const hard = [...new Set(tails.map(([, , tail]) => entities.indexOf(tail)))];
      return `${JSON.stringify({ type: '1p', query: [entities.indexOf(head), [2 * relations.indexOf(relation)]], hard })}\n`;
    }),
  );
  return [...lines].join('');
}

/** A folder in the layout of BetaE without queries: ids, and every fact along both relations of its pair. */
function betaE(folder: string): Record<string, string> {
  const ids = (rows: typeof facts): string =>
    lines(
      rows.flatMap(([head, relation, tail]) => {
        const [h, r, t] = [entities.indexOf(head), 2 * relations.indexOf(relation), entities.indexOf(tail)];
        return [
          [`${h}`, `${r}`, `${t}`],
          [`${t}`, `${r + 1}`, `${h}`],
        ];
      }),
      '\t',
    );
  return {
    [`${folder}/stats.txt`]: `numentity: ${entityCount}\nnumrelations: ${2 * relations.length}\n`,
    [`${folder}/entities.tsv`]: lines(
      entities.map((name, id) => [`${id}`, name]),
      '\t',
    ),
    [`${folder}/relations.tsv`]: lines(
      relations.flatMap((name, k) => [
        [`${2 * k}`, `+${name}`],
        [`${2 * k + 1}`, `-${name}`],
      ]),
      '\t',
    ),
    [`${folder}/train.txt`]: ids(train),
    [`${folder}/valid.txt`]: ids(valid),
    [`${folder}/test.txt`]: ids(test),
  };
}

/** Writes them into a folder. */
export function writeStandIns(folder: string): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}
