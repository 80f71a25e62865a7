import { defaultProjection } from '@fuzzqe/core/sets';
import { pageIcon } from '@fuzzqe/core/text';
import { defaultWeights } from '@fuzzqe/evidence';
import type { SavedCalibration, SavedEvaluation } from '@fuzzqe/pipeline';
import { type LogEntry, presets, type RunState } from '@fuzzqe/train';
import { describe, expect, it } from 'vitest';
import { reportPage } from './page.ts';
import { ticks } from './page-parts.ts';

const config = presets.countries.training;
const state: RunState = {
  format: 'fuzzqe-run',
  version: 1,
  model: { ...config.model, entities: 9, relations: 4 },
  config: { ...config, steps: 2000 },
  data: { name: 'FB15k-237', licence: 'unknown', sha256: 'ab'.repeat(32) },
  device: 'cpu',
  status: 'finished',
  sessions: [
    {
      step: 0,
      started: '2026-01-02T03:04:05.000Z',
      environment: {
        node: 'v20.19.0',
        system: 'Linux 6.1 x64',
        cpu: 'A <fast> & small one',
        cpus: 2,
        memoryGiB: 8,
        versions: { 'onnxruntime-node': '1.30.0' },
      },
    },
  ],
  best: { file: 'best-0002000.safetensors', sha256: '', step: 2000, mrr: 0.25 },
};
const log: readonly LogEntry[] = [
  ...Array.from({ length: 2000 }, (_, i): LogEntry => {
    const at = { step: i + 1, seconds: i, time: i, stepsPerSecond: 1 };
    return { kind: 'train', ...at, loss: 5 - i / 1000, learningRate: 4e-5, temperature: 20 };
  }),
  {
    kind: 'validation',
    step: 2000,
    mrr: 0.25,
    structures: { '1p': 0.4, pni: 0.1 },
    seconds: 2000,
    time: 2000,
  },
];
const calibration: SavedCalibration = {
  checkpoint: 'cd'.repeat(32),
  projection: { ...defaultProjection, support: 0.125 },
  weights: defaultWeights(4),
  rules: {
    relationCount: 4,
    rules: [{ kind: 'path', relation: 0, path: [2], hits: 3, predictions: 4 }],
  },
  fitted: { links: 10, candidates: 500, found: 20, knownShare: 0.5 },
  reliability: {
    links: {
      ...{ count: 550, found: 63, ece: 0.0125 },
      bins: [
        { count: 500, stated: 0.0625, found: 0.05 },
        { count: 50, stated: 0.5, found: 0.75 },
      ],
    },
    answers: { count: 40, found: 10, ece: 0.025, bins: [{ count: 40, stated: 0.25, found: 0.25 }] },
  },
};
const page = await reportPage({ name: 'a<b', state, log, calibration });

describe('the report of a run', () => {
  it('needs nothing from elsewhere and escapes what it shows', () => {
    // The icon is within the page.
    expect(page.replace(pageIcon, '')).not.toMatch(/<script|<link|<img|src=|url\(|@import|https?:/);
    expect(page).toContain('a&lt;b · FB15k-237');
    expect(page).toContain('A &lt;fast&gt; &amp; small one, 2 cores');
    expect(page.match(/<svg/g)).toHaveLength(page.match(/<\/svg>/g)!.length);
    expect(page).not.toMatch(/NaN|undefined|Infinity/);
  });

  it('shows what was said and what came true, and what degrees rest on', async () => {
    expect(page).toContain('stated 50.0 %, found 75.0 % of 50 candidates');
    expect(page).toContain('Links: said and found on test facts: expected calibration error 0.0125 over 550');
    expect(page).toContain('expected calibration error 0.0250 over 40');
    expect(page).toContain('0.125');
    expect(page).toContain('500 candidates of 10 links, of which 20 are validation facts');
    expect(page).toContain('<th scope="row">50.0 %</th><td>75.0 %</td><td>50</td>');
    const plain = await reportPage({ name: 'a', state, log, calibration: undefined });
    expect(plain).not.toContain('fuzzy sets');
    const defaults = { ...calibration, fitted: null, reliability: null };
    const unfitted = await reportPage({ name: 'a', state, log, calibration: defaults });
    expect(unfitted).toContain('weights of evidence are the default ones');
    expect(unfitted).not.toContain('calibration error');
  });

  it('sets the figures by structure beside the paper, saying that its queries are others', async () => {
    expect(page).toContain('1p, this run, validation queries: 40.0 %');
    expect(page).toMatch(
      /1p, FuzzQE \(AAAI 2022\), table of MRR results on FOL queries; trained on all structures: 42\.2 %/,
    );
    expect(page).toContain('of other queries, the official test queries');
    const other = await reportPage({
      name: 'x',
      state: { ...state, data: { ...state.data, name: 'mine' } },
      log,
    });
    expect(other).toContain('1p, this run');
    expect(other).not.toContain('AAAI');
  });

  it('says which parameters a refreshed run goes on from', async () => {
    const origin = { checkpoint: 'ef'.repeat(32), steps: 1200 };
    const shown = await reportPage({ name: 'x', state: { ...state, origin }, log });
    expect(shown).toContain(`the parameters ${origin.checkpoint}, after 1200 steps`);
    expect(await reportPage({ name: 'x', state, log })).not.toContain('goes on from');
  });

  it('has evaluations with the baselines, and links by relation and by the known half with rules alone', async () => {
    const mrr = (value: number) => ({ mrr: value, hits1: 0, hits3: 0, hits10: 0 });
    const evaluation: SavedEvaluation = {
      ...({ data: 'x', split: 'test', mode: 'sets', structures: {} } as const),
      queries: { file: 'test.jsonl', sha256: '', count: 3 },
      averages: { 'without negation': mrr(0.5) },
      baselines: { rules: { 'without negation': mrr(0.25) } },
      links: {
        relations: [
          { relation: 'a<b', answers: 7, mrr: 0.625, rules: 0.375 },
          { relation: 'c^-1', answers: 2, mrr: 0.125 },
        ],
        more: 3,
        halves: [{ known: 'tail', share: 1, answers: 9, mrr: 0.5, rules: 0.25 }],
      },
    };
    const shown = await reportPage({ name: 'x', state, log, evaluations: { 'x, test': evaluation } });
    expect(shown).toContain('<h3>x, test</h3>');
    expect(shown).toContain('<th scope="row">rules</th><td>25.0</td>');
    expect(shown).toContain('<th scope="row">a&lt;b</th><td>7</td><td>62.5</td><td>37.5</td>');
    expect(shown).toContain('<th scope="row">c^-1</th><td>2</td><td>12.5</td><td>–</td>');
    expect(shown).toContain(
      '<th scope="row">tail alone</th><td>100.0</td><td>9</td><td>50.0</td><td>25.0</td>',
    );
    expect(shown).toContain('3 relations with fewer answers are not shown');
    expect(page).not.toContain('Evaluation');
  });

  it('draws no more points than can be seen', () => {
    const longest = Math.max(
      ...[...page.matchAll(/ d="([^"]*)"/g)].map(([, path]) => path!.split('L').length),
    );
    expect(longest).toBeGreaterThan(300);
    expect(longest).toBeLessThanOrEqual(480);
  });

  it('shows the loss of a run without validation, and no figure of one', async () => {
    const unvalidated = { ...state, best: { file: '', sha256: '', step: 2000 } };
    const shown = await reportPage({ name: 'x', state: unvalidated, log: log.slice(0, -1) });
    expect(shown).toContain('<span class="soft">best validation MRR</span><b>–</b>');
    expect(shown).toContain('<span class="soft">at step</span><b>2000</b>');
    expect(shown.match(/nothing logged yet/g)).toHaveLength(1);
    expect(shown).not.toMatch(/By structure|NaN|undefined|Infinity/);
  });

  it('is a page before anything was logged', async () => {
    const { best: _, sessions: __, ...begun } = state;
    const empty = await reportPage({ name: 'new', state: begun, log: [] });
    expect(empty).toContain('nothing logged yet');
    expect(empty).not.toMatch(/NaN|undefined|Infinity/);
  });
});

describe('ticks', () => {
  it.each([
    [0, 0.47, 5, [0, 0.1, 0.2, 0.3, 0.4, 0.5]],
    [3.1, 6.7, 5, [3, 4, 5, 6, 7]],
    [0, 6000, 6, [0, 1000, 2000, 3000, 4000, 5000, 6000]],
    [20, 20, 5, [20, 25]],
    [0, 0, 5, [0, 0.2]],
  ])('of %d to %d, about %d, are round', (low, high, count, expected) => {
    expect(ticks(low, high, count)).toEqual(expected);
  });
});
