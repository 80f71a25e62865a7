import { generateKeyPairSync } from 'node:crypto';
import { appendFile, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SavedEvaluation } from '@fuzzqe/pipeline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFuzzqe as fuzzqe, type Outcome } from './testing/run-fuzzqe.ts';

const french = 'and(project(borders, France), project("has official language"^-1, German))';

describe('fuzzqe', () => {
  let folder: string;
  const at = (...parts: readonly string[]): string => join(folder, ...parts);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fuzzqe-cli-'));
    await writeFile(
      at('small.json'),
      JSON.stringify({ model: { dimension: 16, bases: 4 }, validation: { every: 40 } }),
    );
    const steps: readonly (readonly string[])[] = [
      ['data', 'countries', '--out', at('data')],
      ['data', 'sample', at('data'), '--train', '50', '--valid', '3', '--test', '3'],
      [
        'train',
        at('data'),
        '--out',
        at('run'),
        '--config',
        at('small.json'),
        '--steps',
        '80',
        '--threads',
        '1',
      ],
      ['export', at('run'), '--data', at('data'), '--out', at('bundle'), '--facts', 'train'],
    ];
    for (const args of steps) expect(await fuzzqe(...args), args.join(' ')).toMatchObject({ code: 0 });
  }, 120_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each([
    'data',
    'train',
    'devices',
    'evaluate',
    'calibrate',
    'report',
    'import',
    'export',
    'names',
    'schema',
    'query',
    'serve',
    'parity',
    'demo',
    'run',
  ])('shows an example for %s', async (command) => {
    const { code, out } = await fuzzqe(command, '--help');
    expect(code).toBe(0);
    if (command === 'data')
      expect((await fuzzqe('data', 'import', '--help')).out).toContain('Example:\n  fuzzqe data');
    else expect(out).toMatch(new RegExp(`Examples?:\\n  fuzzqe ${command}`));
  });

  it('answers a query with labels, degrees and what is recorded, or with scores', async () => {
    for (const [mode, kind] of [
      ['sets', 'degree'],
      ['embedding', 'score'],
    ] as const) {
      const args = ['query', at('bundle'), french, '-k', '3', '--mode', mode];
      const { code, out } = await fuzzqe(...args);
      expect(code).toBe(0);
      expect(out.includes('[1]')).toBe(mode === 'sets');
      const { out: json } = await fuzzqe(...args, '--json');
      const { answers, ...answer } = JSON.parse(json) as {
        mode: string;
        answers: { label: string; score?: number; degree?: number }[];
      };
      expect(answer.mode).toBe(mode);
      // The titles of the columns come first.
      expect(out.split('\n')[1]).toContain(answers[0]!.label);
      expect(out.includes('It is no probability.')).toBe(mode === 'embedding');
      expect(answers[0]![kind]).toBeGreaterThanOrEqual(answers[1]![kind]!);
    }
    expect((await fuzzqe('query', at('bundle'), french)).out).toMatch(
      /^ +1 .* 1\.0000 +1\.0000\* +1\.0000\* +recorded$/m,
    );
  });

  it('shows how far an answer answers each operand of a conjunction, within 80 columns', async () => {
    const query = 'and(project(borders, France), not(project("uses currency"^-1, Euro)))';
    const { out } = await fuzzqe('query', at('bundle'), query, '-k', '4');
    const lines = out.split('\n');
    expect(lines[0]).toMatch(/^ +degree +\[1\] +\[2\]$/);
    expect(lines[1]).toMatch(/^ +1 .+ [01]\.\d{4} +[01]\.\d{4}\* +[01]\.\d{4}\*? +recorded(, but doubted)?$/);
    expect(out).toMatch(/^\[1\] +project\(borders, France\)$/m);
    expect(out).toMatch(/^\[2\] +not\(project\("uses currency"\^-1, Euro\)\)$/m);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    const { out: certain } = await fuzzqe('query', at('bundle'), query, '--min-degree', '0.99', '--json');
    const { answers } = JSON.parse(certain) as { answers: { degree: number; state: string }[] };
    for (const { degree, state } of answers)
      expect(degree >= Math.fround(0.99) || state === 'doubted').toBe(true);
  });

  it('leaves out what is recorded when it is told to', async () => {
    const query = 'project(borders, France)';
    const { out } = await fuzzqe(
      'query',
      at('bundle'),
      query,
      '-k',
      '20',
      '--exclude',
      'known',
      '--min-degree',
      '0',
      '--json',
    );
    const { answers } = JSON.parse(out) as { answers: { state: string }[] };
    expect(answers).toHaveLength(20);
    expect(answers.every(({ state }) => state === 'predicted')).toBe(true);
  });

  it('evaluates a run and its bundle to the same figures', async () => {
    type Column = { name: string; metrics: { structures: Record<string, { mrr: number }> } };
    // On validation queries both know the same facts: those of a bundle are the training facts.
    const figures = async (model: string): Promise<readonly Column[]> => {
      const flags = ['--split', 'valid', '--no-baselines', '--json'];
      const { code, out } = await fuzzqe('evaluate', at(model), '--data', at('data'), ...flags);
      expect(code).toBe(0);
      const { columns, fittedOnAnswers } = JSON.parse(out) as { columns: Column[]; fittedOnAnswers: boolean };
      expect(fittedOnAnswers).toBe(true);
      return columns;
    };
    const [run, bundle] = [await figures('run'), await figures('bundle')];
    for (const columns of [run, bundle])
      expect(columns.map(({ name }) => name)).toEqual(['FuzzQE', 'FuzzQE, sets']);
    for (const [i, { metrics }] of run.entries()) {
      expect(Object.keys(metrics.structures)).toHaveLength(14);
      for (const [structure, { mrr }] of Object.entries(metrics.structures))
        expect(bundle[i]!.metrics.structures[structure]!.mrr).toBeCloseTo(mrr, 3);
    }
    expect(run[0]!.metrics).not.toEqual(run[1]!.metrics);
  });

  it('says that the sets of a bundle know fewer facts than those of its run', async () => {
    const args = ['--data', at('data'), '--mode', 'sets', '--no-baselines'];
    const ofTest = await fuzzqe('evaluate', at('bundle'), ...args);
    expect(ofTest.notes).toContain('The bundle records train facts alone');
    const others = [['run'], ['bundle', '--split', 'valid']] as const;
    for (const [model, ...split] of others)
      expect((await fuzzqe('evaluate', at(model), ...args, ...split)).notes).not.toContain(
        'train facts alone',
      );
  });

  it('finds both runtimes equal to the reference', async () => {
    const { code, out } = await fuzzqe('parity', at('bundle'), '--runtimes', 'node,web');
    expect(out).toMatch(/^node +fp32 +equal/m);
    expect(out).toMatch(/^web +fp32 +equal/m);
    expect(code).toBe(0);
  });

  it('prints what a data set holds as JSON', async () => {
    const { out } = await fuzzqe('data', 'show', at('data'), '--json');
    expect(JSON.parse(out)).toMatchObject({ name: 'countries', licence: 'ODbL-1.0', relations: 12 });
  });

  const wrong: readonly (readonly [string, number, RegExp, () => readonly string[]])[] = [
    ['an unknown command, with the nearest', 2, /unknown command 'tain'[\s\S]*train/, () => ['tain']],
    ['a missing option', 2, /--out/, () => ['train', at('data')]],
    [
      'a number that is none',
      2,
      /expected a whole number/,
      () => ['train', at('data'), '--out', at('x'), '--steps', 'ten'],
    ],
    [
      'an unknown entity, with the nearest',
      3,
      /Frannce[\s\S]*France/,
      () => ['query', at('bundle'), 'project(borders, Frannce)'],
    ],
    [
      'an unknown relation, with the nearest',
      3,
      /bordrs[\s\S]*borders/,
      () => ['query', at('bundle'), 'project(bordrs, France)'],
    ],
    [
      'query text that ends too early',
      3,
      /expected/,
      () => ['query', at('bundle'), 'project(borders, France'],
    ],
    ['a query without an anchor', 3, /expected/, () => ['query', at('bundle'), 'and()']],
    [
      'a least degree above 1',
      2,
      /\[0, 1\], got "1.5"/,
      () => ['query', at('bundle'), french, '--min-degree', '1.5'],
    ],
    [
      'a least degree by embedding',
      2,
      /minDegree: expected none in mode embedding/,
      () => ['query', at('bundle'), french, '--mode', 'embedding', '--min-degree', '0.5'],
    ],
    ['k of 0', 3, /\[1, 879\], got 0/, () => ['query', at('bundle'), french, '-k', '0']],
    [
      'k above the number of entities',
      3,
      /\[1, 879\], got 5000/,
      () => ['query', at('bundle'), french, '-k', '5000'],
    ],
    ['an id out of range', 3, /99999/, () => ['query', at('bundle'), 'project(borders, #99999)']],
    ['a folder without a bundle', 6, /manifest\.json/, () => ['query', at('data'), french]],
    [
      'a folder without a run',
      5,
      /no training run here/,
      () => ['export', at('data'), '--data', at('data'), '--out', at('x')],
    ],
    [
      'an export without a place',
      2,
      /--out, or --repository/,
      () => ['export', at('run'), '--data', at('data')],
    ],
    [
      'an export to two places',
      2,
      /--out, or --repository/,
      () => ['export', at('run'), '--data', at('data'), '--out', at('x'), '--repository', at('y')],
    ],
    [
      'a profile that the bundle lacks',
      2,
      /no profile "int4"[\s\S]*fp32/,
      () => ['parity', at('bundle'), '--profiles', 'int4'],
    ],
    [
      'an unknown runtime',
      2,
      /unknown runtime "gpu"[\s\S]*node[\s\S]*web/,
      () => ['parity', at('bundle'), '--runtimes', 'gpu'],
    ],
    [
      'a configuration key that does not exist',
      2,
      /dimensoin[\s\S]*dimension/,
      () => ['train', at('data'), '--out', at('x'), '--config', at('typo.json')],
    ],
    [
      'a run that is already there',
      2,
      /there is a training run here already/,
      () => ['train', at('data'), '--out', at('run')],
    ],
    [
      'triples with the wrong number of columns',
      4,
      /bad\.tsv:2/,
      () => ['data', 'import', at('bad.tsv'), '--out', at('x')],
    ],
    [
      'an export with damaged validation queries',
      4,
      /valid\.jsonl/,
      () => ['export', at('run'), '--data', at('damaged'), '--out', at('x')],
    ],
    ['a data set with damaged queries', 4, /valid\.jsonl/, () => ['data', 'show', at('damaged')]],
    ['an empty graph', 4, /empty\.tsv/, () => ['data', 'import', at('empty.tsv'), '--out', at('x')]],
    [
      'invalid UTF-8',
      4,
      /latin1\.tsv:1[\s\S]*UTF-8/,
      () => ['data', 'import', at('latin1.tsv'), '--out', at('x')],
    ],
  ];

  describe('refuses, with one clear error and its exit code,', () => {
    beforeAll(async () => {
      await writeFile(at('typo.json'), JSON.stringify({ model: { dimensoin: 16 } }));
      await writeFile(at('bad.tsv'), 'a\tlikes\tb\nb\tlikes\n');
      await writeFile(at('empty.tsv'), '');
      await cp(at('data'), at('damaged'), { recursive: true });
      await appendFile(at('damaged', 'queries', 'valid.jsonl'), '{"structure": "1p"');
      await writeFile(at('latin1.tsv'), Buffer.from('caf\xe9\tin\tparis\n', 'latin1'));
    });
    it.each(wrong)('%s', async (_, code, message, args) => {
      const outcome = await fuzzqe(...args());
      expect(outcome.notes).toMatch(message);
      expect(outcome.code).toBe(code);
      expect(outcome.out).toBe('');
    });
  });

  it.each(wrong.filter(([what]) => !/run that is already|configuration key|bundle/.test(what)))(
    'says it as JSON, too: %s',
    async (_, code, message, args) => {
      const outcome = await fuzzqe(...args(), '--json');
      const { error } = JSON.parse(outcome.out) as { error: Record<string, unknown> };
      expect(Object.keys(error)).toEqual(['code', 'message', 'path', 'hint']);
      expect(outcome.code).toBe(code);
      expect(`${error['path']}: ${error['message']} ${error['hint']}`).toMatch(message);
    },
  );

  it('trains on links alone without sampled training queries, and on nothing else', async () => {
    const data = at('links');
    await fuzzqe('data', 'countries', '--out', data);
    await fuzzqe('data', 'sample', data, '--train', '0', '--valid', '2', '--test', '2');
    await writeFile(
      at('links.json'),
      JSON.stringify({ model: { dimension: 16, bases: 4 }, batch: { '1p': 16, '2i': 0 } }),
    );
    const train = (...more: readonly string[]) =>
      fuzzqe('train', data, '--out', at('links-run'), '--steps', '3', ...more);
    expect(await train('--config', at('small.json'))).toMatchObject({
      code: 2,
      notes: expect.stringContaining('no train queries yet'),
    });
    expect(await train('--config', at('links.json'))).toMatchObject({ code: 0 });
  }, 60_000);

  it.each([['train'], ['data', 'import'], ['install-cuda']])(
    'points from a wrong option to the help of the command: %s',
    async (...command) => {
      const { code, out } = await fuzzqe(...command, '--no-such-option', '--json');
      const { error } = JSON.parse(out) as { error: { hint: string } };
      expect({ code, hint: error.hint }).toEqual({
        code: 2,
        hint: `fuzzqe ${command.join(' ')} --help says what it takes`,
      });
    },
  );

  it('names the next command on standard error, and not beside JSON', async () => {
    const args = ['names', at('bundle'), '--relations'];
    const { notes } = await fuzzqe(...args);
    expect(notes).toMatch(/^Next: (?:npx )?fuzzqe query \S+ 'project\(.+'$/m);
    expect((await fuzzqe(...args, '--json')).notes).not.toContain('Next');
  });

  it('says what it expected where a folder is none', async () => {
    expect((await fuzzqe('names', at('nowhere'))).notes).toContain('a bundle or of a data set, got nothing');
    expect((await fuzzqe('data', 'show', at('nowhere'))).notes).toContain('a data set, got nothing');
    const file = join(at('data'), 'train.tsv');
    const shown = await fuzzqe('data', 'show', file);
    expect([shown.code, shown.notes]).toEqual([4, expect.stringContaining('a data set, got a file')]);
    // Before the minute that it takes: where what comes of it is kept.
    const calibrated = await fuzzqe('calibrate', join(file, 'run'), '--data', at('nowhere'));
    expect([calibrated.code, calibrated.notes]).toEqual([9, expect.stringContaining('got a file')]);
    const again = await fuzzqe('data', 'import', at('data'), '--out', at('again'));
    expect([again.code, again.notes]).toEqual([2, expect.stringContaining('got a data set')]);
  });

  it('lists names with their facts, and finds them', async () => {
    const relations = await fuzzqe('names', at('data'), '--relations');
    expect(relations.out).toMatch(/^ *648 +borders +\S.* → /m);
    expect(relations.out.split('\n')).toHaveLength(13);
    const found = await fuzzqe('names', at('bundle'), 'germany', '--limit', '1', '--json');
    expect(JSON.parse(found.out)).toMatchObject({
      kind: 'entities',
      total: expect.any(Number),
      results: [{ label: 'Germany', key: 'country:DEU', facts: expect.any(Number) }],
    });
    const none = await fuzzqe('names', at('bundle'), 'Xyzzyplugh');
    expect([none.code, none.out]).toEqual([0, '']);
    expect(none.notes).toContain('None of 879 entities is called like "Xyzzyplugh"');
    const { notes } = await fuzzqe('query', at('bundle'), 'project(borders, Xyzzyplugh)');
    expect(notes).toContain(`fuzzqe names ${at('bundle')} TEXT`);
  });

  it('calibrates a run, and evaluates it by fuzzy sets with that calibration', async () => {
    const sets = async (): Promise<number> => {
      const flags = ['--mode', 'sets', '--no-baselines', '--json'];
      const { code, out } = await fuzzqe('evaluate', at('run'), '--data', at('data'), ...flags);
      expect(code).toBe(0);
      const { columns } = JSON.parse(out) as {
        columns: { metrics: { structures: object; withoutNegation: { mrr: number } } }[];
      };
      expect(Object.keys(columns[0]!.metrics.structures)).toHaveLength(14);
      return columns[0]!.metrics.withoutNegation.mrr;
    };
    const kept = () =>
      Promise.all(
        ['calibration.json', 'evidence.json', 'rules.tsv'].map((name) => readFile(at('run', name), 'utf8')),
      );
    const [fitted, files] = [await sets(), await kept()];
    await rm(at('run', 'calibration.json'));
    const uncalibrated = await fuzzqe('evaluate', at('run'), '--data', at('data'), '--no-baselines');
    expect(uncalibrated.notes).toContain(`${at('run')} has no calibration: sets took the default`);
    expect(uncalibrated.notes).toContain(`fuzzqe calibrate ${at('run')}`);
    const { code, out } = await fuzzqe('calibrate', at('run'), '--data', at('data'), '--json');
    expect(code).toBe(0);
    const found = JSON.parse(out) as {
      rules: number;
      fitted: { links: number; found: number };
      reliability: { links: { ece: number } };
    };
    expect(found.rules).toBeGreaterThan(100);
    expect(found.fitted.found).toBeGreaterThan(100);
    expect(found.reliability.links.ece).toBeLessThan(0.05);
    // The export had fitted the same before.
    expect(await sets()).toBe(fitted);
    expect(await kept()).toEqual(files);
  });

  it('evaluates a bundle that has to be signed once it is, and no run, which has no signature', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    await writeFile(at('key.pem'), privateKey.export({ format: 'pem', type: 'pkcs8' }));
    await writeFile(at('key.pub'), publicKey.export({ format: 'pem', type: 'spki' }));
    await cp(at('bundle'), at('signed'), { recursive: true });
    const flags = ['--data', at('data'), '--no-baselines', '--mode', 'embedding'];
    const evaluated = (model: string) =>
      fuzzqe('evaluate', at(model), ...flags, '--require-signature', at('key.pub'));
    const unsigned = { code: 6, notes: expect.stringMatching(/manifest.json.sig: signature: expected/) };
    expect(await evaluated('signed')).toMatchObject(unsigned);
    expect(await fuzzqe('sign', at('signed'), '--key', at('key.pem'))).toMatchObject({ code: 0 });
    expect(await evaluated('signed')).toMatchObject({ code: 0, out: expect.stringContaining('FuzzQE') });
    const none = { code: 2, notes: expect.stringContaining('only a bundle has a signature') };
    expect(await evaluated('run')).toMatchObject(none);
  });

  it('refuses a damaged calibration, and one of an earlier version, with what to do', async () => {
    const path = at('run', 'calibration.json');
    const file = await readFile(path, 'utf8');
    const evaluated = async (text: string) => {
      await writeFile(path, text);
      return fuzzqe('evaluate', at('run'), '--data', at('data'), '--mode', 'sets');
    };
    const damaged = await evaluated('{}');
    expect(damaged).toMatchObject({ code: 5, notes: expect.stringContaining('not a calibration') });
    const earlier = await evaluated('{"format": "fuzzqe-calibration", "version": 1, "mrr": 0.2}');
    expect(earlier.code).toBe(5);
    expect(earlier.notes).toMatch(/earlier version[\s\S]*fuzzqe calibrate/);
    await writeFile(path, file);
  });

  it('evaluates on a set of queries that was added under a name, and on no other', async () => {
    const lines = (await readFile(at('data', 'queries', 'valid.jsonl'), 'utf8')).split('\n');
    const some = lines.filter((line) => /"type":"(1p|2i)"/.test(line)).map((line) => `${line}\n`);
    await writeFile(at('some.jsonl'), some.join(''));
    const add = ['data', 'add-queries', at('data'), at('some.jsonl'), '--name', 'q2b'];
    const added = await fuzzqe(...add, '--split', 'valid', '--licence', 'MIT', '--source', 'a paper');
    expect(added).toMatchObject({ code: 0, notes: expect.stringContaining('q2b (MIT), valid: 3 1p, 3 2i') });
    expect((await fuzzqe('data', 'show', at('data'))).out).toContain('set q2b (MIT): 6 valid, a paper');

    const data = ['--data', at('data'), '--no-baselines'];
    const { code, out } = await fuzzqe('evaluate', at('run'), ...data, '--queries', 'q2b', '--json');
    expect(code).toBe(0);
    const { queries, columns, split } = JSON.parse(out) as {
      split: string;
      queries: { set: string; count: number };
      columns: { metrics: { structures: object } }[];
    };
    expect({ split, queries }).toMatchObject({ split: 'valid', queries: { set: 'q2b', count: 6 } });
    expect(Object.keys(columns[0]!.metrics.structures)).toEqual(['1p', '2i']);
    const kept = await readFile(at('run', 'evaluation.json'), 'utf8');
    expect(kept).toContain('countries, valid, q2b: 6 queries');

    const named = ['--queries', 'q2b', '--published', 'fb15k-237', '--mode', 'embedding'];
    const q2b = ['evaluate', at('run'), ...data, ...named];
    const beside = (await fuzzqe(...q2b)).out;
    expect(beside).toMatch(/^\* without negation, 2 of 9: 1p 2i$/m);
    expect(beside).toMatch(/^Beside published figures .*; ours are on other queries of that set/m);
    expect(beside).toMatch(/^1p +[0-9.]+ +40\.2 +46\.7 +51\.2 +51\.2$/m);
    const drawn = await fuzzqe('evaluate', at('run'), ...data, '--published', 'fb15k-237');
    expect(drawn.out).toMatch(/^On other queries: .* while the above are on drawn queries \(test\)$/m);
    expect((await fuzzqe('evaluate', at('run'), ...data)).out).not.toContain('published');

    const unknown = await fuzzqe('evaluate', at('run'), ...data, '--queries', 'q2c');
    expect(unknown).toMatchObject({ code: 2, notes: expect.stringContaining('no set of queries q2c') });
    const wrong = await fuzzqe(...add.with(-1, 'wrong'), '--split', 'test');
    expect(wrong).toMatchObject({ code: 4, notes: expect.stringMatching(/some\.jsonl:1: .*--split/s) });
  });

  it('keeps what it evaluated, and the model card shows it', async () => {
    await fuzzqe('evaluate', at('run'), '--data', at('data'));
    await fuzzqe('export', at('run'), '--data', at('data'), '--out', at('measured'));
    const card = await readFile(at('measured', 'README.md'), 'utf8');
    expect(card).toMatch(/countries, test, drawn: 42 queries, sha256 [0-9a-f]{16}…\n\n\| {2}\| MRR/);
    expect(card).toMatch(
      /countries, test, drawn, by sets with train and validation facts recorded: 42 queries, sha256 [0-9a-f]{16}…\n\n\| {2}\| MRR/,
    );
    expect(card).toMatch(/\| 2in \| +[0-9.]+ \|[\s\S]*\| known facts \/ with negation \|/);
    expect(card).toContain('rules / with negation');
    const kept = await readFile(at('run', 'evaluation.json'), 'utf8');
    const { evaluations } = JSON.parse(kept) as { evaluations: Record<string, SavedEvaluation> };
    const compared = Object.values(evaluations).filter(({ baselines }) => 'rules' in baselines);
    expect(compared).toHaveLength(2);
    for (const { links } of compared) {
      const { answers, rules } = links!.relations[0]!;
      expect(answers).toBeGreaterThan(0);
      expect(rules).toBeGreaterThan(0);
    }
    expect(card).not.toContain(Object.values(evaluations)[0]!.links!.relations[0]!.relation);
    await fuzzqe('evaluate', at('run'), '--data', at('data'), '--threads', '2');
    expect(await readFile(at('run', 'evaluation.json'), 'utf8')).toBe(kept);
    // Figures of a sample are shown and not kept.
    const sample = await fuzzqe('evaluate', at('run'), '--data', at('data'), '--each', '1', '--no-baselines');
    expect(sample).toMatchObject({ code: 0, out: expect.stringContaining('14 of 42 queries in') });
    expect(await readFile(at('run', 'evaluation.json'), 'utf8')).toBe(kept);
  });

  it('records the facts that it held out itself, too, and says that the model has not seen them', async () => {
    const args = ['export', at('run'), '--data', at('data'), '--queries', '0'];
    const { notes } = await fuzzqe(...args, '--out', at('all'));
    await fuzzqe(...args, '--out', at('again'), '--facts', 'all');
    const manifest = await readFile(at('all', 'manifest.json'), 'utf8');
    expect(await readFile(at('again', 'manifest.json'), 'utf8')).toBe(manifest);
    const { train, valid, test } = JSON.parse((await fuzzqe('data', 'show', at('data'), '--json')).out) as {
      [part in 'train' | 'valid' | 'test']: number;
    };
    const recorded = train + valid + test;
    expect(notes).toContain(`Recorded: all ${recorded} facts (train, valid, test)`);
    expect(JSON.parse(manifest)).toMatchObject({
      training: { facts: { recorded, recordedParts: ['train', 'valid', 'test'], trained: train } },
    });
    expect(await readFile(at('all', 'README.md'), 'utf8')).toContain(
      `Recorded facts: ${recorded} (train, valid, test); the model was trained on ${train} of them`,
    );
    expect(await readFile(at('bundle', 'README.md'), 'utf8')).toContain(
      `Recorded facts: ${train}; the model was trained on all of them`,
    );
    const known = async (bundle: string): Promise<number> => {
      const text = 'project("in region"^-1, Europe)';
      const { answers } = JSON.parse((await fuzzqe('query', bundle, text, '-k', '879', '--json')).out) as {
        answers: { state: string }[];
      };
      return answers.filter(({ state }) => state === 'recorded').length;
    };
    expect(await known(at('all'))).toBeGreaterThan(await known(at('bundle')));
    expect(await fuzzqe('evaluate', at('all'), '--data', at('data'), '--no-baselines')).toMatchObject({
      code: 0,
    });
  });

  it('takes the only profile of a bundle, and one that is named', async () => {
    const data = ['--data', at('data')];
    await fuzzqe('export', at('run'), ...data, '--out', at('small'), '--profile', 'int8', '--queries', '0');
    expect(await fuzzqe('query', at('small'), french)).toMatchObject({ code: 0 });
    const figures = async (...flags: readonly string[]): Promise<number> => {
      const { code, out } = await fuzzqe('evaluate', ...flags, ...data, '--no-baselines', '--json');
      expect({ code, out }).toMatchObject({ code: 0 });
      const { columns } = JSON.parse(out) as {
        columns: { metrics: { structures: Record<string, { mrr: number }> } }[];
      };
      return columns[0]!.metrics.structures['1p']!.mrr;
    };
    const int8 = await figures(at('small'));
    expect(int8).toBe(await figures(at('small'), '--profile', 'int8'));
    expect(Math.abs(int8 - (await figures(at('run'))))).toBeLessThan(0.05);
    expect(await fuzzqe('evaluate', at('small'), ...data, '--profile', 'fp32')).toMatchObject({ code: 2 });
    expect(await fuzzqe('evaluate', at('run'), ...data, '--profile', 'fp32')).toMatchObject({ code: 2 });
  });

  it('refuses to serve on a port that is in use', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const { code, notes } = await fuzzqe('serve', at('bundle'), '--port', String(port));
    server.close();
    expect(code).toBe(8);
    expect(notes).toContain(String(port));
  });

  it('flags a negation without a positive conjunct and answers it', async () => {
    const { code, out, notes } = await fuzzqe('query', at('bundle'), 'not(project(borders, France))');
    expect(code).toBe(0);
    expect(notes).toMatch(/negation/);
    expect(out.split('\n')).toHaveLength(10);
  });

  it('keeps versions in a repository, and answers from the newest or from the one that is named', async () => {
    const [data, repository] = [at('data'), at('bundles')];
    const args = ['export', at('run'), '--data', data, '--repository', repository, '--name', 'own'];
    for (const [version, profile] of [
      [1, 'fp32'],
      [2, 'fp32,fp16'],
    ] as const) {
      const { code, notes } = await fuzzqe(...args, '--profile', profile, '--queries', '0');
      expect({ code, notes }).toMatchObject({
        code: 0,
        notes: expect.stringContaining(at('bundles/own', `${version}`)),
      });
    }
    const asked = (path: string): Promise<Outcome> => fuzzqe('query', path, french, '--profile', 'fp16');
    expect(await asked(at('bundles/own'))).toMatchObject({ code: 0 });
    expect(await asked(at('bundles/own/2'))).toMatchObject({ code: 0 });
    expect(await asked(at('bundles/own/1'))).toMatchObject({ code: 2 });
    expect(await asked(at('bundles/own/3'))).toMatchObject({
      code: 6,
      notes: expect.stringContaining('expected a version out of 1, 2, got 3'),
    });
    const parity = await fuzzqe('parity', at('bundles/own'), '--runtimes', 'node', '--profiles', 'fp16');
    expect(parity.out).toMatch(/^node +fp16 +equal/m);
    expect(parity.out).not.toMatch(/fp32/);
    const evaluated = await fuzzqe('evaluate', at('bundles/own/1'), '--data', data, '--no-baselines');
    expect(evaluated).toMatchObject({ code: 0 });
    expect(await fuzzqe(...args, '--bundle-version', '2')).toMatchObject({
      code: 2,
      notes: expect.stringMatching(/version 2 of own exists[\s\S]*which is 3/),
    });
  });

  it('names the file of a bundle that was altered', async () => {
    await fuzzqe('export', at('run'), '--data', at('data'), '--out', at('altered'));
    const path = at('altered', 'models', 'fp32', '2i.onnx');
    expect((await readFile(path)).length).toBeGreaterThan(100);
    await appendFile(path, 'x');
    const { code, notes } = await fuzzqe('query', at('altered'), french);
    expect(code).toBe(6);
    expect(notes).toContain('models/fp32/2i.onnx');
  });
});
