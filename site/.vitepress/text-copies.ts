import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SiteConfig } from 'vitepress';
import { repositoryLink } from './repository-links.ts';
import sections from './sections.json' with { type: 'json' };

/** Writes each page as Markdown beside its HTML, and llms.txt, which lists the pages. */
export function writeTextCopies({ pages, srcDir, outDir, site }: SiteConfig): void {
  const summaries = new Map<string, string>();
  for (const page of pages) {
    const text = readFileSync(join(srcDir, page), 'utf8').replace(
      /\]\(([^)\s]+)\)/g,
      (_, href: string) => `](${repositoryLink(href, page)})`,
    );
    mkdirSync(dirname(join(outDir, page)), { recursive: true });
    writeFileSync(join(outDir, page), text);
    summaries.set(page, firstSentence(text));
  }
  const lists = sections.map(({ text, pages: listed }) => {
    const lines = listed
      .filter(({ path }) => summaries.has(`${path}.md`))
      .map((page) => `- [${page.text}](${site.base}${page.path}.md): ${summaries.get(`${page.path}.md`)}\n`);
    return `## ${text}\n\n${lines.join('')}`;
  });
  writeFileSync(join(outDir, 'llms.txt'), `# ${site.title}\n\n> ${site.description}\n\n${lists.join('\n')}`);
}

function firstSentence(text: string): string {
  const body = text.replace(/^---\n.*?\n---\n/s, '').replace(/<!--.*?-->/gs, '');
  const paragraph = body.split(/\n\s*\n/).find((block) => /^[A-Z`[*]/.test(block)) ?? '';
  const plain = paragraph.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/\s+/g, ' ');
  return plain.match(/^.*?[.:?!](?=\s|$)/)?.[0] ?? plain;
}
