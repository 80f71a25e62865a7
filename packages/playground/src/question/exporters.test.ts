import { spawnSync } from 'node:child_process';
import { type App, createApp } from '@fuzzqe/api';
import { asEntityId, asRelationId } from '@fuzzqe/core';
import { parsePatternText, plainTree, planPattern, readPattern, readQuery } from '@fuzzqe/core/query';
import { type Engine, openEngine } from '@fuzzqe/engine';
import { memoryBundle, referenceSessions } from '@fuzzqe/engine/testing';
import { parseSparql } from '@fuzzqe/sparql';
import { transformSync } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import { countryNames, countryVocabulary } from '../testing/country-names.ts';
import { exampleQuestions } from './examples.ts';
import { type ExportForm, exportForms, exportQuestion, patternForms } from './exporters.ts';
import { createNaming, type Naming } from './naming.ts';
import { usualSettings } from './settings.ts';
import { readText } from './text.ts';
import { toQuery } from './to-query.ts';

const api = 'http://localhost:8080/v1';
const settings = { k: 3, exclude: 'known' } as const;
const hasPython = spawnSync('python3', ['--version']).status === 0;

describe('exported questions', () => {
  let engine: Engine;
  let app: App;
  let naming: Naming;
  const text = 'and(project("relation 0", "Entity 1"), not(project("relation 1"^-1, "Entity 2")))';
  const written = async (form: ExportForm): Promise<string> =>
    exportQuestion(form, { asked: toQuery(await readText(text, naming)), settings, api }, naming);
  beforeAll(async () => {
    const { source, config, parameters } = await memoryBundle();
    engine = await openEngine({ source, sessions: referenceSessions(config, parameters) });
    app = createApp(engine);
    const { vocabulary } = engine;
    naming = createNaming({
      entityCount: vocabulary.entityCount,
      relations: [0, 2, 4].map((id) => ({ ...vocabulary.relation(id), id: asRelationId(id) })),
      prefixes: vocabulary.prefixes,
      entity: async (id) => ({ ...vocabulary.entity(id), id }),
      findEntity: async (name) => {
        const id = vocabulary.findEntity(name);
        return { ...vocabulary.entity(id), id };
      },
    });
  });
  const expected = async () => {
    const query = toQuery(await readText(text, naming))!;
    return engine.answer(query, { k: 3, exclude: 'known' });
  };

  it('as JSON are what the API takes', async () => {
    const body = await written('JSON');
    const headers = { 'content-type': 'application/json' };
    const response = await app.request(`${api}/query`, { method: 'POST', headers, body });
    expect(await response.json()).toEqual(JSON.parse(JSON.stringify(await expected())));
    expect(readQuery(JSON.parse(body).query, engine.vocabulary)).toEqual(
      toQuery(await readText(text, naming)),
    );
  });

  it('in SPARQL are the same query', async () => {
    const parsed = parseSparql(await written('SPARQL'), engine.vocabulary);
    expect(parsed).toMatchObject({ limit: 3, exclude: 'known' });
    expect(plainTree(planPattern(parsed.pattern))).toEqual(toQuery(await readText(text, naming)));
  });

  it('as a command have one word each, which a shell hands on as it is', async () => {
    const command = await written('curl');
    // The words as a shell splits them, without one: curl is not everywhere.
    const run = spawnSync('sh', [
      '-c',
      `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }\n${command}`,
    ]);
    const words = run.stdout.toString().split('\0').slice(0, -1);
    expect(words.slice(0, -1)).toEqual(['-s', `${api}/query`, '-H', 'content-type: application/json', '-d']);
    const headers = { 'content-type': 'application/json' };
    const response = await app.request(words[1]!, { method: 'POST', headers, body: words.at(-1)! });
    expect(await response.json()).toEqual(JSON.parse(JSON.stringify(await expected())));
  });

  it('as TypeScript print the answers', async () => {
    const lines: unknown[][] = [];
    const { code: body } = transformSync(await written('TypeScript'), { loader: 'ts' });
    const program = new Function('fetch', 'console', `return (async () => {${body}})();`);
    await program((...args: Parameters<App['request']>) => app.request(...args), {
      log: (...line: unknown[]) => lines.push(line),
    });
    const { answers, suggestions } = await expected();
    expect(answers.length + suggestions.length).toBeGreaterThan(0);
    expect(lines).toEqual([
      ...answers.map(({ degree, label }) => [degree.toFixed(3), label]),
      ...suggestions.map(({ degree, label }) => [degree.toFixed(3), label, '(suggested)']),
    ]);
  });

  it.skipIf(!hasPython)('as Python compile, and have the same body', async () => {
    const check = `import ast, json, sys
tree = ast.parse(sys.stdin.read())
body = next(each.value for each in tree.body if isinstance(each, ast.Assign) and each.targets[0].id == "body")
print(json.dumps(ast.literal_eval(body)))`;
    const { stdout, stderr } = spawnSync('python3', ['-c', check], { input: await written('Python') });
    expect(stderr.toString()).toBe('');
    expect(JSON.parse(stdout.toString())).toEqual({ query: text, k: 3, exclude: 'known' });
  });

  it('for the Python package ask it the same query with the same options', async () => {
    expect((await written('fuzzqe-py')).split('\n')).toContain(
      `answers = bundle.answer(${JSON.stringify(text)}, k=3, exclude="known")`,
    );
  });

  it('name what shells and programs could take for something else', async () => {
    const names = createNaming(countryNames());
    const asked = { op: 'entity', entity: asEntityId(5) } as const;
    const command = await exportQuestion('curl', { asked, settings: usualSettings, api }, names);
    expect(command).toContain(`"\\"Côte d'\\''Ivoire\\""`);
    const run = spawnSync('sh', ['-c', `curl() { printf '%s' "$6"; }\n${command}`]);
    const { query } = JSON.parse(run.stdout.toString());
    expect(readQuery(query, countryVocabulary)).toEqual({ op: 'entity', entity: 5 });
  });

  it.each(['curl', 'TypeScript', 'Python'] as const)(
    'in %s take the key from the environment where one is asked for',
    async (form) => {
      const asked = toQuery(await readText(text, naming));
      const without = await exportQuestion(form, { asked, settings, api }, naming);
      const program = await exportQuestion(form, { asked, settings, api, withKey: true }, naming);
      expect(without).not.toMatch(/authorization|FUZZQE_KEY/);
      expect(program).toContain('FUZZQE_KEY');
      if (form === 'curl') {
        const run = spawnSync('sh', ['-c', `curl() { printf '%s' "$6"; }\n${program}`], {
          env: { ...process.env, FUZZQE_KEY: 'se cret' },
        });
        expect(run.stdout.toString()).toBe('authorization: Bearer se cret');
      } else if (form === 'TypeScript') {
        const sent: unknown[] = [];
        const { code: body } = transformSync(program, { loader: 'ts' });
        const run = new Function('fetch', 'process', 'console', `return (async () => {${body}})();`);
        await run(
          async (...args: unknown[]) => {
            sent.push(args[1]);
            return Response.json({ answers: [], suggestions: [] });
          },
          { env: { FUZZQE_KEY: 'secret' } },
          console,
        );
        expect(sent).toMatchObject([{ headers: { authorization: 'Bearer secret' } }]);
      } else expect(program).toContain('"authorization": "Bearer " + os.environ["FUZZQE_KEY"]');
    },
  );

  it.each(exportForms)('are refused in %s while a part is missing', async (form) => {
    const asked = toQuery(await readText('and("Entity 1", ?)', naming));
    await expect(exportQuestion(form, { asked, settings, api }, naming)).rejects.toThrow(
      /one that is missing/,
    );
  });
});

describe('exported patterns', () => {
  const pattern = '?x, ?y : borders(?x, ?y), not borders(?y, "Côte d\'Ivoire")';
  const asked = parsePatternText(pattern, countryVocabulary);
  const exported = { asked, settings: { ...settings, minDegree: 0.25 }, count: true };
  const write = (form: ExportForm, at = api): Promise<string> =>
    exportQuestion(form, { ...exported, api: at }, createNaming(countryNames()));
  const options = { k: 3, exclude: 'known', minDegree: 0.25 };

  it('as text and as JSON are the same pattern', async () => {
    expect(await write('text')).toBe(`${pattern}\n`);
    const { pattern: json, ...others } = JSON.parse(await write('JSON'));
    expect(readPattern(json, countryVocabulary)).toEqual(asked);
    expect(others).toEqual({ ...options, count: true });
    await expect(write('SPARQL')).rejects.toThrow(/expected a question for one set/);
    expect(patternForms).not.toContain('SPARQL');
  });

  it('as commands hand a shell the same text', async () => {
    const words = (command: string, name: string): string[] => {
      const shell = `${name}() { for word in "$@"; do printf '%s\\0' "$word"; done; }\n${command}`;
      return spawnSync('sh', ['-c', shell]).stdout.toString().split('\0').slice(0, -1);
    };
    const flags = ['-k', '3', '--exclude', 'known', '--min-degree', '0.25', '--count'];
    expect(words(await write('CLI'), 'fuzzqe')).toEqual(['query', 'bundle', pattern, ...flags]);
    const curl = words(await write('curl'), 'curl');
    expect(curl[1]).toBe(`${api}/patterns`);
    expect(JSON.parse(curl.at(-1)!)).toEqual({ pattern, ...options, count: true });
  });

  it('as TypeScript print a row with all its names', async () => {
    const lines: unknown[][] = [];
    const { code: body } = transformSync(await write('TypeScript'), { loader: 'ts' });
    const rows = [{ degree: 1, entities: [{ label: 'Mali' }, { label: 'Niger' }] }];
    const sent: string[] = [];
    await new Function('fetch', 'console', `return (async () => {${body}})();`)(
      async (url: string, { body: asks }: { body: string }) => {
        sent.push(url, asks);
        return Response.json({ rows, suggestions: [] });
      },
      { log: (...line: unknown[]) => lines.push(line) },
    );
    expect(lines).toEqual([['1.000', 'Mali', 'Niger']]);
    expect([sent[0], JSON.parse(sent[1]!)]).toEqual([`${api}/patterns`, { pattern, ...options }]);
  });

  it.skipIf(!hasPython)('as Python compile, and ask the server that is shown', async () => {
    const check = 'import ast, sys\nast.parse(sys.stdin.read())';
    const of = 'http://localhost:8080/v1/models/my%20model';
    for (const program of [await write('Python'), await write('fuzzqe-py', of)])
      expect(spawnSync('python3', ['-c', check], { input: program }).stderr.toString()).toBe('');
    expect(await write('fuzzqe-py', of)).toContain('GraphServer("http://localhost:8080", model="my model")');
    expect(await write('fuzzqe-py')).toContain(
      `server.match(${JSON.stringify(pattern)}, k=3, exclude="known", min_degree=0.25)`,
    );
  });
});

describe('what a page offers', () => {
  it('examples, the liveliest first, none twice', () => {
    const examples = exampleQuestions([
      { name: '1p', example: 'a' },
      { name: '2in', example: 'b' },
      { name: '2p', example: 'a' },
    ]);
    expect(examples.map(({ structure, text }) => [structure, text])).toEqual([
      ['2in', 'b'],
      ['1p', 'a'],
    ]);
  });
});
