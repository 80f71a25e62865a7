import type { Manifest } from '@fuzzqe/bundle';
import { type Metric, metricsRows, metricTitles } from './metrics-section.ts';

/** The file in which Git is told what is stored apart. */
export const hubAttributesPath = '.gitattributes';

/** Weights, graphs, facts and names, which may be large, and of which no line says anything to people. */
export const hubAttributes: string = [
  '*.onnx',
  '*.bin',
  'vocabulary/*.tsv',
  'golden.json',
  'manifest.json.sig',
]
  .map((pattern) => `${pattern} filter=lfs diff=lfs merge=lfs -text\n`)
  .join('');

/** The licences that the Hub knows by names of its own, by ours (SPDX). Source: https://huggingface.co/docs/hub/repositories-licenses */
const hubLicences: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ['Apache-2.0', 'MIT', 'BSD-2-Clause', 'BSD-3-Clause', 'CC0-1.0', 'CC-BY-4.0', 'CC-BY-3.0', 'CC-BY-2.0'],
    ['CC-BY-SA-4.0', 'CC-BY-SA-3.0', 'CC-BY-NC-4.0', 'CC-BY-NC-SA-4.0', 'CC-BY-NC-ND-4.0', 'CC-BY-ND-4.0'],
    ['PDDL'],
  ]
    .flat()
    .map((name) => [name.toLowerCase(), name.toLowerCase()])
    .concat([
      ['odbl-1.0', 'odbl'],
      ['pddl-1.0', 'pddl'],
      ['odc-by-1.0', 'odc-by'],
    ]),
);

/** At most so many figures of each metric stand where the Hub reads them; all are in the card. */
const mostFigures = 100;

/**
 * The front matter of a model card, in YAML, as the Hub reads it.
 *
 * Values are JSON strings and numbers, which YAML takes as they are. Source: https://huggingface.co/docs/hub/model-cards
 */
export function hubFrontMatter({ name, data, model, metrics }: Omit<Manifest, 'files' | 'sha256'>): string {
  const text = (value: string): string => JSON.stringify(value).replaceAll('\u007f', '\\u007f');
  const list = (values: readonly string[]): string => values.map((value) => `\n- ${text(value)}`).join('');
  const known = hubLicences[data.licence.toLowerCase()];
  const licence =
    known === undefined
      ? `license: other\nlicense_name: ${text(slug(data.licence))}`
      : `license: ${text(known)}`;
  const rows = metricsRows(metrics).slice(0, mostFigures);
  const used = (Object.keys(metricTitles) as Metric[]).filter(
    (
      metric, // keys of a literal
    ) => rows.some(({ values }) => values[metric] !== undefined),
  );
  const tags = ['fuzzqe', 'onnx', 'knowledge-graph', 'complex-query-answering', 'link-prediction'];
  return `---
${licence}
library_name: fuzzqe
pipeline_tag: graph-ml
tags:${list([...tags, `${model.logic}-logic`])}
datasets:${list([data.name])}
${used.length === 0 ? '' : `metrics:${list(used)}\n`}${rows.length === 0 ? '' : modelIndex(name, data.name, rows, text)}---
`;
}

function modelIndex(
  name: string,
  dataset: string,
  rows: ReturnType<typeof metricsRows>,
  text: (value: string) => string,
): string {
  const figures = rows.flatMap(({ evaluation, name: row, values }) =>
    Object.entries(values).map(([metric, value]) => {
      const title = `${metricTitles[metric as Metric]}, ${row}${evaluation === '' ? '' : `, ${evaluation}`}`; // of the row's type
      return `    - type: ${text(metric)}\n      name: ${text(title)}\n      value: ${value}\n`;
    }),
  );
  return `model-index:
- name: ${text(name)}
  results:
  - task:
      type: graph-ml
      name: "Complex query answering"
    dataset:
      type: ${text(slug(dataset))}
      name: ${text(dataset)}
    metrics:
${figures.join('')}`;
}

/** Small letters, digits and hyphens, as the Hub has them in names. */
const slug = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9.]+/g, '-')
    .replaceAll(/^-+|-+$/g, '') || 'unknown';
