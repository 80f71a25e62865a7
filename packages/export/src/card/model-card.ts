import { isCombined, type Manifest, modesOf, operatorNames, type Profile } from '@fuzzqe/bundle';
import { familyOf, type ModelConfig, structuresOf, traitsOf } from '@fuzzqe/model';
import { calibrationSection } from './calibration-section.ts';
import { code, plain, table } from './markdown.ts';
import { metricsSection } from './metrics-section.ts';
import { profilesSection } from './profiles-section.ts';
import { type CardExample, useSection } from './use-section.ts';

/**
 * The model card of a bundle, in Markdown: `README.md`. The same input gives the same text.
 *
 * @example
 * const card = modelCard(manifest, { anchor: 0, relation: 0, text: 'project(borders, France)' });
 */
export function modelCard(manifest: Omit<Manifest, 'sha256'>, example: CardExample): string {
  const { name, data, model, training } = manifest;
  const [profile] = Object.values(manifest.profiles);
  const { golden, tolerances } = profile!;
  return `# ${plain(name)}

${kindOf(model)}: it answers logical queries (∧, ∨, ¬ and paths) on the knowledge graph ${plain(data.name)}, by fuzzy sets
over its ${model.entities} entities, in which recorded facts are certain and the model predicts the other links, or by the
embeddings of ${embeddedBy(model)}. It finds plausible answers that are not recorded as facts as well as recorded ones. ${sourceOf(model)}

## Data and licence

- Graph: ${plain(data.name)}, ${data.edges} directed edges with inverses, SHA-256 ${code(data.sha256)}
${factsLine(manifest)}${originLine(training)}
- Licence of the data, passed on with what was learned from it: ${plain(data.licence)}

## Model

${table([
  ['Setting', 'Value'],
  ['Entities', `${model.entities}`],
  ['Relations with inverses', `${model.relations}`],
  ['Dimension d', `${model.dimension}`],
  familyOf(model).parameters(model).bases === undefined
    ? ['Relations', familyOf(model).name]
    : ['Bases K', `${model.bases}`],
  [isFuzzQE(model) ? 'Logic' : 'Logic of fuzzy sets', code(model.logic)],
  ...(isFuzzQE(model) ? choicesOf(model) : []),
])}

## Answers by fuzzy sets

${calibrationSection(manifest)}

## Metrics

${metricsSection(manifest.metrics)}

## Profiles

${profilesSection(manifest)}

## Use

${useSection(manifest, example)}

## Files

${table([['File', 'Bytes'], ...filesOf(manifest)])}

${graphsLine(profile!, model)}
${code(golden)} holds queries with their answers in float64; a runtime is right when its scores are
within ${tolerances.score.absolute} + ${tolerances.score.relative}·|expected|.

## Limits

- Scores rank entities within one query. They are no probabilities and do not compare between queries. Degrees are of
  fuzzy sets: 1 for what follows from recorded facts, and below for what the model predicts.
- Ids must be checked before a run: runtimes read a negative id from the end of a table without complaint.
- It knows the entities and relations of ${plain(data.name)} and no others, and repeats what is wrong or one-sided in it.
- Errors add up along a query: structures with more steps are answered less well than single projections.

${trainingSection(training)}`;
}

/** Whether a model is of the paper's family, by bases or by blocks. */
function isFuzzQE(model: ModelConfig): boolean {
  const { distances, only } = traitsOf(model);
  return !distances && !only;
}

const kindOf = (model: ModelConfig): string =>
  isFuzzQE(model) ? 'A FuzzQE model' : `A model of the family ${code(model.relationForm)}, in FuzzQE`;

function embeddedBy(model: ModelConfig): string {
  const structures = structuresOf(model);
  return isFuzzQE(model) ? 'queries' : `queries of the structures ${structures.map(code).join(', ')}`;
}

const sourceOf = (model: ModelConfig): string =>
  isFuzzQE(model)
    ? `Source: Chen, Hu and Sun, "Fuzzy Logic Based Logical Query Answering on
Knowledge Graphs" (AAAI 2022).`
    : 'The formulas and the source of the family are in docs/families.md of FuzzQE.';

/** What a FuzzQE model chooses among. */
function choicesOf(model: ModelConfig): readonly (readonly string[])[] {
  return [
    [
      'Negation',
      model.negationLambda === 0 ? code('1 - a') : code(`(1 - a) / (1 + ${model.negationLambda} a)`),
    ],
    ['Mapping g of a projection', code(model.mapping)],
    ['Mapping of entities', code(model.entityMapping)],
    ['Normalisation of entities', code(model.entityNormalisation)],
    // With blocks it is what is left of a vector beyond its mean, which `raw` and `l2` both say.
    ...(traitsOf(model).isCentred && ['raw', 'l2'].includes(model.projectionInput)
      ? []
      : [['Input of a projection', code(model.projectionInput)]]),
    ['Score', code(model.score)],
  ];
}

/** What graphs there are. */
function graphsLine(profile: Profile, model: ModelConfig): string {
  const operators = operatorNames.map(code).join(', ');
  const answers = `${code('rank')} ranks entities by an embedding, ${code('links')} scores the
tails of links, of which ${code('evidence.json')} and ${code('rules.tsv')} make degrees. Graphs take and give int32 ids and float32 numbers.`;
  return isCombined(profile)
    ? `One file whose cases are ${operators}, which compose to the embedding of any query; ${answers}`
    : `One graph for each of ${operators}, which compose to the embedding of any query, and one for each
query structure (${structuresOf(model).map(code).join(', ')}); ${answers}`;
}

/** `training.facts` of a bundle that records more facts than its model was trained on. */
export interface TrainedFacts {
  readonly recorded: number;
  readonly recordedParts: readonly string[];
  readonly trained: number;
  readonly trainedParts: readonly string[];
}

/** Which facts are recorded, so that answers by them are `known`, and whether the model was trained on them. */
function factsLine({ data, training, modes }: Pick<Manifest, 'data' | 'training' | 'modes'>): string {
  if (!modesOf({ modes }).includes('sets'))
    return `- Recorded facts: left out, so that the bundle fits where it runs; it answers by embeddings only, and the model was trained on ${data.edges / 2} facts`;
  // Written by the exporter, from the numbers of the two graphs.
  const facts = training['facts'] as TrainedFacts | undefined;
  if (facts === undefined) return `- Recorded facts: ${data.edges / 2}; the model was trained on all of them`;
  const { recorded, recordedParts, trained, trainedParts } = facts;
  if (trainedParts.length === recordedParts.length)
    return `- Recorded facts: ${recorded} (${plain(recordedParts.join(', '))}); the model was trained once more on all of them, for as many steps as before. Figures are of the model before, which had learned from ${plain(recordedParts[0]!)} alone, where the others were not recorded`;
  return `- Recorded facts: ${recorded} (${plain(recordedParts.join(', '))}); the model was trained on ${trained} of them (${plain(trainedParts.join(', '))}) and has not seen the others, which were not recorded where figures were measured`;
}

/** Which parameters it was trained on from, as `fuzzqe refresh` does. */
function originLine(training: Manifest['training']): string {
  // Written by the exporter, from the state of the run.
  const origin = training['origin'] as { readonly checkpoint: string } | undefined;
  return origin === undefined
    ? ''
    : `\n- Continues the training of an earlier version, whose best parameters have the SHA-256 ${code(origin.checkpoint)}`;
}

function filesOf({ files }: Pick<Manifest, 'files'>): string[][] {
  return Object.entries(files)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, { bytes }]) => [code(path), `${bytes}`]);
}

function trainingSection(training: Manifest['training']): string {
  if (Object.keys(training).length === 0) return '';
  const json = JSON.stringify(training, null, 2);
  return `## Training

\`\`\`json
${json.replaceAll('```', '\\u0060\\u0060\\u0060')}
\`\`\`
`;
}
