import { createModelRegistry } from '@fuzzqe/api';
import { createKnowledgeGraph } from '@fuzzqe/core';
import { openGraphEngine } from '@fuzzqe/engine';
import { defaultWeights } from '@fuzzqe/evidence';
import { createVocabulary } from '@fuzzqe/names';
import type { CallToolResult, McpServer } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import { describeEntity } from './describe-entity.ts';
import { explainAnswer } from './explain-answer.ts';
import type { OfferTool } from './tool.ts';

it('assistants hear where recorded facts come from, in one line whatever a source is called', async () => {
  const named = (...keys: readonly string[]) => keys.map((key) => ({ key, label: key }));
  const engine = await openGraphEngine({
    vocabulary: createVocabulary({ entities: named('Ann', 'Bob'), relations: named('parent') }),
    facts: createKnowledgeGraph({ entityCount: 2, relationCount: 2, triples: Int32Array.of(0, 0, 1) }),
    evidence: { weights: defaultWeights(2), rules: { relationCount: 2, rules: [] } },
  });
  const models = createModelRegistry(['m']);
  await models.put('m', engine);
  const call = async (offer: OfferTool, given: object): Promise<string> => {
    const results: Promise<CallToolResult>[] = [];
    const { signal } = new AbortController();
    const registerTool = (_: string, __: unknown, run: (...of: unknown[]) => Promise<CallToolResult>) =>
      results.push(run(given, { mcpReq: { signal } }));
    offer({ registerTool } as unknown as McpServer, {
      ...{ models, timeout: 10_000, caller: undefined, costLimit: 1000 },
      onCost: () => undefined,
      onError: () => undefined,
    });
    const [{ content } = { content: [] }] = await Promise.all(results);
    return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  };
  const explain = () => call(explainAnswer, { query: 'project(parent, Ann)', entity: 'Bob' });
  const describe = () =>
    call(describeEntity, { entity: 'Ann', relations: 16, offset: 0, recorded: 5, predicted: 0 });
  expect((await explain()) + (await describe())).not.toContain('atlas');
  engine.tellProvenance(() => ({ source: 'atlas\n# of ours', date: '2026-11', by: 'ann', confidence: 0.75 }));
  expect(await explain()).toContain('for: Recorded: atlas # of ours, 2026-11, by ann, confidence 0.75.');
  expect(await describe()).toContain('Bob (atlas # of ours, 2026-11, by ann, confidence 0.75)');
  await models.remove('m');
});
