import { type AnswerMode, answerModes } from '../answer.ts';
import type { ApiPart } from './api-part.ts';
import type { ModelRegistry } from './models/model-registry.ts';

/** What this server can do, for people and programs that open its root: of its default model, and which others there are. */
export interface Landing {
  readonly name: string;
  readonly runtime: string;
  readonly entities: number;
  readonly relations: number;
  /** The names of all models, the default first. */
  readonly models: readonly string[];
  /** How queries are answered, the default first. */
  readonly modes: readonly AnswerMode[];
  /** What whoever reads answers should know, as `code: text`. */
  readonly warnings: readonly string[];
  readonly endpoints: Readonly<Record<string, string>>;
}

/** The root as JSON. */
export function landingOf(models: ModelRegistry, parts: readonly ApiPart[]): Landing {
  const lease = models.acquire();
  const { engine } = lease;
  lease.release();
  return {
    name: engine.manifest.name,
    runtime: engine.runtime,
    entities: engine.vocabulary.entityCount,
    relations: engine.vocabulary.relationCount / 2,
    models: models.names,
    modes: answerModes,
    warnings: engine.warnings,
    endpoints: Object.assign(
      {
        'POST /v1/query':
          'answers a logical query: {"query": …, "k": 10, "mode": "sets" | "embedding", "exclude": "known" | "none", "minDegree": 0 to 1 (sets)}',
        'POST /v1/query/batch': 'answers many, a line of JSON each',
        'POST /v1/query/relations': 'counts the relations that lead on from the answers to a query',
        'GET /v1/entities?q=&limit=&offset=': 'searches entities by key and label',
        'GET /v1/entities/<id>': 'describes an entity: its facts, and the best new ones of each relation',
        'GET /v1/relations?q=&limit=&offset=': 'lists or searches relations',
        'GET /v1/structures': 'lists the 14 query structures, each with an example',
        'GET /v1/models': 'lists the models; each has the paths above below /v1/models/<name>',
        'GET /healthz': 'says whether the server is ready',
      },
      ...parts.map((part) => part.endpoints),
    ),
  };
}

/** The root as a page. */
export function landingPage(landing: Landing): string {
  const { name, runtime, entities, relations, warnings, endpoints } = landing;
  const count = new Intl.NumberFormat('en');
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(name)}</title>
<style>${style}</style>
<main>
<h1>${escaped(name)}</h1>
<p>${count.format(entities)} entities, ${count.format(relations)} relations, on ${escaped(runtime)}</p>
<p>Answers logical queries over this graph: entities with degrees from 0 to 1, by fuzzy logic over what is recorded and what the model predicts
(<code>"mode": "sets"</code>), or with scores by the embedding of the query (<code>"embedding"</code>).</p>
${warnings.map((warning) => `<p>Note: ${escaped(warning)}</p>\n`).join('')}<dl class="card">
${Object.entries(endpoints)
  .map(([endpoint, meaning]) => `<dt>${endpointHtml(endpoint)}<dd>${escaped(meaning)}\n`)
  .join('')}</dl>
</main>
</html>
`;
}

/** The reader's own colours: this page is in every Worker, where each byte counts. */
const style = `:root{color-scheme:light dark}body{max-width:60rem;margin:0 auto;padding:40px 24px;font:15px/1.5 system-ui,sans-serif}
h1{margin:0;font-size:1.45rem}.card{padding:16px;border:1px solid #8d8a83;border-radius:10px}dd{margin:0 0 12px}code{overflow-wrap:anywhere}
`;

/** What is asked for without parameters can be followed. */
function endpointHtml(endpoint: string): string {
  const [, path] = /^GET (\/[\w./-]*)$/.exec(endpoint) ?? [];
  const code = `<code>${escaped(endpoint)}</code>`;
  return path === undefined ? code : `<a href="${path}">${code}</a>`;
}

/** Text as HTML shows it, in an element or in an attribute. */
function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
