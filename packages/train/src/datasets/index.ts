export { type ImportBetaEOptions, type ImportedBetaE, importBetaE } from './betae/import-betae.ts';
export { type CountriesOptions, loadCountries } from './countries.ts';
export {
  createDataset,
  type Dataset,
  type DatasetGraphs,
  type DatasetInput,
  type DatasetOrigin,
} from './dataset.ts';
export {
  type DownloadedDataset,
  type DownloadOptions,
  downloadDataset,
} from './download/download-dataset.ts';
export { hashFile } from './download/fetch-file.ts';
export { type DownloadSource, downloadSources } from './download/sources.ts';
export { type FoundFiles, findImportFiles, type ImportFormat, importFormats } from './find-files.ts';
export { hashDataset } from './hash-dataset.ts';
export type { HeaderOption } from './header.ts';
export { type ImportOptions, importDataset } from './import-dataset.ts';
export type { ImportCounts, ImportedDataset } from './imported-dataset.ts';
export { PickleClass, PickleDict, PickleSet, type PickleValue } from './pickle/pickle-value.ts';
export { unpickle } from './pickle/unpickle.ts';
export { readDataset } from './read-dataset.ts';
export { type SplitOptions, type SplitTriples, splitTriples } from './split.ts';
export { formatOf, type TripleFormat, tripleFormats } from './triple-format.ts';
export type { UnknownNames } from './triple-sink.ts';
export { type DatasetQueries, refuseExisting, writeDataset } from './write-dataset.ts';
