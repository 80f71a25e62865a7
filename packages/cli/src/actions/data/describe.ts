import type { Dataset } from '@fuzzqe/data';
import { type Attributes, attributeTypes, type Provenances, provenanceFields } from '@fuzzqe/names';

/** The size of a data set. */
export function countsOf(dataset: Dataset): Record<string, string | number> {
  return {
    name: dataset.name,
    licence: dataset.licence,
    entities: dataset.vocabulary.entityCount,
    relations: dataset.vocabulary.relationCount / 2,
    train: dataset.train.length / 3,
    valid: dataset.valid.length / 3,
    test: dataset.test.length / 3,
    rejected: (dataset.rejected?.length ?? 0) / 3,
    furtherNames: dataset.vocabulary.aliases.count,
    attributes: dataset.attributes?.rows.count ?? 0,
    provenances: dataset.provenances?.places.length ?? 0,
  };
}

/** A data set in two lines. */
export function describeDataset(dataset: Dataset): string[] {
  const counts = countsOf(dataset);
  const relations = counts['relations'] === 1 ? 'relation and its inverse' : 'relations and their inverses';
  return [
    `${counts['name']} (${counts['licence']}): ${counts['entities']} entities, ${counts['relations']} ${relations}`,
    `facts: ${counts['train']} to learn from, ${counts['valid']} held out for validation, ${counts['test']} for the test`,
    ...(counts['rejected'] === 0 ? [] : [`rejected links: ${counts['rejected']}`]),
    ...(dataset.attributes === undefined ? [] : [attributesLine(dataset.attributes)]),
    ...(dataset.provenances === undefined ? [] : [provenanceLine(dataset.provenances)]),
  ];
}

function attributesLine({ columns, rows }: Attributes): string {
  const kinds = attributeTypes.flatMap((type) => {
    const count = columns.filter((column) => column.type === type).length;
    return count === 0 ? [] : [`${count} of ${type}`];
  });
  return `attributes: ${rows.count} values in ${columns.length} columns (${kinds.join(', ')})`;
}

function provenanceLine({ stated, places }: Provenances): string {
  const counts = provenanceFields.flatMap((field) => {
    const count = places.reduce((sum, place) => sum + (stated[place]![field] === undefined ? 0 : 1), 0);
    return count === 0 ? [] : [`${count} ${fieldNames[field]}`];
  });
  return `provenance: of ${places.length} facts (${counts.join(', ')})`;
}

const fieldNames = {
  source: 'with a source',
  date: 'with a date',
  confidence: 'with a confidence below 1',
  from: 'with a beginning',
  until: 'with an end',
} as const;
