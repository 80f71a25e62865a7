import { expect, it } from 'vitest';
import { negotiateType } from '../index.ts';

const offered = [
  { mediaType: 'application/sparql-results+json', aliases: ['application/json'] },
  { mediaType: 'application/sparql-results+xml', aliases: ['application/xml', 'text/xml'] },
  { mediaType: 'text/csv' },
];

it.each<[string, string | undefined, string]>([
  ['no header', undefined, 'none'],
  ['an empty header', '', 'none'],
  ['nothing that is offered', 'text/turtle, image/*', 'none'],
  ['a name', 'text/csv', 'csv'],
  ['a name in other letters', 'Text/CSV', 'csv'],
  ['any', '*/*', 'json'],
  ['any, as some write it', '*', 'json'],
  ['a range of one kind', 'text/*', 'csv'],
  ['the higher weight', 'application/sparql-results+xml;q=0.9, application/sparql-results+json', 'json'],
  ['the higher weight behind', 'application/sparql-results+json;q=0.9, text/csv;q=0.95', 'csv'],
  ['the higher weight of what is named twice', 'text/csv;q=0.9, text/xml;q=0.5, text/csv;q=0.1', 'csv'],
  ['the higher weight, of any', '*/*, text/csv;q=0.5', 'json'],
  ['the higher weight, of a kind', 'application/*;q=0.4, text/*;q=0.5', 'csv'],
  ['a weight in capitals, with blanks', 'application/json ; Q=0.1 , text/csv', 'csv'],
  ['what is excluded', 'text/csv;q=0, */*', 'json'],
  ['what is excluded and would come first', 'application/sparql-results+json;q=0, */*', 'xml'],
  ['a kind that is excluded', 'application/*;q=0, */*;q=0.1', 'csv'],
  ['all excluded', '*/*;q=0', 'none'],
  ['one of an excluded kind', 'application/*;q=0, application/xml;q=0.2, */*;q=0.1', 'xml'],
  ['a name before a range of the same type', 'application/*, application/sparql-results+json;q=0.1', 'xml'],
  ['equal weights in any order', 'text/csv, application/sparql-results+json', 'json'],
  ['equal weights, of which one is named', '*/*, text/csv', 'csv'],
  ['equal weights, of which one is of a kind', '*/*, text/*', 'csv'],
  ['an alias', 'text/html, text/xml;q=0.9, */*;q=0.8', 'xml'],
  ['the type itself before its alias', 'application/sparql-results+json;q=0, application/json', 'none'],
  ['a character set', 'text/csv;charset=utf-8', 'csv'],
  ['a parameter', 'application/json;indent=2;q=0.5, text/csv;q=0.4', 'json'],
  ['a weight that is none', 'text/csv;q=x, text/xml;q=0.5', 'xml'],
  ['a weight above 1', 'text/csv;q=9, text/xml', 'xml'],
])('takes %s: %s', (_, accept, expected) => {
  expect(negotiateType(accept, offered)?.mediaType.replace(/.*[+/]/, '') ?? 'none').toBe(expected);
});
