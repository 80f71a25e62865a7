import { schema } from '@fuzzqe/core';
import { type DatasetOrigin, type DatasetSplit, datasetSplits } from './dataset.ts';

/** The content of dataset.json. */
export interface FolderHeader {
  /** The version of the form of the folder. */
  readonly format: 1;
  readonly name: string;
  readonly licence: string;
  readonly description: string;
  /** `hashDataset` of the content; leave it out of a folder that you keep by hand. */
  readonly sha256?: string;
  readonly origin?: DatasetOrigin;
  readonly split?: DatasetSplit;
}

/** How dataset.json is read. */
export const folderHeader: schema.Schema<FolderHeader> = schema.object({
  format: schema.oneOf([1]),
  name: schema.string,
  licence: schema.withDefault(schema.string, 'unknown'),
  description: schema.withDefault(schema.string, ''),
  sha256: schema.optional(schema.string),
  origin: schema.optional(
    schema.object({
      format: schema.string,
      inverses: schema.oneOf(['added', 'given']),
      url: schema.optional(schema.string),
      archiveSha256: schema.optional(schema.string),
    }),
  ),
  split: schema.optional(schema.oneOf(datasetSplits)),
});
