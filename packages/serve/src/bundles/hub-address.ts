import { FuzzError } from '@fuzzqe/core';

/** A bundle on the Hugging Face Hub: `hf://owner/name`, with `@` and a branch, a tag or a commit where it is not `main`. */
export interface HubAddress {
  readonly owner: string;
  readonly name: string;
  readonly revision: string;
}

const scheme = 'hf://';

/** Whether a path of a bundle is an address on the Hub. */
export const isHubAddress = (path: string): boolean => path.startsWith(scheme);

/**
 * Reads one.
 *
 * @throws FuzzError `usage`: it is none.
 */
export function parseHubAddress(path: string): HubAddress {
  const [repository = '', revision = 'main', ...others] = path.slice(scheme.length).split('@');
  const [owner = '', name = '', ...folders] = repository.split('/');
  const isName = (part: string): boolean =>
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,95}$/.test(part) && !part.includes('..') && !part.includes('--');
  const isRevision = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,199}$/.test(revision) && !revision.includes('..');
  if (isName(owner) && isName(name) && isRevision && folders.length === 0 && others.length === 0)
    return { owner, name, revision };
  throw new FuzzError(
    'usage',
    `expected hf://owner/name or hf://owner/name@revision, got ${path.slice(0, 300)}`,
    {
      hint: 'The repository is a bundle as a whole; a revision is a branch, a tag or a commit.',
    },
  );
}
