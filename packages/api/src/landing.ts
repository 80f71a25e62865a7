import type { AnswerMode } from '@fuzzqe/engine';
import type { ModelRegistry } from './models/model-registry.ts';
import type { ApiPart } from './part/api-part.ts';
import { modelInfo } from './v1/models-route.ts';

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
  /** What anyone who reads answers should know, as `code: text`. */
  readonly warnings: readonly string[];
  readonly endpoints: Readonly<Record<string, string>>;
}

/** The root as JSON. */
export async function landingOf(models: ModelRegistry, parts: readonly ApiPart[]): Promise<Landing> {
  const lease = await models.acquire();
  const { runtime, entities, relations, modes, warnings } = modelInfo(lease);
  lease.release();
  return {
    name: lease.engine.manifest.name,
    runtime,
    entities,
    relations,
    models: models.names,
    modes,
    warnings,
    endpoints: Object.assign(
      {
        'POST /v1/query': 'answers a logical query: {"query", "k", "mode", "exclude", "minDegree"}',
        'POST /v1/query/batch': 'answers many, a line of JSON each',
        'POST /v1/query/relations': 'counts the relations that lead on from the answers to a query',
        'POST /v1/patterns':
          'answers a question about several variables: {"pattern", "k", "explain", "count"}',
        'GET /v1/entities?q=&limit=&offset=': 'searches entities by key and label',
        'GET /v1/entities/<id>': 'describes an entity: its facts and new ones',
        'GET /v1/relations?q=&limit=&offset=': 'lists or searches relations',
        'GET /v1/structures': 'lists the 14 query structures, each with an example, and patterns',
        'GET /v1/models': 'lists the models, each with these paths below /v1/models/<name>',
        'GET /healthz': 'says whether the server is ready',
      },
      ...parts.map((part) => part.endpoints),
    ),
  };
}

/** The root as a page, in a style that may have rules for `.card`, with an icon if there is one. */
export function landingPage(landing: Landing, style: string = ownStyle, icon = ''): string {
  const { name, runtime, entities, relations, warnings, endpoints } = landing;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(name)}</title>
${icon}<style>${style}dd{margin:0 0 12px}</style>
<main>
<h1>${escaped(name)}</h1>
<p>${entities.toLocaleString('en')} entities, ${relations.toLocaleString('en')} relations, on ${escaped(runtime)}</p>
<p>Answers logical queries over what is recorded and what the model predicts.</p>
${warnings.map((warning) => `<p>Note: ${escaped(warning)}</p>\n`).join('')}<dl class="card">
${Object.entries(endpoints)
  .map(([endpoint, meaning]) => {
    // What is asked for without parameters can be followed, also where a proxy has the server below a path.
    const linked = escaped(endpoint).replace(/^GET \/([\w./-]*)$/, '<a href="$1">$&</a>');
    return `<dt><code>${linked}</code><dd>${escaped(meaning)}\n`;
  })
  .join('')}</dl>
</main>
`;
}

/** What of `pageStyle` a Worker can afford, in the same colours; a browser that knows no `light-dark` shows its own colours. */
const ownStyle = `:root{color-scheme:light dark}
body{max-width:60rem;margin:0 auto;padding:40px 24px;background:light-dark(#f6f5f2,#111315);color:light-dark(#1d2024,#e7e8ea);font:15px/1.5 system-ui;overflow-wrap:anywhere}
a{color:light-dark(#1b5e8c,#7fb9e0)}`;

/** Text as HTML shows it, in an element or in an attribute. */
function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
