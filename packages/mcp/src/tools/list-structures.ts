import { schema } from '@fuzzqe/core';
import { formatQuery, structureNames, structures, type Template } from '@fuzzqe/core/query';
import { longestExample, oneLine } from '../names/name-text.ts';
import { exampleQueries } from '../teaching/example-queries.ts';
import { defineTool, type OfferTool } from './tool.ts';

const output = schema.object({
  structures: schema.array(
    schema.object({
      name: schema.oneOf(structureNames),
      form: schema.string,
      negation: schema.boolean,
      trained: schema.boolean,
      example: schema.nullable(schema.string),
    }),
  ),
});

/** Lists the query structures, with an example of each out of the graph. */
export const listStructures: OfferTool = defineTool({
  name: 'list_structures',
  title: 'List query structures',
  description:
    'The 14 query structures that the model is evaluated on, with an example of each that this graph answers. Any other tree of the operators is answered, too; `trained` says which of them the model was trained on.',
  input: {},
  help: {},
  output,
  run({ vocabulary, facts }) {
    const examples = exampleQueries(facts);
    const list = structureNames.map((name) => {
      const { template, negation, trained } = structures[name];
      const query = examples.get(name);
      const example = query === undefined ? null : formatQuery(query, vocabulary);
      return { name, form: formOf(template), negation, trained, example };
    });
    const lines = list.map(
      ({ name, form, example }) =>
        `- ${name}: ${form}${example === null ? '' : `, e.g. ${oneLine(example, longestExample)}`}`,
    );
    return { structured: { structures: list }, text: lines.join('\n') };
  },
});

const anchorNames = ['a', 'b', 'c'];
const relationNames = ['r', 's', 't'];

/** A template in the notation, as docs/query-notation.md writes it. */
function formOf(template: Template): string {
  switch (template.op) {
    case 'entity':
      return anchorNames[template.anchor]!;
    case 'project':
      return `project(${relationNames[template.relation]}, ${formOf(template.from)})`;
    case 'not':
      return `not(${formOf(template.operand)})`;
    default:
      return `${template.op}(${template.operands.map(formOf).join(', ')})`;
  }
}
