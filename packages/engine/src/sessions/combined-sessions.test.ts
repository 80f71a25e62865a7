import type { BundleSource, GraphEntry, Profile } from '@fuzzqe/bundle';
import { describe, expect, it } from 'vitest';
import { combinedSessions } from './combined-sessions.ts';

const graph = (path: string, number?: number): GraphEntry => ({
  path,
  weights: [],
  inputs: [],
  outputs: [],
  ...(number === undefined ? {} : { case: number }),
});
// Of a profile and a source, what is looked at here.
const profile = { edge: graph('all.onnx'), rank: graph('all.onnx', 0) } as unknown as Profile;
const source = {} as BundleSource;

describe('graphs that are cases of one file', () => {
  it('keep its session open for one that is opened while another closes', async () => {
    const files: string[] = [];
    const closed: string[] = [];
    const sessions = combinedSessions(
      {
        runtime: 'test',
        open: async ({ path }) => {
          files.push(path);
          return { run: async () => ({}), close: async () => void closed.push(path) };
        },
      },
      profile,
    );
    const first = await sessions.open(graph('all.onnx', 0), source);
    const [second] = await Promise.all([sessions.open(graph('all.onnx', 1), source), first.close()]);
    expect([files, closed]).toEqual([['all.onnx'], []]);
    await Promise.all([second.close(), second.close()]);
    expect(closed).toEqual(['all.onnx']);
    await sessions.open(graph('all.onnx', 0), source);
    expect(files).toHaveLength(2);
  });

  it('are opened anew after that has failed', async () => {
    let attempts = 0;
    let closed = 0;
    const sessions = combinedSessions(
      {
        runtime: 'test',
        open: async () => {
          attempts += 1;
          if (attempts === 1) throw new Error('no memory');
          return {
            run: async () => ({}),
            async close() {
              closed += 1;
            },
          };
        },
      },
      profile,
    );
    await expect(sessions.open(graph('all.onnx', 0), source)).rejects.toThrow('no memory');
    const session = await sessions.open(graph('all.onnx', 0), source);
    await session.close();
    expect([attempts, closed]).toEqual([2, 1]);
  });
});
