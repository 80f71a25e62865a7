import { FuzzError } from '@fuzzqe/core';
import { formatQuery, writeQuery } from '@fuzzqe/core/query';
import { formatSparql } from '@fuzzqe/sparql/format';
import type { Naming } from './naming.ts';
import type { Question } from './question.ts';
import { type AskSettings, usualSettings } from './settings.ts';
import { toQuery } from './to-query.ts';

/** A form in which a question can be taken along. */
export type ExportForm = 'JSON' | 'SPARQL' | 'curl' | 'TypeScript' | 'Python' | 'fuzzqe-py';

/** All forms, in the order in which they are offered. */
export const exportForms: readonly ExportForm[] = [
  'JSON',
  'SPARQL',
  'curl',
  'TypeScript',
  'Python',
  'fuzzqe-py',
];

/** What is exported. */
export interface Exported {
  readonly question: Question;
  readonly settings: AskSettings;
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
 * Writes a question so that it can be asked elsewhere: as the body of `POST /v1/query`, as SPARQL, as a command or as a program without
 * packages; `fuzzqe-py` is a program for the Python package, which opens the bundle itself.
 *
 * @throws FuzzError `query`: a part is missing, or SPARQL cannot say it.
 */
export async function exportQuestion(
  form: ExportForm,
  { question, settings, api, withKey = false }: Exported,
  naming: Naming,
): Promise<string> {
  const query = toQuery(question);
  if (query === undefined) {
    throw new FuzzError('query', 'question: expected all of its parts, got one that is missing', {
      hint: 'Fill in what is missing first.',
    });
  }
  return naming.run((vocabulary) => {
    if (form === 'JSON')
      return `${JSON.stringify(bodyOf(writeQuery(query, vocabulary), settings), null, 2)}\n`;
    if (form === 'SPARQL') {
      return formatSparql(query, vocabulary, { limit: settings.k, exclude: settings.exclude });
    }
    const body = bodyOf(formatQuery(query, vocabulary), settings);
    if (form === 'fuzzqe-py') return withPackage(body);
    return programs[form](`${api}/query`, body, withKey);
  });
}

type Body = Readonly<Record<string, unknown>>;

/** The body of `POST /v1/query`, without what is usual. */
function bodyOf(query: unknown, { k, exclude, minDegree }: AskSettings): Body {
  return {
    query,
    k,
    ...(exclude === usualSettings.exclude ? {} : { exclude }),
    ...(minDegree === undefined ? {} : { minDegree }),
  };
}

type Program = (address: string, body: Body, withKey: boolean) => string;

const programs: Readonly<Record<Exclude<ExportForm, 'JSON' | 'SPARQL' | 'fuzzqe-py'>, Program>> = {
  curl: (address, body, withKey) =>
    [
      `curl -s ${quotedForShell(address)} \\`,
      "  -H 'content-type: application/json' \\",
      ...(withKey ? [keyHeader.curl] : []),
      `  -d ${quotedForShell(JSON.stringify(body))}`,
      '',
    ].join('\n'),
  TypeScript: (address, body, withKey) => `const response = await fetch(${JSON.stringify(address)}, {
  method: 'POST',
  headers: { 'content-type': 'application/json'${withKey ? keyHeader.TypeScript : ''} },
  body: JSON.stringify(${indented(JSON.stringify(body, null, 2))}),
});
if (!response.ok) throw new Error(await response.text());
type Found = { label: string; degree: number }[];
const { answers, suggestions } = (await response.json()) as { answers: Found; suggestions: Found };
for (const { label, degree } of answers) console.log(degree.toFixed(3), label);
for (const { label, degree } of suggestions) console.log(degree.toFixed(3), label, '(suggested)');
`,
  // JSON's strings are Python's, and the body has neither true, false nor null.
  Python: (address, body, withKey) => `import json
${withKey ? 'import os\n' : ''}import urllib.request

body = ${JSON.stringify(body, null, 4)}
request = urllib.request.Request(
    ${JSON.stringify(address)},
    data=json.dumps(body).encode(),
    headers={"content-type": "application/json"${withKey ? keyHeader.Python : ''}},
)
with urllib.request.urlopen(request) as response:
    found = json.load(response)
for answer in found["answers"]:
    print(f'{answer["degree"]:.3f}', answer["label"])
for answer in found["suggestions"]:
    print(f'{answer["degree"]:.3f}', answer["label"], "(suggested)")
`,
};

/** Without a server: names of options are those of the API, and JSON's strings are Python's. */
function withPackage({ query, ...options }: Body): string {
  const named = Object.entries(options).map(([name, value]) => `, ${name}=${JSON.stringify(value)}`);
  return `# pip install fuzzqe-py
from fuzzqe import Bundle

bundle = Bundle.open("bundle")  # the folder of the bundle
answers = bundle.answer(${JSON.stringify(query)}${named.join('')})
for answer in answers:
    print(f"{answer.degree:.3f}", answer.label)
for answer in answers.suggestions:
    print(f"{answer.degree:.3f}", answer.label, "(suggested)")
`;
}

function quotedForShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function indented(text: string): string {
  return text.replaceAll('\n', '\n  ');
}
