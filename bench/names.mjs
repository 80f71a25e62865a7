// What the search of names costs, and the error about a name that there is not.
//
//   npm run build && node bench/names.mjs ENTITIES.tsv [--repeats 15]
//
// The file is a data set's: id, key, label. Figures are processor time, the median: the machine may be doing other things.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { finish } from '@fuzzqe/core';
import { createVocabulary } from '@fuzzqe/names';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { repeats: { type: 'string', default: '15' } },
});
const entities = readFileSync(positionals[0], 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => {
    const [, key, label = key] = line.split('\t');
    return { key, label };
  });
const vocabulary = createVocabulary({ entities, relations: [] });

const time = (work) => {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};
const median = (work) => {
  const times = Array.from({ length: Number(values.repeats) }, () => time(work));
  return times
    .sort((a, b) => a - b)
    [times.length >> 1].toFixed(1)
    .padStart(8);
};

console.log(
  `${entities.length} names, prepared once in ${time(() => finish(vocabulary.prepareSearch())).toFixed(0)} ms`,
);
console.log('  search unknown    total  text');
// Whole names, beginnings, parts and what is in every name, each as it is and with slips of the keyboard, and nothing at all.
const whole = entities[Math.floor(entities.length / 2)].label;
const slip = (text) => text.slice(0, -3) + text.at(-2) + text.at(-3) + text.at(-1);
const texts = [
  whole,
  whole.slice(0, 12),
  whole.slice(5),
  whole.slice(0, 3),
  'e',
  'new york',
  'manchester united',
  'microsoft',
];
for (const text of [
  ...texts,
  ...texts.filter(({ length }) => length > 5).map(slip),
  'zzzzzzzzzz',
  'z'.repeat(100),
]) {
  const search = median(() => vocabulary.searchEntities(text));
  const unknown = median(() => {
    try {
      vocabulary.findEntity(`${text}q`);
    } catch {}
  });
  const { total } = vocabulary.searchEntities(text);
  console.log(`${search}${unknown}${String(total).padStart(9)}  ${text.slice(0, 60)}`);
}
