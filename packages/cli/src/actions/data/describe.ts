import type { Dataset } from '@fuzzqe/data';

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
  };
}

/** A data set in two lines. */
export function describeDataset(dataset: Dataset): string[] {
  const counts = countsOf(dataset);
  const relations = counts['relations'] === 1 ? 'relation and its inverse' : 'relations and their inverses';
  return [
    `${counts['name']} (${counts['licence']}): ${counts['entities']} entities, ${counts['relations']} ${relations}`,
    `facts: ${counts['train']} to learn from, ${counts['valid']} held out for validation, ${counts['test']} for the test`,
  ];
}
