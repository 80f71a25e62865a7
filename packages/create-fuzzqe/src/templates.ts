/** What a project is made of: an example of the repository, with these of its files. */
export interface Template {
  readonly description: string;
  /** Files and folders that are copied as they are. */
  readonly copied: readonly string[];
  /** Files that hold the name of the example, which becomes the project's. */
  readonly named: readonly string[];
  /** Lines of .gitignore, which npm takes into no package. */
  readonly ignored: readonly string[];
  /** Where the project has its bundle. */
  readonly bundle: string;
  /** The scripts that make the bundle. */
  readonly making: readonly string[];
  /** What its user does after the bundle is there. */
  readonly next: readonly string[];
}

export type TemplateName = 'serve' | 'worker' | 'page';

/** The templates by name; the first is the default. */
export const templates: Readonly<Record<TemplateName, Template>> = {
  serve: {
    description: 'a program of TypeScript that asks, and the HTTP server',
    copied: ['README.md', 'src', 'tsconfig.json'],
    named: ['package.json'],
    ignored: ['node_modules', 'dist', 'data/countries', 'runs'],
    bundle: 'runs/graph/bundle',
    making: ['model'],
    next: ['npm run ask', 'npm run serve'],
  },
  worker: {
    description: 'a Cloudflare Worker with the HTTP API',
    copied: ['README.md', 'src'],
    named: ['package.json', 'wrangler.jsonc'],
    ignored: ['node_modules', '.wrangler', 'data/countries', 'runs'],
    bundle: 'assets/bundle',
    making: ['model', 'bundle'],
    next: ['npx wrangler dev', 'npx wrangler deploy'],
  },
  page: {
    description: 'a page of TypeScript that answers in the browser, without a server',
    copied: ['README.md', 'icon.svg', 'index.html', 'src', 'tsconfig.json', 'vite.config.ts'],
    named: ['package.json'],
    ignored: ['node_modules', 'dist', 'data/countries', 'runs', 'public/runtime'],
    bundle: 'public/bundle',
    making: ['model', 'bundle'],
    next: ['npm run dev', 'npm run build'],
  },
};

export const templateNames: readonly TemplateName[] = Object.keys(templates) as TemplateName[]; // a Record has no other keys
