import type { Manifest } from '@fuzzqe/core';

/** The model card of a bundle, in Markdown: `README.md`. The same manifest gives the same text. */
export function modelCard(manifest: Manifest): string {
  return `# ${oneLine(manifest.name)}\n`;
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
