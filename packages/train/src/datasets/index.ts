export { type CountriesOptions, loadCountries } from './countries.ts';
export { createDataset, type Dataset, type DatasetGraphs, type DatasetInput } from './dataset.ts';
export { hashDataset } from './hash-dataset.ts';
export { type ImportedDataset, type ImportOptions, importDataset } from './import-dataset.ts';
export { readDataset } from './read-dataset.ts';
export type { UnknownNames } from './read-triples.ts';
export { type SplitOptions, type SplitTriples, splitTriples } from './split.ts';
export { writeDataset } from './write-dataset.ts';
