export { type CountriesOptions, loadCountries } from './countries.ts';
export { createDataset, type Dataset, type DatasetGraphs, type DatasetInput } from './dataset.ts';
export { type SplitOptions, type SplitTriples, splitTriples } from './split.ts';
