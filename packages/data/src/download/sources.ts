/** A published data set that can be downloaded. */
export interface DownloadSource {
  /** A zip archive that has the folder somewhere in it. */
  readonly url: string;
  readonly folder: string;
  /** The SHA-256 of the archive, in hex, where one is known. */
  readonly sha256?: string;
  /** Its MD5, in hex, where that is all that is published: it tells damage, not malice. */
  readonly md5?: string;
  /** The SHA-256 of its facts as a data set has them: int32 little-endian head, relation, tail, forward, distinct, in order. */
  readonly facts?: Readonly<Partial<Record<'train' | 'valid' | 'test', string>>>;
  /** Bytes that it has at most, where that is known: a download of more is stopped. */
  readonly maxBytes?: number;
  readonly licence: string;
  readonly description: string;
}

/**
 * The archive of the BetaE authors has both graphs, each with its queries: 1.3 GB.
 *
 * They publish no hash; the MD5 is the one that the loaders of TorchDrug and ULTRA expect of this address. The digests of facts were
 * computed from copies of the graphs that have as many facts as the paper says; of NELL995's test facts there was none.
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
    facts: {
      train: '882b0fa73589d0c415065f252fd81fc0aa33e28e20f9521380485e1b61093488',
      valid: 'd3c6c5f70359a702c8f148a9226182a0b29a41c8218418d99fb2079f67fcb915',
      test: 'ec6930afc44212f9915c2f736755c1650e3d62c1794cb34baad131503e32d0bf',
    },
    licence: 'CC-BY-2.5',
    description: `FB15k-237: facts from Freebase (Toutanova and Chen, 2015). ${credit}`,
  },
  nell995: {
    ...betae,
    folder: 'NELL-betae',
    facts: {
      train: 'a63f4abe2569f62a1d0846ac46655f94c3f7aa0014a0b652f2a80952a95da982',
      valid: '1330fe5d0d510198b648061c8e50c1d8cddc76ad4637a2c89fb3a4715875f7a5',
    },
    licence: 'unknown',
    description: `NELL995: facts from the 995th iteration of NELL (Xiong et al., 2017). ${credit}`,
  },
};
