import { readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { templates } from 'create-fuzzqe/templates';
import { describe, expect, it } from 'vitest';
import { Exclusions } from '../../scripts/offline/exclusions.mjs';

const examples = fileURLToPath(new URL('../../examples/', import.meta.url));

/** The files that a template is made of, by their paths in its example. */
function filesOf(template: string, names: readonly string[]): string[] {
  return names.flatMap((name) =>
    statSync(`${examples}${template}/${name}`).isDirectory()
      ? filesOf(
          template,
          readdirSync(`${examples}${template}/${name}`).map((entry) => `${name}/${entry}`),
        )
      : [name],
  );
}

describe('what stays out of the offline archive', () => {
  const exclusions = new Exclusions();

  it.each(Object.entries(templates))('is nothing that fuzzqe new writes: %s', (name, { copied, named }) => {
    const files = filesOf(name, [...copied, ...named]).map((file) => `dist/template/${name}/${file}`);
    expect(files).toContain(`dist/template/${name}/README.md`);
    expect(files.filter((file) => exclusions.leavesOutFile('create-fuzzqe', file))).toEqual([]);
  });

  it.each([
    ['create-fuzzqe', 'dist/index.d.ts'],
    ['create-fuzzqe', 'README.md'],
    ['other', 'dist/template/serve/README.md'],
  ])('is what nothing reads there: %s, %s', (name, path) => {
    expect(exclusions.leavesOutFile(name, path)).toBe(true);
  });
});
