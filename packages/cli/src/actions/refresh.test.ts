import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFactLog } from '@fuzzqe/facts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseShare } from '../options/parse-options.ts';
import { runFuzzqe as fuzzqe } from '../testing/run-fuzzqe.ts';
import { readFactLog } from './facts/read-fact-log.ts';
import { changesText, describeFigures, nothingText } from './refresh.ts';

const terminal = { out: () => {}, note: () => {}, status: () => {}, live: false, columns: 80 };

describe('fuzzqe refresh', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fuzzqe-refresh-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each<readonly [what: string, args: readonly string[], code: number, note: string]>([
    ['no facts', ['RUN'], 2, 'expected --data <folder> or --facts <place>'],
    ['two sources of facts', ['RUN', '--data', 'x', '--facts', 'y'], 2, 'cannot be used with'],
    ['a share that is none', ['RUN', '--data', 'x', '--when', '2 percent'], 2, 'expected a share, as in 2%'],
    ['a folder without a log', ['RUN', '--facts', 'RUN'], 2, 'expected a store of facts'],
    ['a folder without a run', ['RUN', '--data', 'x'], 5, 'no training run here'],
    ['no server', ['RUN', '--facts', 'http://127.0.0.1:1'], 8, 'no server answers'],
  ])('refuses %s', async (_, args, code, note) => {
    const given = args.map((each) => (each === 'RUN' ? folder : each));
    const result = await fuzzqe('refresh', ...given);
    expect(result).toMatchObject({ code, out: '' });
    expect(result.notes).toContain(note);
  });

  it('reads the changes of a log in order, its new names with their last labels, and leaves a log alone that another process has open', async () => {
    const place = join(folder, 'facts');
    const store = await openFactLog(place);
    const fact = { head: 'France', relation: 'borders', tail: 'Monaco' };
    await store.append({ at: '2026-11-28T00:00:00Z', changes: [{ does: 'add', ...fact }] });
    await expect(readFactLog(terminal, place, {})).rejects.toMatchObject({
      code: 'runtime',
      hint: expect.stringContaining('--facts http://'),
    });
    const at = '2026-11-28T00:00:01Z';
    const creates = { entities: ['comet', 'moon'], relations: ['near'] };
    await store.append({ at, creates, changes: [{ does: 'remove', ...fact }] });
    await store.append({ at, names: [{ key: 'comet', label: 'Comet' }], changes: [] });
    const names = [
      { key: 'comet', label: 'Halley' },
      { key: 'moon', label: null },
      { key: 'France', label: 'Frankreich' },
    ];
    await store.append({ at, names, creates, changes: [] });
    await store.close();
    expect(await readFactLog(terminal, place, {})).toEqual({
      changed: [
        { does: 'add', ...fact },
        { does: 'remove', ...fact },
      ],
      creates: {
        entities: [
          { key: 'comet', label: 'Halley' },
          { key: 'moon', label: 'moon' },
        ],
        relations: [{ key: 'near', label: 'near' }],
      },
    });
  });

  it('reads shares in percent and as numbers', () => {
    expect(['2%', '0.02', '0', '100%'].map(parseShare)).toEqual([0.02, 0.02, 0, 1]);
    for (const text of ['101%', '2', '-1%', '%', '2%%', 'two'])
      expect(() => parseShare(text), text).toThrow('expected a share');
  });

  it('says how many links are rejected, and whether that is a change', () => {
    const names = { newEntities: 1, newRelations: 0 };
    const changes = {
      kept: 90,
      added: 1,
      removed: 2,
      moved: 0,
      restored: 0,
      rejected: 0,
      judged: 0,
      ...names,
    };
    const facts = 'Facts: 1 added, 2 removed, 90 kept in their parts.\nNew names: 1 entity, 0 relations.';
    expect(changesText(changes)).toBe(facts);
    expect(changesText({ ...changes, rejected: 7 })).toBe(`${facts}\nRejected links: 7.`);
    const none = { ...changes, added: 0, removed: 0 };
    expect(nothingText({ changedShare: 0, changes: none }, 0)).toContain('nothing to refresh');
    const text = nothingText({ changedShare: 0.01, changes: { ...none, judged: 3 } }, 0.02);
    expect(text).toBe(
      '1.00 % of the facts changed (0 added, 0 removed, 3 rejected or no more), less than 2.00 %: nothing is done.',
    );
  });

  it('shows figures before and after, and warns of a fall by more than 0.3 points', () => {
    const figure = { mode: 'sets', data: 'world', queries: 250 } as const;
    const lines = describeFigures(
      [
        { ...figure, metric: 'MRR, 1p', before: 0.5, after: 0.496 },
        { ...figure, metric: 'H@10, 1p', before: 0.9, after: 0.898 },
        { ...figure, metric: 'MRR, rest', before: 0.4, after: 0.45 },
      ],
      80,
    );
    expect(lines).toEqual([
      'On test queries of world whose answers did not change, each run with the facts of its time:',
      '%          mode    n  before  after  points',
      'MRR, 1p    sets  250    50.0   49.6    -0.4',
      'H@10, 1p   sets  250    90.0   89.8    -0.2',
      'MRR, rest  sets  250    40.0   45.0    +5.0',
      'Warning: MRR, 1p in mode sets fell by 0.4 points.',
    ]);
    expect(describeFigures([], 80)).toEqual([expect.stringContaining('no figures to compare')]);
  });
});
