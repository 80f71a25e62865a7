import { readManifest } from '@fuzzqe/core/bundle';
import { folderSource } from '@fuzzqe/serve';
import type { RankedAnswer } from '../cases/ranked-answer.ts';
import { openReference } from '../reference/reference.ts';
import type { ParityRuntime } from './runtime.ts';

/** The programs of the profile in float64, on the weights that are in the bundle, without any graph of it. */
export const referenceRuntime: ParityRuntime = {
  description: 'float64, from the weights of the bundle',
  available: async () => ({ present: true }),
  async open({ directory, profile }) {
    const { model } = await readManifest(folderSource(directory));
    const reference = await openReference(directory, profile, model);
    return {
      runtime: 'float64',
      async rank(queries, { k }) {
        const answers: RankedAnswer[] = [];
        for (const query of queries) answers.push(await reference.rank(query, k));
        return answers;
      },
      close: reference.close,
    };
  },
};
