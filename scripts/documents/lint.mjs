// Checks the tracked Markdown files: form (markdownlint), links and anchors, lengths of sentences, and words that mislead.
//
//   npm run lint:docs [-- FILE…]      warnings do not fail; --quiet leaves them out
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { lint } from 'markdownlint/sync';
import { brokenLinks } from './links.mjs';
import { misleading, unclear, usesOf } from './replaced-words.mjs';
import { sentencesOf } from './sentences.mjs';

/** Words of a sentence from which on it is told, and from which on it fails. */
export const sentenceLimits = { warns: 30, fails: 40 };

const form = {
  default: true,
  // Lines may be long: editors wrap them.
  MD013: false,
  MD024: { siblings_only: true },
  MD033: false,
  // Links and anchors are checked across files below.
  MD051: false,
  MD041: false,
  // Tables of figures are as wide as they are.
  MD060: false,
};

/** Written by programs, or kept as they were: only form and links are checked. */
const isKept = (path) => /^(?:lab|bench)\/|^docs\/(?:reference\/|results\.md|licences\.md)/.test(path);
/** Pages that programs write and git does not have. */
const isWritten = (path) => path.startsWith('docs/reference/typescript');

/** What is wrong with a document: `{ line, fails, message }`. `files` is the repository for its links. */
export function faultsOf(path, text, files) {
  const found = lint({ strings: { [path]: text }, config: form })[path].map((fault) => ({
    line: fault.lineNumber,
    fails: true,
    message: `${fault.ruleNames[0]} ${fault.ruleDescription}${fault.errorDetail === null ? '' : `: ${fault.errorDetail}`}`,
  }));
  for (const { line, target, fault } of brokenLinks(path, text, files))
    found.push({ line, fails: true, message: `${target}: ${fault}` });
  if (isKept(path)) return found;
  for (const { line, words, sentence } of sentencesOf(text))
    if (words > sentenceLimits.warns)
      found.push({
        line,
        fails: words > sentenceLimits.fails,
        message: `a sentence of ${words} words: ${sentence.slice(0, 80)}…`,
      });
  for (const [words, fails] of [
    [misleading, true],
    [unclear, false],
  ])
    for (const { line, word, instead } of usesOf(text, words))
      found.push({ line, fails, message: `"${word}": write ${instead}` });
  return found;
}

/** Pages of the sidebar that are not there, and documents without a place in it. */
export function sidebarFaults(sections, documents) {
  const listed = new Set(sections.flatMap(({ pages }) => pages.map(({ path }) => `docs/${path}.md`)));
  const missing = [...listed].filter((path) => !documents.includes(path) && !isWritten(path));
  const unlisted = documents.filter((path) => path.startsWith('docs/') && !listed.has(path));
  return [
    ...missing.map((path) => `${path}: the sidebar lists it, and it is not there`),
    ...unlisted.map((path) => `${path}: site/.vitepress/sections.json does not list it`),
  ];
}

function main(args) {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  process.chdir(root);
  const git = (...rest) =>
    execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...rest], { encoding: 'utf8' });
  const tracked = new Set(git().split('\n'));
  for (const path of [...tracked])
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1))
      tracked.add(path.slice(0, at));
  const files = {
    isThere: (path) => tracked.has(path) || path === '.' || isWritten(path),
    read: (path) => (isWritten(path) ? '' : readFileSync(path, 'utf8')),
  };
  const named = args.filter((arg) => !arg.startsWith('-'));
  const documents = named.length > 0 ? named : git('*.md').split('\n').filter(Boolean);
  const sections = JSON.parse(readFileSync('site/.vitepress/sections.json', 'utf8'));
  const misplaced = named.length > 0 ? [] : sidebarFaults(sections, documents);
  for (const fault of misplaced) console.log(fault);
  let [failures, warnings] = [misplaced.length, 0];
  for (const path of documents)
    for (const { line, fails, message } of faultsOf(path, readFileSync(path, 'utf8'), files)) {
      if (fails) failures++;
      else warnings++;
      if (fails || !args.includes('--quiet'))
        console.log(`${path}:${line}: ${fails ? '' : 'warning: '}${message}`);
    }
  console.log(`${documents.length} documents, ${failures} faults, ${warnings} warnings`);
  process.exitCode = failures > 0 ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
