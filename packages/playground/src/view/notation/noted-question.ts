import { keepKeys } from '../../question/keep-keys.ts';
import type { Naming } from '../../question/naming.ts';
import { emptyQuestion, type Question } from '../../question/question.ts';
import { type AskSettings, usualSettings } from '../../question/settings.ts';
import { readSparql, type SparqlQuestion, writeSparql } from '../../question/sparql.ts';
import { readText, writeText } from '../../question/text.ts';
import { readInWorker } from '../../sparql-worker/read-in-worker.ts';

/** In what a question is written. */
export type Notation = 'text' | 'sparql';

/** What a text says: a question, and in SPARQL how it is asked. */
export interface NotedQuestion extends Partial<AskSettings> {
  readonly question: Question;
  readonly notation: Notation;
}

/**
 * Writes a question; nothing where SPARQL lacks a part of it.
 *
 * @throws FuzzError `query`: SPARQL cannot say it.
 */
export async function writeNoted(
  { question, notation, k, exclude = usualSettings.exclude }: NotedQuestion,
  naming: Naming,
): Promise<string> {
  if (notation === 'text') return question.kind === 'hole' ? '' : writeText(question, naming);
  const unusual = { ...(k === undefined || k === usualSettings.k ? {} : { k }), exclude };
  return (await writeSparql(question, naming, unusual)) ?? '';
}

/**
 * Reads a question, of which parts that were there before keep their keys.
 *
 * @throws FuzzError `query` or `vocabulary`, with line and column.
 */
export async function readNoted(
  text: string,
  { question: before, notation }: NotedQuestion,
  naming: Naming,
): Promise<SparqlQuestion> {
  if (text.trim() === '') return { question: emptyQuestion, settings: {} };
  const read =
    notation === 'text'
      ? { question: await readText(text, naming), settings: {} }
      : await readSparql(text, naming, readInWorker);
  return { ...read, question: keepKeys(read.question, before) };
}
