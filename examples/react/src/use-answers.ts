import { parseQueryText } from '@fuzzqe/core/query';
import type { BrowserEngine } from '@fuzzqe/edge/browser';
import { useEffect, useState } from 'react';

type Answer = Awaited<ReturnType<BrowserEngine['answerAll']>>[number];

/** What was found for a question, or what is wrong with it. */
export interface Answering {
  /** Undefined until the first question is answered. */
  readonly answer?: Answer;
  readonly error?: Error;
}

/** Asks a question each time it changes, and gives the one before up. */
export function useAnswers(engine: BrowserEngine, question: string): Answering {
  const [answering, setAnswering] = useState<Answering>({});
  useEffect(() => {
    const next = new AbortController();
    const ask = async (): Promise<void> => {
      try {
        const query = parseQueryText(question, engine.vocabulary);
        setAnswering({ answer: await engine.answer(query, { k: 10, signal: next.signal }) });
      } catch (error) {
        if (error instanceof Error && error.name !== 'AbortError') setAnswering({ error });
      }
    };
    void ask();
    return () => next.abort();
  }, [engine, question]);
  return answering;
}
