import {
  axiomConflicts,
  declaredAxioms,
  describeSchema,
  type EntityKinds,
  entailedFacts,
  findTypeRelations,
  type RelationSchema,
} from '@fuzzqe/evidence';
import { exampleQuery, type NamedGraph } from '../names/example-query.ts';
import { openNamedGraph } from '../names/named-graph.ts';
import { signatureOptions } from '../options/read-key.ts';
import {
  axiomSentence,
  conflictSentence,
  namedAxiom,
  namedConflict,
  relationsOfAxiom,
} from '../schema/format-axioms.ts';
import { count, formatSchema } from '../schema/format-schema.ts';
import { createNamedIds, type NamedIds } from '../schema/named-ids.ts';
import type { NextCommand } from '../terminal/next-command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { nextCommandWithData } from './data/query-files.ts';

/** What `fuzzqe schema` was told. */
export interface SchemaFlags {
  readonly axioms?: boolean;
  readonly limit: number;
  /** A file. */
  readonly requireSignature?: string;
  readonly json?: boolean;
}

/** Does `fuzzqe schema`. */
export async function showSchema(
  terminal: Terminal,
  place: string,
  relationName: string | undefined,
  flags: SchemaFlags,
): Promise<NextCommand> {
  const graph = await openNamedGraph(place, await signatureOptions(flags.requireSignature), terminal.note);
  const relation = relationName === undefined ? undefined : graph.vocabulary.findRelation(relationName);
  const show = flags.axioms ? showAxioms : showRelations;
  show(terminal, graph, relation, flags);
  const example = exampleQuery(graph, relation);
  return graph.isBundle ? ['query', place, example] : nextCommandWithData(place, example);
}

function showRelations(
  terminal: Terminal,
  { vocabulary, facts }: NamedGraph,
  relation: number | undefined,
  { json, limit }: SchemaFlags,
): void {
  const names = createNamedIds(vocabulary);
  const total = relation === undefined ? vocabulary.relationCount / 2 : 1;
  const relations =
    relation === undefined
      ? Array.from({ length: Math.min(total, limit) }, (_, forward) => 2 * forward)
      : [relation];
  const schema = describeSchema(facts, { typeRelations: findTypeRelations(vocabulary), relations });
  if (json) {
    terminal.out(JSON.stringify({ total, relations: schema.map((each) => namedSchema(each, names)) }));
    return;
  }
  const axioms = declaredAxioms(facts, vocabulary);
  schema.forEach((each, i) => {
    if (i > 0) terminal.out('');
    formatSchema(each, names).forEach(terminal.out);
    for (const axiom of axioms)
      if (relationsOfAxiom(axiom).includes(each.relation))
        terminal.out(`  Declared: ${axiomSentence(axiom, names)}.`);
  });
  if (schema.length < total) terminal.note(`The first ${schema.length} of ${total} relations`);
}

/** A schema for JSON, its ids with their names. */
function namedSchema(schema: RelationSchema, names: NamedIds): Readonly<Record<string, unknown>> {
  const { relation, overlaps, domain, range, ...found } = schema;
  const named = ({ kinds, ...rest }: EntityKinds) => ({
    ...rest,
    kinds: kinds.map(({ relation: by, class: instancesOf, ...counts }) => ({
      relation: names.relation(by),
      class: instancesOf === undefined ? null : names.entity(instancesOf),
      ...counts,
    })),
  });
  return {
    ...names.relation(relation),
    ...found,
    overlaps: overlaps.map(({ relation: other, ...rest }) => ({ relation: names.relation(other), ...rest })),
    domain: named(domain),
    range: named(range),
  };
}

function showAxioms(
  terminal: Terminal,
  { vocabulary, facts }: NamedGraph,
  relation: number | undefined,
  { json, limit }: SchemaFlags,
): void {
  const names = createNamedIds(vocabulary);
  const axioms = declaredAxioms(facts, vocabulary);
  const entailed = entailedFacts(facts, axioms);
  const conflicts = axiomConflicts(facts, axioms, entailed);
  const asked = axioms
    .map((axiom, i) => ({ axiom, entails: entailed.countByAxiom[i]! }))
    .filter(({ axiom }) => relation === undefined || relationsOfAxiom(axiom).includes(relation));
  const listed = asked.slice(0, limit);
  if (json) {
    terminal.out(
      JSON.stringify({
        total: asked.length,
        axioms: listed.map(({ axiom, entails }) => ({ ...namedAxiom(axiom, names), entails })),
        entailed: entailed.count,
        truncated: entailed.truncated,
        conflicts: conflicts.map((each) => namedConflict(each, names)),
      }),
    );
    return;
  }
  for (const { axiom, entails } of listed)
    terminal.out(
      `${axiomSentence(axiom, names)}${entails === 0 ? '' : `: ${count(entails, 'fact')} follow${entails === 1 ? 's' : ''}`}.`,
    );
  for (const each of conflicts) terminal.out(conflictSentence(each, names));
  if (listed.length < asked.length) terminal.note(`The first ${listed.length} of ${asked.length} axioms`);
  if (asked.length === 0)
    terminal.note(
      `The graph declares no axioms of RDFS or OWL${relation === undefined ? '' : ' about this relation'}.`,
    );
  else
    terminal.note(
      `${count(axioms.length, 'axiom')}: ${count(entailed.count, 'fact')} follow${entailed.count === 1 ? 's' : ''} that no one recorded.`,
    );
  if (entailed.truncated) terminal.note('More facts follow: these are the first that were found.');
}
