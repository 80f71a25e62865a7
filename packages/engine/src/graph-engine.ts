import { graphDigest, type SetsEntry } from '@fuzzqe/bundle';
import { expectOptions, FuzzError, type KnowledgeGraph, type Vocabulary } from '@fuzzqe/core';
import type { LogicName } from '@fuzzqe/core/logic';
import { defaultProjection, type ProjectionSettings } from '@fuzzqe/core/sets';
import { datedAxioms, entailedGraph, featureCount } from '@fuzzqe/evidence';
import { type Attributes, noAttributes, type Provenances, withProvenances } from '@fuzzqe/names';
import { createEngine, type Engine } from './engine.ts';
import { type EntityTexts, textsOf as entityTexts } from './entity-page/entity-texts.ts';
import { changeable } from './fact-changes.ts';
import {
  anObject,
  anything,
  aText,
  atLeast,
  checkForms,
  checkOptions,
  integerIn,
  type OptionForm,
} from './options/option-forms.ts';
import { createGraphRanker } from './ranker/graph-ranker.ts';
import type { GraphEvidence, SetsLimits } from './ranker/sets-context.ts';

/** What answers without a model. */
export interface GraphEngineOptions extends SetsLimits {
  readonly vocabulary: Vocabulary;
  /** Numbers, dates, booleans and texts of entities. Default: none. */
  readonly attributes?: Attributes;
  /** Where facts come from, how sure they are and when they hold. Default: nothing is said. A confidence is the degree of the fact. */
  readonly provenances?: Provenances | undefined;
  /** The recorded facts. */
  readonly facts: KnowledgeGraph;
  /** Weights without a temperature, and rules; what the weights were fitted on and how reliable they are, if that is known. */
  readonly evidence: GraphEvidence & Partial<Pick<SetsEntry, 'fitted' | 'reliability'>>;
  /** Default `product`. */
  readonly logic?: LogicName;
  /** The numbers of (10). Default: the usual ones. */
  readonly projection?: ProjectionSettings;
  /** The name of the model in the API. Default `graph`. */
  readonly name?: string;
  /** SPDX identifier of the licence of the facts. Default `unknown`. */
  readonly licence?: string;
}

const forms: Readonly<Record<keyof GraphEngineOptions, OptionForm>> = {
  vocabulary: anObject,
  attributes: anObject,
  facts: anObject,
  provenances: anything,
  evidence: anObject,
  logic: anything,
  projection: anything,
  name: aText,
  licence: aText,
  batchSize: integerIn(1, 2 ** 16),
  cacheBytes: atLeast(0),
};

const evidenceHint = 'As `fitGraphEvidence` of @fuzzqe/pipeline gives it.';

/**
 * Opens a graph without a model for answering in this thread: mode sets, by rules, schema and similar entities. Mode embedding is refused.
 *
 * @throws FuzzError `usage`: an option, or a vocabulary, weights or rules of another graph.
 * @example
 * const evidence = await fitGraphEvidence({ dataset, seconds: 5 });
 * const engine = await openGraphEngine({ vocabulary: dataset.vocabulary, facts: dataset.graphs().full, evidence });
 */
export async function openGraphEngine(options: GraphEngineOptions): Promise<Engine> {
  expectOptions('openGraphEngine', options, ['vocabulary', 'facts', 'evidence']);
  checkOptions(options, forms);
  const { weights = null, rules = null }: { weights?: unknown; rules?: unknown } = options.evidence;
  checkForms({ weights, rules }, { weights: anObject, rules: anObject }, 'usage', '$.evidence', evidenceHint);
  checkGraph(options);
  const { vocabulary, attributes = noAttributes, provenances, evidence, batchSize, cacheBytes } = options;
  const facts = provenances === undefined ? options.facts : withProvenances(options.facts, provenances);
  const { logic = 'product', projection = defaultProjection, name = 'graph', licence = 'unknown' } = options;
  const { fitted = null, reliability = null } = evidence;
  const entailed = entailedGraph(facts, vocabulary);
  const axioms = datedAxioms(facts, vocabulary);
  const sha256 = await graphDigest(facts);
  const manifest = {
    name,
    sha256,
    model: null,
    data: { name, licence, sha256, edges: facts.edgeCount },
    sets: { projection, fitted, reliability },
    modes: ['sets' as const],
    profiles: {},
    files: {},
  };
  const limits = {
    ...(batchSize === undefined ? {} : { batchSize }),
    ...(cacheBytes === undefined ? {} : { cacheBytes }),
  };
  const ranker = createGraphRanker({ facts, entailed, axioms, evidence, logic, projection }, limits);
  const textsOf = async (id: number, names = vocabulary): Promise<EntityTexts> =>
    entityTexts(names, attributes, id);
  const graph = { manifest, profileName: 'no model', vocabulary, facts, provenances, textsOf };
  return createEngine(changeable({ ...graph, attributes: async () => attributes }), ranker);
}

/** Refuses parts that are not of one graph. */
function checkGraph({ vocabulary, facts, evidence: { weights, rules } }: GraphEngineOptions): void {
  const { entityCount, relationCount } = facts;
  const expect = (path: string, what: string, expected: number | null, got: number | null): void => {
    if (expected === got) return;
    throw new FuzzError('usage', `${path}: expected ${expected} ${what} as in the facts, got ${got}`, {
      path: `$.${path}`,
      hint: 'Give the vocabulary, the facts and the evidence of one graph.',
    });
  };
  expect('vocabulary', 'entities', entityCount, vocabulary.entityCount);
  expect('vocabulary', 'relations with inverses', relationCount, vocabulary.relationCount);
  expect('evidence.rules', 'relations with inverses', relationCount, rules.relationCount);
  expect('evidence.weights', 'weights', relationCount * featureCount, weights.relations.length);
  if (weights.temperature === null) return;
  throw new FuzzError(
    'usage',
    `evidence.weights: expected weights without a temperature, got ${weights.temperature}, which is of a model`,
    { path: '$.evidence.weights', hint: 'Fit them without a model: `fitGraphEvidence` of @fuzzqe/pipeline.' },
  );
}
