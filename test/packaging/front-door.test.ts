import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { modulesLoadedBy } from './loaded-modules.ts';
import { command, scratchBundle } from './scratch-bundle.ts';
import { unpackPackages } from './unpack-packages.ts';
import { run } from './workspace.ts';

const question = '?x : r0(e1, ?x)';
const program = `
import { type Graph, open, type OpenOptions } from 'fuzzqe';

const options: OpenOptions = { signal: AbortSignal.timeout(60_000) };
let kept: Graph;
{
  await using graph = await open(process.argv[2]!, options);
  kept = graph;
  const { columns, rows } = await graph.explain('${question}', { k: 5, minDegree: 0 });
  const answers = rows.map(({ entities, degree, because }) => [entities[0]!.key, degree, because?.length]);
  const aborted = await graph.ask('${question}', { signal: AbortSignal.abort() }).catch((error: Error) => error.name);
  console.log(JSON.stringify({ columns, answers, aborted }));
}
const closed = await kept.ask('${question}').catch((error: Error) => error.message);
console.log(closed);
`;
const compilerOptions = {
  ...{ target: 'ES2022', module: 'NodeNext', strict: true, skipLibCheck: false, noEmitOnError: true },
  ...{ lib: ['ES2023', 'ESNext.Disposable', 'DOM'], types: ['node'], outDir: 'dist', rootDir: 'src' },
};

describe('a program that installs fuzzqe and opens a bundle', () => {
  const { bundle } = scratchBundle('front-door');
  const project = mkdtempSync(join(tmpdir(), 'fuzzqe-installed-'));
  beforeAll(() => {
    unpackPackages(project, inject('tarballs'));
    writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }\n');
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }));
  });
  afterAll(() => rmSync(project, { recursive: true, force: true }));

  const compile = (text: string) => {
    rmSync(join(project, 'src'), { recursive: true, force: true });
    run('mkdir', ['src'], { program: true, cwd: project });
    writeFileSync(join(project, 'src/main.ts'), text);
    return run('node_modules/typescript/bin/tsc', ['-p', project, '--pretty', 'false']);
  };

  it('compiles strictly, answers as the command does, and closes at the end of its block', () => {
    expect(compile(program)).toEqual({ status: 0, stdout: '', stderr: '' });
    const { status, stdout, stderr } = run(join(project, 'dist/main.js'), [bundle], { node: true });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const [answered, closed] = stdout.trim().split('\n');
    const { columns, answers, aborted } = JSON.parse(answered!);
    const args = [command, 'query', bundle, question, '--json', '-k', '5', '--min-degree', '0'];
    const { rows } = JSON.parse(run(args[0]!, args.slice(1), { node: true }).stdout) as {
      readonly rows: readonly {
        readonly entities: readonly { readonly key: string }[];
        readonly degree: number;
      }[];
    };
    expect(columns).toEqual(['x']);
    expect(answers).toEqual(rows.map(({ entities, degree }) => [entities[0]!.key, degree, 1]));
    expect(answers).toHaveLength(5);
    expect(aborted).toBe('AbortError');
    expect(closed).toBe('the engine is closed');
  });

  it('is refused by the compiler where a type is another', () => {
    const { status, stdout } = compile(program.replace('k: 5', "k: 'five'"));
    expect(status).not.toBe(0);
    expect(stdout).toContain("Type 'string' is not assignable to type 'number'");
  });

  it('loads no command, no engine and no runtime by the import alone', () => {
    const entry = join(project, 'node_modules/fuzzqe/dist/index.js');
    expect([...modulesLoadedBy(entry)]).toEqual([]);
    expect(modulesLoadedBy(entry.replace('index.js', 'open/open-graph.js'))).toContain('@fuzzqe/engine');
  });
});
