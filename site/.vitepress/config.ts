import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vitepress';
import { linkTerms } from './link-terms.ts';
import { repository, repositoryLink } from './repository-links.ts';
import sections from './sections.json' with { type: 'json' };
import { writeTextCopies } from './text-copies.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const publicFolder = here('../public');

/** Finds Vue for the pages, which lie outside this folder, where no node_modules has it. */
const vueOfThisFolder: Plugin = {
  name: 'vue-of-this-folder',
  enforce: 'pre',
  resolveId(id, _, { ssr }) {
    if (!/^vue($|\/)/.test(id)) return null;
    return ssr === true ? { id, external: true } : this.resolve(id, here('./config.ts'), { skipSelf: true });
  },
};

const base = process.env['SITE_BASE'] ?? '/';

/** The mark of the pages that the software shows. */
const mark = `data:image/svg+xml,${encodeURIComponent(
  readFileSync(here('../../packages/playground/src/style/icon.svg'), 'utf8').trim(),
)}`;

export default defineConfig({
  title: 'FuzzQE',
  description: 'Ask logical questions of a knowledge graph that is incomplete.',
  lang: 'en',
  base,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: mark }]],
  srcDir: '../docs',
  outDir: 'dist',
  cacheDir: '.cache',
  cleanUrls: false,
  // The list of all pages is loaded once, and not with each page.
  metaChunk: true,
  lastUpdated: false,
  // Addresses of servers that a reader starts.
  ignoreDeadLinks: 'localhostLinks',
  // Chunks of pages that a reader may never open would delay this one.
  router: { prefetchLinks: false },
  // The home page lists all pages itself.
  transformPageData: ({ relativePath }) =>
    relativePath === 'index.md'
      ? { frontmatter: { sidebar: false, aside: false, outline: false } }
      : undefined,
  markdown: {
    // The plain light theme has a red of too little contrast.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark' },
    // Braces are of formulas.
    attrs: { disable: true },
    config(md) {
      linkTerms(md, here('../../docs/glossary.md'));
      md.core.ruler.push('repository-links', ({ tokens, env }) => {
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          if (token.type !== 'link_open') continue;
          const href = token.attrGet('href');
          if (href !== null) token.attrSet('href', repositoryLink(href, env.relativePath));
        }
      });
    },
  },
  themeConfig: {
    logo: { src: mark, alt: '' },
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'First question', link: '/first-question' },
      { text: 'Glossary', link: '/glossary' },
      { text: 'Results', link: '/results' },
      { text: 'Source', link: repository },
    ],
    sidebar: sections.map(({ text, pages }) => ({
      text,
      items: pages.map((page) => ({ text: page.text, link: `/${page.path.replace(/(^|\/)index$/, '$1')}` })),
    })),
  },
  vite: {
    publicDir: publicFolder,
    plugins: [vueOfThisFolder],
    resolve: {
      alias: [{ find: /^\.\/VPSidebarGroup\.vue$/, replacement: here('./theme/lazy-sidebar.ts') }],
    },
    define: { PLAYGROUND: JSON.stringify(existsSync(`${publicFolder}/playground/index.html`)) },
  },
  // The file is empty, since no page has icons, and yet would hold each page up.
  transformHtml: (code) =>
    code.replace(/<link rel="preload stylesheet" href="[^"]*vp-icons\.css" as="style">/, ''),
  buildEnd: writeTextCopies,
});
