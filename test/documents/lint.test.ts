import { describe, expect, it } from 'vitest';
import { faultsOf, sentenceLimits, sidebarFaults } from '../../scripts/documents/lint.mjs';
import { repositoryLink } from '../../site/.vitepress/repository-links.ts';

const others: Readonly<Record<string, string>> = {
  'docs/other.md': '# Other\n\n## The `k` best\n\n## Twice\n\n## Twice\n\n```sh\n# no heading\n```\n',
  'packages/core/src/index.ts': '',
  'packages/core': '',
};
const files = {
  isThere: (path: string): boolean => path in others,
  read: (path: string): string => others[path]!,
};

/** The faults of a page with this body, each as its line and whether it fails. */
function told(body: string, path = 'docs/page.md'): readonly string[] {
  return faultsOf(path, `# Page\n\n${body}\n`, files).map(
    ({ line, fails, message }) => `${line} ${fails ? 'fails' : 'warns'}: ${message}`,
  );
}

const sentence = (words: number): string => `A${' word'.repeat(words - 1)}.`;

describe('the lint of documents', () => {
  it('finds a fault of form, and none in a page without one', () => {
    expect(told('## Part\n\n- one\n- two\n\n```sh\nls\n```')).toEqual([]);
    expect(told('### Too deep')).toEqual([expect.stringContaining('3 fails: MD001')]);
  });

  it('finds links to files and headings that are not there', () => {
    const good =
      '[a](other.md#the-k-best) [b](other.md#twice-1) [c](#page) [d](../packages/core/src/index.ts) [e](../packages/core/) [f](https://example.org/x)';
    expect(told(good)).toEqual([]);
    expect(told('`[a](gone.md)`\n\n```text\n[b](gone.md)\n```')).toEqual([]);
    for (const bad of ['gone.md', 'other.md#no-heading', '#gone', '../packages/none', 'other.md#twice-2'])
      expect(told(`Text and\n[a link](${bad}).`)).toEqual([expect.stringMatching(/^4 fails: .*: no /)]);
  });

  it('warns of long sentences and fails longer ones, in prose only', () => {
    const { warns, fails } = sentenceLimits;
    expect(told(sentence(warns))).toEqual([]);
    expect(told(sentence(fails))).toEqual([expect.stringContaining(`3 warns: a sentence of ${fails} words`)]);
    expect(told(`${sentence(5)} ${sentence(fails + 1)}`)).toEqual([expect.stringContaining('3 fails: ')]);
    expect(told(`\`\`\`text\n${sentence(50)}\n\`\`\``)).toEqual([]);
    expect(told(`| ${sentence(50)} |\n| --- |\n| ${sentence(50)} |`)).toEqual([]);
    expect(told(`- ${sentence(25)}\n- ${sentence(25)}`)).toEqual([]);
    expect(told(`\`${sentence(50)}\` is one word.`)).toEqual([]);
    expect(told(sentence(50), 'lab/study.md')).toEqual([]);
  });

  it('fails words that mislead and warns of unclear ones', () => {
    expect(told('It is\nused in place\nof a file.')).toEqual([
      expect.stringContaining('fails: "in place of"'),
    ]);
    expect(told('It stands beside a file.')).toEqual([expect.stringContaining('warns: "beside"')]);
    expect(told('The code `in place of` and a mendedness.')).toEqual([]);
    expect(told('Whoever asks.', 'docs/reference/cli.md')).toEqual([]);
  });

  it('finds pages that the sidebar lacks, and places without a page', () => {
    const sections = [{ pages: [{ path: 'a' }, { path: 'reference/typescript/index' }] }];
    expect(sidebarFaults(sections, ['docs/a.md', 'README.md'])).toEqual([]);
    expect(sidebarFaults(sections, ['docs/b.md'])).toEqual([
      expect.stringMatching(/^docs\/a\.md: .*not there/),
      expect.stringMatching(/^docs\/b\.md: .*does not list it/),
    ]);
  });
});

it('links of pages that leave the documents go to the repository, others stay', () => {
  const address = 'https://github.com/fuzzqe/fuzzqe';
  expect(repositoryLink('../packages/core/src/index.ts#L3', 'data.md')).toBe(
    `${address}/blob/main/packages/core/src/index.ts#L3`,
  );
  expect(repositoryLink('../../deploy/nginx/', 'reference/http.md')).toBe(
    `${address}/tree/main/deploy/nginx`,
  );
  expect(repositoryLink('../SECURITY.md', 'serving.md')).toBe(`${address}/blob/main/SECURITY.md`);
  expect(repositoryLink('serve-settings.schema.json', 'serving.md')).toContain('/blob/main/docs/');
  for (const inside of ['model.md#equations', '#here', 'https://example.org', 'images/a.webp', '../data.md'])
    expect(repositoryLink(inside, 'reference/http.md')).toBe(inside);
});
