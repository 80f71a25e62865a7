/** A published data set that can be downloaded. */
export interface DownloadSource {
  /** A zip archive that has the folder somewhere in it. */
  readonly url: string;
  readonly folder: string;
  /** The SHA-256 of the archive, in hex, where one is known. */
  readonly sha256?: string;
  /** Its MD5, in hex, where that is all that is published: it tells damage, not malice. */
  readonly md5?: string;
  /** Bytes that it has at most, where that is known: a download of more is stopped. */
  readonly maxBytes?: number;
  readonly licence: string;
  readonly description: string;
}

/**
 * The archive of the BetaE authors has both graphs, each with its queries: 1.3 GB.
 *
 * They publish no hash; the MD5 is the one that the loaders of TorchDrug and ULTRA expect of this address.
 */
const betae = {
  url: 'https://snap.stanford.edu/betae/KG_data.zip',
  md5: 'd54f92e2e6a64d7f525b8fe366ab3f50',
  maxBytes: 2 * 2 ** 30,
};
const credit =
  'Queries and split by Hongyu Ren and Jure Leskovec, Beta Embeddings for Multi-Hop Logical Reasoning in Knowledge Graphs (NeurIPS 2020).';

/** What `fuzzqe data download` knows by name. */
export const downloadSources: Readonly<Record<'fb15k-237' | 'nell995', DownloadSource>> = {
  'fb15k-237': {
    ...betae,
    folder: 'FB15k-237-betae',
    licence: 'CC-BY-2.5',
    description: `FB15k-237: facts from Freebase (Toutanova and Chen, 2015). ${credit}`,
  },
  nell995: {
    ...betae,
    folder: 'NELL-betae',
    licence: 'unknown',
    description: `NELL995: facts from the 995th iteration of NELL (Xiong et al., 2017). ${credit}`,
  },
};
