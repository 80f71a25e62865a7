import { pageIcon, pageStyle } from '@fuzzqe/core/text';
import { html, raw } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import type { OpenApiObject } from '../part/declaration.ts';
import { tryScript } from './try-script.ts';

type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/** The parts of a document that the page shows. */
interface Document {
  readonly info: { readonly title: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Shown>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, OpenApiObject>> };
  readonly security?: unknown;
}

interface Shown {
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly description?: string;
    readonly example?: unknown;
  }[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<
        string,
        {
          readonly examples?: Readonly<
            Record<string, { readonly summary?: string; readonly value: unknown }>
          >;
        }
      >
    >;
  };
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly description: string;
        readonly content?: Readonly<Record<string, { readonly schema?: unknown }>>;
      }
    >
  >;
}

/**
 * A document of OpenAPI as a page without anything from elsewhere; each example has a form that sends it.
 *
 * @param origin where the examples send their requests: `http://localhost:8080`. Where the page lies in a folder of it, its script says so.
 */
export function docsPage(openapi: OpenApiObject, origin: string): Html {
  // Made by openApiDocument, and by parts that add the same form.
  const { info, paths, components, security } = openapi as unknown as Document;
  // A path of a model that is there without its name, too, is described once.
  const own = Object.entries(paths).filter(
    ([path]) => !path.includes('/models/{name}/') || !(path.replace('/models/{name}', '') in paths),
  );
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title}</title>
${raw(pageIcon)}
<style>${raw(pageStyle + style)}</style>
<main>
<h1>${info.title}</h1>
<p>${info.description}</p>
<p>The same for programs: <a href="openapi.json">openapi.json</a>. The paths of queries and names also stand below
<code>/v1/models/{name}</code>, for each model.${security === undefined ? '' : ' Requests need a key: Authorization: Bearer.'}</p>
<nav>${own.map(([path, item]) =>
    operationsOf(item)
      .map(([method]) => method)
      .map((method) => html`<a href="#${method}${path}"><code>${method.toUpperCase()} ${path}</code></a>\n`),
  )}</nav>
${own.map(([path, item]) => operationsOf(item).map(([method, operation]) => section(method, path, operation, origin)))}
<h2>Schemas</h2>
${Object.entries(components.schemas).map(([name, schema]) => html`<details id="schema-${name}"><summary>${name}</summary><pre>${JSON.stringify(schema, null, 2)}</pre></details>\n`)}
</main>
<script>${raw(tryScript)}</script>
</html>
`;
}

/** What a path has besides is common to its operations. */
function operationsOf(item: Readonly<Record<string, Shown>>): readonly [string, Shown][] {
  return Object.entries(item).filter(([method]) =>
    /^(?:get|put|post|delete|patch|head|options)$/.test(method),
  );
}

const style = `nav a{display:block}td,th{padding:2px var(--space-3) 2px 0}
textarea,input{width:100%;margin:var(--space-2) 0;padding:var(--space-2);border:1px solid var(--line-strong);border-radius:var(--radius-small);
background:var(--surface);color:inherit;font:.867rem/1.5 var(--mono)}
button{padding:var(--space-1) var(--space-4);border:0;border-radius:var(--radius-small);background:var(--accent);color:var(--on-accent);font:inherit}
output{display:block;max-height:24rem;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere;font:.867rem/1.5 var(--mono)}
h2{border-top:1px solid var(--line);padding-top:var(--space-4)}
`;

function section(method: string, path: string, operation: Shown, origin: string): Html {
  const { summary = '', description = '', parameters = [], requestBody, responses } = operation;
  const bodies = Object.entries(requestBody?.content ?? {}).slice(0, 1);
  const examples = bodies.flatMap(([type, { examples = {} }]) =>
    Object.values(examples).map(({ summary = '', value }) => ({ summary, type, value })),
  );
  return html`<section id="${method}${path}">
<h2><code>${method.toUpperCase()} ${path}</code></h2>
<p><strong>${summary}.</strong> ${description}</p>
${parameters.length === 0 ? '' : html`<table>${parameters.map((each) => html`<tr><td><code>${each.name}</code><td>${each.in}<td>${each.description ?? ''}\n`)}</table>`}
${method === 'get' ? html`<pre>${getCurl(origin, exampleAddress(path, parameters))}</pre>${getForm(exampleAddress(path, parameters))}` : ''}
${examples.map(({ summary, type, value }) => html`<p>${summary}:</p><pre>${bodyCurl(origin, path, type, value)}</pre>${bodyForm(method, path, type, value)}\n`)}
<table>${Object.entries(responses)
    .filter(([, response]) => !('$ref' in response))
    .map(
      ([status, { description, content = {} }]) =>
        html`<tr><td>${status}<td>${description}<td>${Object.entries(content).map(([type, { schema }]) => html`<code>${type}</code> ${schemaLink(schema)} `)}\n`,
    )}</table>
</section>
`;
}

/** A path with the examples of its parameters. */
export function exampleAddress(path: string, parameters: NonNullable<Shown['parameters']>): string {
  const given = parameters.filter(({ example }) => example !== undefined && example !== '');
  const filled = given
    .filter((each) => each.in === 'path')
    .reduce((at, { name, example }) => at.replace(`{${name}}`, encodeURIComponent(String(example))), path);
  const query = given
    .filter((each) => each.in === 'query')
    .map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`);
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`;
}

/** Addresses are below the folder of the page, whatever path its server stands below. */
function getForm(address: string): Html {
  return form(html``, html`<input name="sent" aria-label="Address" value="${address.slice(1) || './'}">`);
}

function bodyForm(method: string, path: string, type: string, value: unknown): Html {
  const indent = type === 'application/json' ? 2 : 0;
  const body = typeof value === 'string' ? value : JSON.stringify(value, null, indent);
  const rows = Math.min(body.split('\n').length, 16);
  return form(
    html` data-method="${method.toUpperCase()}" data-path="${path.slice(1)}" data-type="${type}"`,
    html`<textarea name="sent" aria-label="Body" rows="${rows}" spellcheck="false">${body}</textarea>`,
  );
}

/** Only the script shows it. */
function form(attributes: Html, field: Html): Html {
  return html`<form hidden${attributes}><details><summary>Try it</summary>${field}<button>Send</button><output tabindex="0"></output></details></form>`;
}

function getCurl(origin: string, address: string): Html {
  return html`curl -s '<span class="origin">${origin}</span>${quotable(address)}'`;
}

function bodyCurl(origin: string, path: string, type: string, value: unknown): Html {
  const body = typeof value === 'string' ? value : JSON.stringify(value);
  return html`${getCurl(origin, path)} -H 'content-type: ${type}' -d '${quotable(body)}'`;
}

/** A text as it stands between the quotes of a shell. */
function quotable(text: string): string {
  return text.replaceAll("'", `'\\''`);
}

function schemaLink(schema: unknown): Html | string {
  const reference = (schema as { readonly $ref?: unknown } | undefined)?.$ref;
  if (typeof reference !== 'string') return '';
  const name = reference.slice(reference.lastIndexOf('/') + 1);
  return html`<a href="#schema-${name}">${name}</a>`;
}
