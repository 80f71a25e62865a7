import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadCountries } from '@fuzzqe/data';
import { pipeline } from '@fuzzqe/pipeline';
import { loadTrainingConfig } from '@fuzzqe/train';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFuzzqe as fuzzqe } from '../testing/run-fuzzqe.ts';

describe('fuzzqe run', () => {
  let folder = '';
  const at = (name: string): string => join(folder, name);
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fuzzqe-cli-run-'));
    const { vocabulary, train } = loadCountries({ seed: 1 });
    const facts = Array.from({ length: train.length / 3 }, (_, i) => {
      const [head, relation, tail] = train.subarray(3 * i, 3 * i + 3) as unknown as [number, number, number];
      return [vocabulary.entity(head), vocabulary.relation(relation), vocabulary.entity(tail)]
        .map(({ key }) => key)
        .join('\t');
    });
    await writeFile(at('world.tsv'), `${facts.join('\n')}\n`);
    await writeFile(at('small.json'), JSON.stringify({ model: { dimension: 16, bases: 4 }, steps: 20 }));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('goes on where a pipeline was stopped, shows each stage, and names the query to ask next', async () => {
    const stop = new AbortController();
    const stopped = pipeline({
      triples: at('world.tsv'),
      out: at('out'),
      config: await loadTrainingConfig(at('small.json')),
      // So few that the test is quick: the command keeps the queries that are there.
      queries: { train: 30, valid: 2, test: 2 },
      threads: 1,
      signal: stop.signal,
      onEvent: (event) => {
        if (event.kind === 'step' && event.step === 10) stop.abort();
      },
    });
    await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
    // As it was begun, where nothing is said of the training.
    const flags = ['--out', at('out'), '--threads', '1', '--runtimes', 'node'];
    const { code, out, notes } = await fuzzqe('run', at('world.tsv'), ...flags);
    expect({ code, notes }).toMatchObject({ code: 0 });
    expect(out.match(/^\d\. .+$/gm)).toEqual([
      '1. The graph',
      '2. Queries of the 14 structures',
      '3. Training',
      '4. How high the answers that need a held-out fact are ranked',
      '5. Export and parity',
    ]);
    expect(out).toContain(`The queries stay as they are: ${at('out/data')}`);
    expect(out).toMatch(/^Each row answers the same queries\.[^\n]+\nruntime +profile /m);
    expect(out).toMatch(/^node +fp32 /m);
    expect(out).toMatch(/^1 runtime, 1 profile, \d+ answers: all as in float64\.$/m);
    expect(out).not.toContain('No training queries');
    expect(out).not.toMatch(/^web /m);
    expect(notes).toMatch(/Training finished at step 20/);
    const [, bundle, query] = /Next: (?:npx )?fuzzqe query (\S+) '(.+)'$/m.exec(notes) ?? [];
    expect(bundle).toBe(at('out/bundle'));
    expect((await fuzzqe('query', bundle!, query!, '-k', '2')).code).toBe(0);
    expect(out).toMatch(/^Recorded: all \d+ facts \(train, valid, test\)/m);
    const longer = await fuzzqe('run', at('world.tsv'), ...flags, '--steps', '30');
    expect(longer).toMatchObject({ code: 0, notes: expect.stringMatching(/Training finished at step 30/) });
  });

  it('reads triples as the import does, by the same flags', async () => {
    // No query can be drawn of one fact, so that the command ends after the import.
    const [fact] = (await readFile(at('world.tsv'), 'utf8')).split('\n');
    await writeFile(at('scored.tsv'), `! by hand\n${fact}\t1\n`);
    const flags = ['--out', at('scored'), '--config', at('small.json')];
    const unread = await fuzzqe('run', at('scored.tsv'), ...flags);
    expect(unread).toMatchObject({ code: 4, notes: expect.stringContaining('scored.tsv:1') });
    const how = ['--comment', '!', '--ignore-extra', '--hold-out', '0', '--licence', 'CC0-1.0'];
    const { out } = await fuzzqe('run', at('scored.tsv'), ...flags, ...how, '--name', 'mine');
    expect(out).toContain('mine (CC0-1.0): 2 entities, 1 relation and its inverse');
    expect(out).toContain('facts: 1 to learn from, 0 held out for validation');
    const said = await fuzzqe('run', at('scored/data'), '--out', at('said'), '--skip-blank');
    expect(said).toMatchObject({ code: 2, notes: expect.stringContaining('got skipBlank') });
  });

  it('joins evidence by the default weights if nothing is held out, and says so', async () => {
    const whole = ['--name', 'whole', '--hold-out', '0', '--out', at('whole')];
    expect((await fuzzqe('data', 'import', at('world.tsv'), ...whole)).code).toBe(0);
    expect((await fuzzqe('data', 'sample', at('whole'), '--train', '20')).code).toBe(0);
    const small = ['--config', at('small.json'), '--steps', '4', '--threads', '1', '--out', at('whole/run')];
    expect((await fuzzqe('train', at('whole'), ...small)).code).toBe(0);
    const made = ['export', at('whole/run'), '--data', at('whole'), '--out', at('whole/bundle')];
    const { code, notes } = await fuzzqe(...made);
    expect({ code, notes }).toMatchObject({
      code: 0,
      notes: expect.stringContaining(
        'Fewer than 20 facts are held out for validation: evidence is joined by the default weights',
      ),
    });
    const kept = JSON.parse(await readFile(at('whole/run/calibration.json'), 'utf8'));
    expect(kept).toMatchObject({ sets: { fitted: null, reliability: null } });
    const calibrated = await fuzzqe('calibrate', at('whole/run'), '--data', at('whole'));
    expect(calibrated).toMatchObject({ code: 0, out: expect.stringContaining('the default weights') });
  }, 60_000);

  it.runIf(process.platform === 'linux').each([
    ['run', () => [at('world.tsv'), '--out', '/proc/none/deeper']],
    ['train', () => [at('out/data'), '--out', '/proc/none/deeper']],
    ['export', () => [at('out/run'), '--data', at('out/data'), '--out', '/proc/none/deeper/bundle']],
    ['data', () => ['import', at('world.tsv'), '--out', '/proc/none/deeper']],
    ['data', () => ['countries', '--out', '/proc/none/deeper']],
  ])('%s says at once that nothing can be written there', async (command, args) => {
    const { code, notes } = await fuzzqe(command, ...args());
    expect({ code, notes }).toMatchObject({
      code: 9,
      notes: expect.stringMatching(/nothing can be written in \/proc/),
    });
  });

  it('refuses triples that are not there, and leaves no folder behind', async () => {
    const { code, notes } = await fuzzqe('run', at('none.tsv'), '--out', at('none'));
    expect({ code, notes }).toMatchObject({ code: 4, notes: expect.stringContaining('none.tsv') });
    await expect(rm(at('none'), { recursive: true })).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
