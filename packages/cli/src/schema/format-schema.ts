import type { EntityKinds, Finding, RelationOverlap, RelationSchema } from '@fuzzqe/evidence';
import type { NamedIds } from './named-ids.ts';

/** What a relation's facts show, as plain sentences with counts below the relation's name. */
export function formatSchema(schema: RelationSchema, names: NamedIds): string[] {
  const { label, key } = names.relation(schema.relation);
  const title = key === label ? label : `${label} (${key})`;
  if (schema.facts === 0) return [`${title}: no facts are recorded, so nothing is shown`];
  const { facts, heads, tails } = schema;
  const counts = [count(facts, 'fact'), count(heads, 'head'), count(tails, 'tail')];
  const sentences = [
    loopsSentence(schema.reflexive),
    symmetrySentence(schema.symmetric),
    functionSentence(schema.functional, 'Functional', 'heads', 'one tail'),
    functionSentence(schema.inverseFunctional, 'Inverse functional', 'tails', 'one head'),
    ...schema.overlaps.map((each) => overlapSentence(each, names)),
    kindsSentence('Heads', schema.domain, names),
    kindsSentence('Tails', schema.range, names),
  ];
  return [`${title}: ${counts.join(', ')}`, ...sentences.map((each) => `  ${each}`)];
}

/** `1 fact`, `2 facts`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function loopsSentence(finding: Finding): string {
  const { verdict, hits, of } = finding;
  if (verdict === 'unknown') return 'Self loops: not to be told; no entity is both head and tail.';
  const entities = of === 1 ? 'entity that is' : 'entities that are';
  const words = { always: 'all', mostly: 'most', sometimes: 'some', never: 'none' }[verdict];
  return withDoubt(`Self loops: ${words}; ${hits} of ${of} ${entities} both head and tail.`, finding);
}

function symmetrySentence(finding: Finding): string {
  const { verdict, hits, of } = finding;
  if (verdict === 'unknown') return 'Symmetric: not to be told; every fact is a self loop.';
  return withDoubt(`Symmetric: ${words[verdict]}; ${hits} of ${of} facts also stand reversed.`, finding);
}

function functionSentence(finding: Finding, title: string, ends: string, one: string): string {
  const { verdict, hits, of } = finding;
  if (verdict === 'unknown') return `${title}: not to be told; there are no ${ends}.`;
  return withDoubt(`${title}: ${words[verdict]}; ${hits} of ${of} ${ends} have ${one}.`, finding);
}

const words = { always: 'yes', mostly: 'mostly', sometimes: 'no', never: 'no' } as const;

/** A sentence, which says so where it rests on a handful of cases. */
function withDoubt(sentence: string, { few }: Finding): string {
  return few ? `${sentence} Few cases: it may be chance.` : sentence;
}

function overlapSentence({ relation, hits, of, ofOther, kind }: RelationOverlap, names: NamedIds): string {
  const isReversed = relation % 2 === 1;
  const other = names.relationLabel(relation - (relation % 2));
  const says =
    kind === 'equal'
      ? `${isReversed ? 'Inverse of' : 'Same as'} ${other}`
      : `Part of ${other}${isReversed ? ', reversed' : ''}`;
  const doubt = of < 5 ? ' Few cases: it may be chance.' : '';
  return `${says}; ${hits} of ${of} facts stand there, too, among ${ofOther}.${doubt}`;
}

function kindsSentence(title: string, { by, entities, kinds }: EntityKinds, names: NamedIds): string {
  if (kinds.length === 0) return `${title}: nothing else is recorded of them.`;
  const told = kinds.map(({ relation, class: instancesOf, hits }) => {
    const kind = instancesOf === undefined ? names.relationLabel(relation) : names.entityLabel(instancesOf);
    return `${kind} (${hits} of ${entities})`;
  });
  return `${title} ${by === 'classes' ? 'are' : 'also have'} ${told.join(', ')}.`;
}
