import { describe, expect, it } from 'vitest';
import {
  createLocalRanker,
  createQueuedRanker,
  createRankerHost,
  createRemoteRanker,
  messageFromJson,
  messageToJson,
  type RankedBundle,
  type Ranker,
  type RankerCall,
  type RankerReply,
} from '../index.ts';
import {
  describeRanker,
  memoryBundle,
  rankerCases,
  rankerContext,
  referenceSessions,
} from '../testing/index.ts';
import { rankerGrowth } from './ranker-growth.ts';

const bundleHere = await memoryBundle({ entities: 24, facts: 60 });
const local = (bundle: RankedBundle): Ranker =>
  createLocalRanker(
    { ...bundle, growth: rankerGrowth },
    { sessions: referenceSessions(bundleHere.config, bundleHere.parameters) },
  );
const { source } = bundleHere;

describeRanker({ describe, it }, 'a ranker in this thread', async () => ({
  source,
  open: async (bundle) => local(bundle),
}));

const blocks = await memoryBundle({ entities: 24, facts: 60, relationForm: 'blocks' });
describeRanker({ describe, it }, 'a ranker in this thread, of a model with blocks', async () => ({
  source: blocks.source,
  open: async (bundle) =>
    createLocalRanker(
      { ...bundle, growth: rankerGrowth },
      { sessions: referenceSessions(blocks.config, blocks.parameters) },
    ),
}));

describeRanker({ describe, it }, 'a queue before two rankers', async () => ({
  source,
  open: (bundle) =>
    createQueuedRanker({ open: async () => ({ ranker: local(bundle) }), lanes: 2, batchSize: 4 }),
}));

describeRanker({ describe, it }, 'a queue before a ranker elsewhere, by messages in JSON', async () => ({
  source,
  open: (bundle) => {
    const host = createRankerHost(local(bundle));
    const ask = async (call: RankerCall): Promise<RankerReply> => {
      const reply = await host(messageFromJson(messageToJson(call)) as RankerCall);
      return messageFromJson(messageToJson(reply)) as RankerReply;
    };
    const ranker = createRemoteRanker({ place: 'elsewhere', plan: 'auto', ask });
    return createQueuedRanker({ open: async () => ({ ranker }) });
  },
}));

describe('the contract of rankers', () => {
  /** A ranker that answers as another does but for one thing. */
  const failing = async (change: (inner: Ranker) => Partial<Ranker>): Promise<string[]> => {
    const failed: string[] = [];
    for (const { name, run } of rankerCases) {
      const context = await rankerContext({
        source,
        open: async (bundle) => {
          const inner = local(bundle);
          return { ...inner, plan: inner.plan, runtime: inner.runtime, ready: inner.ready, ...change(inner) };
        },
      });
      await run(context).catch(() => failed.push(name.split(' ', 1)[0]!));
    }
    return failed;
  };

  it('finds results in a wrong order, limits that nobody looks at, and a close that does not wait', async () => {
    const swapped = (inner: Ranker): Partial<Ranker> => ({
      rank: async (batch, limits) => (await inner.rank(batch, limits)).reverse(),
    });
    expect(await failing(swapped)).toEqual(expect.arrayContaining(['agrees', 'marks']));
    expect(await failing((inner) => ({ rank: (batch) => inner.rank(batch) }))).toContain('refuses');
    expect(await failing(() => ({ close: async () => {} }))).toContain('waits');
  });
});
