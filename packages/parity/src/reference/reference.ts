import type { RankedAnswer } from '@fuzzqe/core/bundle';
import { embedTemplate, type ModelConfig } from '@fuzzqe/core/model';
import { type Query, templateOf } from '@fuzzqe/core/query';
import { createProgram, evaluate, input, numeric, type Tensor } from '@fuzzqe/core/tensor';
import { openProfileWeights } from './profile-weights.ts';

/** The judge of any query: what a profile's programs mean in float64. */
export interface Reference {
  /** Ranges: k in [1, |E|]. */
  rank(query: Query, k: number): Promise<RankedAnswer>;
  close(): Promise<void>;
}

/**
 * Opens the weights of a profile for answers in float64.
 *
 * What it shares with a runtime is the weights file and nothing else of the bundle: neither graphs nor their places in
 * that file. Relations are read as queries use them.
 * @throws FuzzError `bundle`: a profile that this version does not know.
 */
export async function openReference(
  bundle: string,
  profile: string,
  config: ModelConfig,
): Promise<Reference> {
  const weights = await openProfileWeights(bundle, profile, config);
  const known = new Map<string, RankedAnswer>();

  const answer = async (query: Query, k: number): Promise<RankedAnswer> => {
    const { template, anchors, relations } = templateOf(query);
    // A table without rows is none, so a query without relations is given one that it does not use.
    const used = relations.length === 0 ? [0] : [...new Set(relations)];
    const model = weights.profile.model({ ...config, relations: used.length });
    const ids = (kind: string, slot: number): Tensor => input(`${kind} ${slot}`, 'int', [1]);
    const limit = input('k', 'int', [1]);
    const allowed = input('allowed', 'float', [1, config.entities]);
    const embedding = embedTemplate(model.logic, template, {
      anchor: (slot) => model.anchor(ids('anchor', slot)),
      project: (slot, from) => model.project(from, ids('relation', slot)),
    });
    const feeds = new Map<string, number>([
      ...anchors.map((id, slot) => [`anchor ${slot}`, id] as const),
      ...relations.map((id, slot) => [`relation ${slot}`, used.indexOf(id)] as const),
      ['k', k],
    ]);
    const program = createProgram({
      name: 'reference',
      inputs: [...[...feeds.keys()].map((name) => input(name, 'int', [1])), allowed],
      outputs: { embedding, ...model.ranking(embedding, allowed, limit) },
    });
    const result = evaluate(program, {
      ...(await weights.values(used)),
      allowed: numeric([1, config.entities], new Float32Array(config.entities).fill(1)),
      ...Object.fromEntries([...feeds].map(([name, value]) => [name, numeric([1], Int32Array.of(value))])),
    });
    const [vector, best, scores] = ['embedding', 'ids', 'scores'].map((name) => result[name]!.data);
    return { embedding: vector!, ids: best!, scores: scores! };
  };
  return {
    async rank(query, k) {
      const key = `${k} ${JSON.stringify(query)}`;
      const found = known.get(key) ?? (await answer(query, k));
      known.set(key, found);
      return found;
    },
    close: () => weights.close(),
  };
}
