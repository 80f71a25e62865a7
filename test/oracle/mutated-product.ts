import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type BuildContext, type BuildOptions, context } from 'esbuild';
import type { Product } from './compare.ts';

/** One change of the product's text. */
export interface Mutation {
  readonly what: string;
  /** From core's sources; those of other packages begin with `../../`. */
  readonly file: string;
  /** Text that must stand there once, and what stands in its place. */
  readonly from: string;
  readonly to: string;
}

const core = new URL('../../packages/core/src/', import.meta.url);

/** Builds products from the same sources, one after the other. */
export interface ProductBuilder {
  /**
   * The product built from its sources, with a mutation in one of them or as it is, as a module of its own.
   *
   * @throws Error where the text to change does not stand in the file exactly once: the mutation has to follow the code.
   */
  build(mutation?: Mutation): Promise<Product>;
  close(): Promise<void>;
}

/** Opens a builder that writes modules into a folder. What it has read of a file that a mutation does not change it does not read again. */
export async function productBuilder(folder: string): Promise<ProductBuilder> {
  let [builds, changed]: [number, boolean] = [0, false];
  let mutation: Mutation | undefined;
  const options: BuildOptions & { readonly write: false } = {
    entryPoints: [fileURLToPath(new URL('./product.ts', import.meta.url))],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    conditions: ['@fuzzqe/source'],
    logLevel: 'silent',
    plugins: [
      {
        name: 'mutation',
        setup({ onLoad }) {
          onLoad({ filter: /\.ts$/ }, async ({ path }) => {
            if (mutation === undefined || path !== fileURLToPath(new URL(mutation.file, core)))
              return undefined;
            const parts = (await readFile(path, 'utf8')).split(mutation.from);
            if (parts.length !== 2)
              throw new Error(`${mutation.file}: ${mutation.from} stands there ${parts.length - 1} times`);
            changed = true;
            // A change may need operations that the file does not import.
            const operations = "import * as ops from '@fuzzqe/core/tensor';\n";
            const head = mutation.to.includes('ops.') ? operations : '';
            return { contents: head + parts.join(mutation.to), loader: 'ts' };
          });
        },
      },
    ],
  };
  const builder: BuildContext<typeof options> = await context(options);
  return {
    async build(given) {
      [mutation, changed] = [given, false];
      const { outputFiles } = await builder.rebuild();
      if (given !== undefined && !changed) throw new Error(`${given.file} is no part of the product`);
      builds += 1;
      const file = join(folder, `product-${process.pid}-${builds}.mjs`);
      await writeFile(file, outputFiles[0]!.contents);
      // as: it is built from product.ts.
      return (await import(pathToFileURL(file).href)) as Product;
    },
    close: () => builder.dispose(),
  };
}
