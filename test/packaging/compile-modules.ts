import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './workspace.ts';

const config = {
  extends: '../tsconfig.base.json',
  compilerOptions: {
    noEmit: true,
    types: ['node'],
    lib: ['ES2023', 'WebWorker'],
    isolatedDeclarations: false,
    declaration: false,
    declarationMap: false,
    noUnusedLocals: false,
  },
};

/** The file of the module at a place in `compileModules`. */
export const moduleFile = (folder: string, index: number): string => join(folder, `example-${index}.ts`);

/**
 * Compiles modules in a folder of the repository's root, so that packages are found as a user's would be.
 *
 * Returns the exit status, and what the compiler says, with `nameOf` of the module and the line in place of each position.
 */
export function compileModules(
  folder: string,
  modules: readonly string[],
  nameOf: (index: number, line: number) => string,
): { readonly status: number | null; readonly said: string } {
  modules.forEach((text, index) => {
    writeFileSync(moduleFile(folder, index), `${text}\nexport {};\n`);
  });
  writeFileSync(
    join(folder, 'wasm.d.ts'),
    "declare module '*.wasm' { const compiled: WebAssembly.Module; export default compiled; }\n",
  );
  const files = ['wasm.d.ts', ...modules.map((_, index) => `example-${index}.ts`)];
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ ...config, files }));
  const { status, stdout } = run('node_modules/typescript/bin/tsc', ['-p', folder, '--pretty', 'false']);
  const said = stdout.replaceAll(/[^\s]*example-(\d+)\.ts\((\d+),/g, (_, index: string, line: string) =>
    nameOf(Number(index), Number(line)),
  );
  return { status, said };
}
