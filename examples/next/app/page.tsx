import type { PatternAnswer } from 'fuzzqe';
import type { ReactNode } from 'react';
import { openedGraph } from './graph';

interface PageProps {
  readonly searchParams: Promise<{ readonly q?: string }>;
}

/** Rendered on the server: the browser gets the answers and no model. */
export default async function Page({ searchParams }: PageProps): Promise<ReactNode> {
  const { q } = await searchParams;
  return (
    <main>
      <h1>Questions</h1>
      <form>
        <label>
          Question <input name="q" size={60} defaultValue={q} placeholder="project(borders, France)" />
        </label>
        <button type="submit">Ask</button>
      </form>
      {q !== undefined && <Answers question={q} />}
    </main>
  );
}

async function Answers({ question }: { readonly question: string }): Promise<ReactNode> {
  const answer = await answerTo(question);
  if (answer instanceof Error) return <p role="alert">{answer.message}</p>;
  return (
    <ol>
      {answer.rows.map(({ entities, degree, state }) => (
        <li key={entities.map(({ key }) => key).join(' ')}>
          {entities.map(({ label }) => label).join(', ')} {degree.toFixed(3)} ({state})
        </li>
      ))}
    </ol>
  );
}

async function answerTo(question: string): Promise<PatternAnswer | Error> {
  try {
    const graph = await openedGraph();
    return await graph.ask(question, { k: 10 });
  } catch (error) {
    // A wrong name or question, for the page to show.
    if (error instanceof Error && 'code' in error) return error;
    throw error;
  }
}
