import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asEntityId, type KnowledgeGraph } from '@fuzzqe/core';
import { entity, type Query } from '@fuzzqe/core/query';
import { checkTrained, createLinkScores, createLocalRanker, createSessionCache } from '@fuzzqe/engine';
import type { LinkScores } from '@fuzzqe/evidence';
import { defaultSets, writeModel } from '@fuzzqe/export';
import type { ModelConfig, Parameters } from '@fuzzqe/model';
import { folderSource, nodeSessions } from '@fuzzqe/serve';

/** The parameters of a model, answered by the graphs that a bundle of them has. */
export interface ServedParameters {
  readonly model: ModelConfig;
  /** The scores of links, of which (9) makes degrees. */
  readonly scores: LinkScores;
  /** p_e of every entity. Shapes: → |E| of [d]. */
  vectors(): Promise<readonly Float32Array[]>;
  /**
   * φ(q, e) of every entity. Shapes: n queries → [|E|] each.
   *
   * @throws FuzzError `usage`: a query that the model's family does not embed.
   */
  similarities(queries: readonly Query[]): Promise<readonly Float32Array[]>;
  close(): Promise<void>;
}

/** What is served, and how. */
export interface ServeParametersOptions {
  readonly model: ModelConfig;
  readonly parameters: Parameters;
  /** The facts that they were trained on. */
  readonly trained: KnowledgeGraph;
  readonly threads: number;
  readonly signal?: AbortSignal | undefined;
}

/** How many queries one run compares with all entities. */
const comparedAtOnce = 32;

/**
 * Serves parameters: their graphs are exported to a temporary folder and run by onnxruntime-node, as the graphs of a bundle are.
 *
 * A graph is opened when a query needs the graph.
 *
 * @throws FuzzError `storage`: the disk refuses. `interrupted`: the signal was raised.
 * @example
 * const { config: model, parameters } = trained;
 * const served = await serveParameters({ model, parameters, trained: graph, threads: 2 });
 * await served.close();
 */
export async function serveParameters(options: ServeParametersOptions): Promise<ServedParameters> {
  const { model, parameters, trained, threads, signal } = options;
  const directory = await mkdtemp(join(tmpdir(), 'fuzzqe-checkpoint-'));
  const remove = (): Promise<void> => rm(directory, { recursive: true, force: true });
  try {
    const profile = await writeModel({ directory, config: model, parameters, graph: trained, signal });
    const source = folderSource(directory);
    const factory = nodeSessions(directory, { threads });
    const sessions = createSessionCache(factory, source);
    const { projection, ...evidence } = defaultSets(model);
    const ranker = createLocalRanker(
      { source, manifest: { model, sets: { projection } }, profile, facts: trained, evidence },
      { sessions: factory, plan: 'operators' },
    );
    const { entities, dimension } = model;
    const allowed = new Float32Array(comparedAtOnce * entities).fill(1);
    const compare = async (embeddings: readonly Float32Array[]): Promise<Float32Array[]> => {
      // Filled up: kernels add the products of fewer rows in another order.
      const stacked = new Float32Array(comparedAtOnce * dimension);
      embeddings.forEach((embedding, row) => {
        stacked.set(embedding, row * dimension);
      });
      const { ids, scores } = await (await sessions.get(profile.rank)).run({
        embedding: { dims: [comparedAtOnce, dimension], data: stacked },
        allowed: { dims: [comparedAtOnce, entities], data: allowed },
        k: { dims: [1], data: Int32Array.of(entities) },
      });
      return embeddings.map((_, row) => {
        const ofRow = new Float32Array(entities);
        for (let i = row * entities; i < (row + 1) * entities; i += 1)
          ofRow[ids!.data[i]!] = scores!.data[i]!;
        return ofRow;
      });
    };
    return {
      model,
      scores: createLinkScores({
        model,
        run: async (feeds) => (await sessions.get(profile.links)).run(feeds),
      }),
      async vectors() {
        const asked = Array.from({ length: entities }, (_, id) => ({
          task: 'embed' as const,
          query: entity(asEntityId(id)),
        }));
        return (await ranker.rank(asked)).map(({ embedding }) => embedding);
      },
      async similarities(queries) {
        checkTrained(queries, model);
        const embedded = await ranker.rank(queries.map((query) => ({ task: 'embed' as const, query })));
        const found: Float32Array[] = [];
        for (let from = 0; from < queries.length; from += comparedAtOnce) {
          const part = embedded.slice(from, from + comparedAtOnce);
          found.push(...(await compare(part.map(({ embedding }) => embedding))));
        }
        return found;
      },
      async close() {
        try {
          await Promise.all([ranker.close(), sessions.close()]);
        } finally {
          await remove();
        }
      },
    };
  } catch (cause) {
    await remove();
    throw cause;
  }
}
