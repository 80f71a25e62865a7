import { dirname, join, normalize } from 'node:path/posix';

/** Where the files of the repository are shown. */
export const repository = 'https://github.com/fuzzqe/fuzzqe';

/** The address of a link that leaves docs/, at its place in the repository; any other link as it is. */
export function repositoryLink(href: string, page: string): string {
  if (/^(?:[a-z]+:|\/|#)/i.test(href)) return href;
  const [path = '', anchor] = href.split('#', 2);
  const target = normalize(join('docs', dirname(page), path));
  const inDocuments = target.startsWith('docs/') && /(?:\.md|\/|\.webp|\.png|\.svg)$/.test(target);
  if (path === '' || inDocuments) return href;
  const kind = /\.[a-z0-9]+$|\/[A-Z]+$/i.test(target) ? 'blob' : 'tree';
  return `${repository}/${kind}/main/${target.replace(/\/$/, '')}${anchor === undefined ? '' : `#${anchor}`}`;
}
