import { formatQuery, isPatternText, parsePatternText, parseQueryText } from '@fuzzqe/core/query';
import { withoutCredentials } from '@fuzzqe/data';
import { openGraphEngine } from '@fuzzqe/engine';
import { fitGraphEvidence } from '@fuzzqe/pipeline';
import { interruptible } from '../terminal/interrupt.ts';
import type { NextCommand } from '../terminal/next-command.ts';
import { createNamedProgress } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { type ImportOptionFlags, readingArguments } from './data/import-options.ts';
import { matchText } from './match-text.ts';
import { openAskedGraph } from './open-asked-graph.ts';
import { formatAnswers, formatSupport, operandTexts, toldApart } from './query-text.ts';
import { readInWords } from './read-in-words.ts';

/** What `fuzzqe ask` was told. */
export interface AskFlags extends ImportOptionFlags {
  readonly k?: number;
  readonly seconds: number;
  readonly json?: boolean;
}

/** Does `fuzzqe ask`: answers one query from triples in memory, without a model; nothing is written. */
export async function askTriples(
  terminal: Terminal,
  path: string,
  text: string,
  { k, seconds, json, ...reading }: AskFlags,
): Promise<NextCommand> {
  const dataset = await openAskedGraph(terminal, path, reading);
  const { vocabulary } = dataset;
  // A wrong name is found before the rules are mined.
  const facts = dataset.graphs().full;
  const inWords = readInWords(terminal, text, { vocabulary, facts });
  const read = isPatternText(text) ? parsePatternText : parseQueryText;
  const asked = inWords?.pattern ?? read(text, vocabulary);
  const onProgress = createNamedProgress(terminal);
  const evidence = await interruptible(terminal, (signal) =>
    fitGraphEvidence({ dataset, seconds, onProgress, signal }),
  );
  terminal.status('');
  const { name, licence } = dataset;
  const engine = await openGraphEngine({
    ...{ vocabulary, facts, evidence, name, licence },
    provenances: dataset.provenances,
  });
  try {
    if ('answers' in asked) {
      await matchText(terminal, engine, asked, { k, json, explain: true, count: inWords?.count });
      return ['run', withoutCredentials(path), ...readingArguments(reading)];
    }
    const query = asked;
    const answer = await engine.answer(query, { explain: true, ...(k === undefined ? {} : { k }) });
    const warnings = [...engine.warnings, ...answer.warnings];
    if (json === true)
      terminal.out(JSON.stringify({ query: formatQuery(query, vocabulary), ...answer, warnings }));
    else {
      for (const warning of warnings) terminal.note(`Note: ${warning.replace(/^[a-z-]+: /, '')}`);
      const shown = toldApart(answer, vocabulary);
      const layout = { width: terminal.columns };
      formatAnswers(shown, operandTexts(query, vocabulary), layout).forEach(terminal.out);
      formatSupport([...shown.answers, ...shown.suggestions], terminal.columns).forEach(terminal.out);
    }
  } finally {
    await engine.close();
  }
  return ['run', withoutCredentials(path), ...readingArguments(reading)];
}
