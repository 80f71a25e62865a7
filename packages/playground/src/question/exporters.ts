import { FuzzError, type Vocabulary } from '@fuzzqe/core';
import {
  formatPattern,
  formatQuery,
  type Pattern,
  type Query,
  writePattern,
  writeQuery,
} from '@fuzzqe/core/query';
import { formatSparql } from '@fuzzqe/sparql/format';
import type { Naming } from './naming.ts';
import { type AskSettings, usualSettings } from './settings.ts';

/** A form in which a question can be taken along. */
export type ExportForm = 'text' | 'JSON' | 'SPARQL' | 'curl' | 'CLI' | 'TypeScript' | 'Python' | 'fuzzqe-py';

/** All forms of a question, in the order in which they are offered. */
export const exportForms: readonly ExportForm[] = [
  'text',
  'JSON',
  'SPARQL',
  'curl',
  'CLI',
  'TypeScript',
  'Python',
  'fuzzqe-py',
];

/** The forms of a pattern: the page writes SPARQL of trees alone. */
export const patternForms: readonly ExportForm[] = exportForms.filter((form) => form !== 'SPARQL');

/** What is exported. */
export interface Exported {
  /** A tree, or a pattern of variables; nothing where a part is missing. */
  readonly asked: Query | Pattern | undefined;
  readonly settings: AskSettings;
  /** Whether a pattern's answers are counted. Default false. */
  readonly count?: boolean;
  /** The address of the API, as `http://localhost:8080/v1` or that of one model; programs ask there. */
  readonly api: string;
  /** Whether the API asks for a key: programs then take it from the environment. Default false. */
  readonly withKey?: boolean;
}

/** The header with the key, which programs take from the environment: the key itself is in none of them. */
const keyHeader = {
  curl: '  -H "authorization: Bearer $FUZZQE_KEY" \\',
  TypeScript: ", authorization: 'Bearer ' + process.env['FUZZQE_KEY']",
  Python: ', "authorization": "Bearer " + os.environ["FUZZQE_KEY"]',
} as const;

/**
 * Writes a question so that it can be asked elsewhere. The forms are the text notation, the body of a request, SPARQL, commands and
 * programs. Only `fuzzqe-py` needs a package: the Python package opens a bundle to ask a tree, and asks a server a pattern.
 *
 * @throws FuzzError `query`: a part is missing, or the form cannot say it.
 */
export async function exportQuestion(form: ExportForm, exported: Exported, naming: Naming): Promise<string> {
  const { asked, settings, api, count = false, withKey = false } = exported;
  if (asked === undefined) {
    throw new FuzzError('query', 'question: expected all of its parts, got one that is missing', {
      hint: 'Fill in what is missing first.',
    });
  }
  return naming.run((vocabulary) => {
    if (form === 'SPARQL') {
      if (isPattern(asked))
        throw new FuzzError('query', 'SPARQL: expected a question for one set, got a pattern', {
          hint: 'Take the pattern along in another form.',
        });
      return formatSparql(asked, vocabulary, { limit: settings.k, exclude: settings.exclude });
    }
    const text = textOf(asked, vocabulary);
    if (form === 'text') return `${text}\n`;
    const options = optionsOf(settings);
    if (form === 'CLI') return command(text, settings, count);
    const [name, path] = isPattern(asked)
      ? (['pattern', 'patterns'] as const)
      : (['query', 'query'] as const);
    const counted = count ? { count } : {};
    if (form === 'JSON') {
      const json = isPattern(asked) ? writePattern(asked, vocabulary) : writeQuery(asked, vocabulary);
      return `${JSON.stringify({ [name]: json, ...options, ...counted }, null, 2)}\n`;
    }
    if (form === 'fuzzqe-py')
      return isPattern(asked) ? withServer(text, options, api) : withBundle(text, options);
    // Programs print no counts.
    const body = { [name]: text, ...options, ...(form === 'curl' ? counted : {}) };
    return programs[form](`${api}/${path}`, body, found[name], withKey);
  });
}

function isPattern(asked: Query | Pattern): asked is Pattern {
  return 'where' in asked;
}

function textOf(asked: Query | Pattern, vocabulary: Vocabulary): string {
  return isPattern(asked) ? formatPattern(asked, vocabulary) : formatQuery(asked, vocabulary);
}

type Body = Readonly<Record<string, unknown>>;

/** The options of a request, without what is usual. */
function optionsOf({ k, exclude, minDegree }: AskSettings): Body {
  return {
    k,
    ...(exclude === usualSettings.exclude ? {} : { exclude }),
    ...(minDegree === undefined ? {} : { minDegree }),
  };
}

function command(text: string, { k, exclude, minDegree }: AskSettings, count: boolean): string {
  const flags = [
    `-k ${k}`,
    ...(exclude === usualSettings.exclude ? [] : [`--exclude ${exclude}`]),
    ...(minDegree === undefined ? [] : [`--min-degree ${minDegree}`]),
    ...(count ? ['--count'] : []),
  ];
  // The folder of the bundle stands where its reader has it.
  return `fuzzqe query bundle ${quotedForShell(text)} ${flags.join(' ')}\n`;
}

/** How programs read the result: the list of answers, and the names of an answer. */
const found = {
  query: { list: 'answers', field: 'label', type: 'string', script: 'label', python: 'answer["label"]' },
  pattern: {
    list: 'rows',
    field: 'entities',
    type: '{ label: string }[]',
    script: '...entities.map(({ label }) => label)',
    python: '*(entity["label"] for entity in answer["entities"])',
  },
} as const;

type Program = (
  address: string,
  body: Body,
  words: (typeof found)['pattern' | 'query'],
  withKey: boolean,
) => string;

const programs: Readonly<Record<'curl' | 'TypeScript' | 'Python', Program>> = {
  curl: (address, body, _, withKey) =>
    [
      `curl -s ${quotedForShell(address)} \\`,
      "  -H 'content-type: application/json' \\",
      ...(withKey ? [keyHeader.curl] : []),
      `  -d ${quotedForShell(JSON.stringify(body))}`,
      '',
    ].join('\n'),
  TypeScript: (
    address,
    body,
    { list, field, type, script },
    withKey,
  ) => `const response = await fetch(${JSON.stringify(address)}, {
  method: 'POST',
  headers: { 'content-type': 'application/json'${withKey ? keyHeader.TypeScript : ''} },
  body: JSON.stringify(${indented(JSON.stringify(body, null, 2))}),
});
if (!response.ok) throw new Error(await response.text());
type Found = { ${field}: ${type}; degree: number }[];
const { ${list}, suggestions } = (await response.json()) as { ${list}: Found; suggestions: Found };
for (const { ${field}, degree } of ${list}) console.log(degree.toFixed(3), ${script});
for (const { ${field}, degree } of suggestions) console.log(degree.toFixed(3), ${script}, '(suggested)');
`,
  // JSON's strings are Python's, and the body has neither true, false nor null.
  Python: (address, body, { list, python }, withKey) => `import json
${withKey ? 'import os\n' : ''}import urllib.request

body = ${JSON.stringify(body, null, 4)}
request = urllib.request.Request(
    ${JSON.stringify(address)},
    data=json.dumps(body).encode(),
    headers={"content-type": "application/json"${withKey ? keyHeader.Python : ''}},
)
with urllib.request.urlopen(request) as response:
    found = json.load(response)
for answer in found["${list}"]:
    print(f'{answer["degree"]:.3f}', ${python})
for answer in found["suggestions"]:
    print(f'{answer["degree"]:.3f}', ${python}, "(suggested)")
`,
};

/** Options as Python's arguments: JSON's strings are Python's. */
function pythonArguments(first: string, options: Body): string {
  const named = Object.entries(options).map(
    ([name, value]) => `, ${name.replace('minDegree', 'min_degree')}=${JSON.stringify(value)}`,
  );
  return JSON.stringify(first) + named.join('');
}

/** Without a server. */
function withBundle(text: string, options: Body): string {
  return `# pip install fuzzqe-py
from fuzzqe import Bundle

bundle = Bundle.open("bundle")  # the folder of the bundle
answers = bundle.answer(${pythonArguments(text, options)})
for answer in answers:
    print(f"{answer.degree:.3f}", answer.label)
for answer in answers.suggestions:
    print(f"{answer.degree:.3f}", answer.label, "(suggested)")
`;
}

/** The package asks a server for patterns, with the key of the environment if there is one. */
function withServer(text: string, options: Body, api: string): string {
  const [, url = api, model] = /^(.*)\/v1(?:\/models\/(.+))?$/.exec(api) ?? [];
  const of = model === undefined ? '' : `, model=${JSON.stringify(decodeURIComponent(model))}`;
  return `# pip install fuzzqe-py
from fuzzqe import GraphServer

server = GraphServer(${JSON.stringify(url)}${of})
rows = server.match(${pythonArguments(text, options)})
for row in rows:
    print(f"{row.degree:.3f}", *(entity.label for entity in row.entities))
for row in rows.suggestions:
    print(f"{row.degree:.3f}", *(entity.label for entity in row.entities), "(suggested)")
`;
}

function quotedForShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function indented(text: string): string {
  return text.replaceAll('\n', '\n  ');
}
