import { openedGraph } from '../../graph';

/** `GET /api/ask?q=…`: the answer as JSON. A client that goes away ends the work. */
export async function GET(request: Request): Promise<Response> {
  const question = new URL(request.url).searchParams.get('q') ?? '';
  try {
    const graph = await openedGraph();
    return Response.json(await graph.explain(question, { k: 10, signal: request.signal }));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    const isAsked = error.code === 'query' || error.code === 'vocabulary';
    return Response.json({ code: error.code, message: error.message }, { status: isAsked ? 400 : 500 });
  }
}
