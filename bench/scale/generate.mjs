// Writes a graph whose degrees follow power laws as a file of triples, the same for the same numbers.
//
//   node bench/scale/generate.mjs FILE ENTITIES FACTS [RELATIONS = 200]
//
// Every entity is the head of a fact. Further heads have degrees that fall with the square root of their rank, tails with its 3/4th
// power: the commonest of 10 million is the tail of one fact in 56, as classes and countries are in public graphs.
import { closeSync, openSync, writeSync } from 'node:fs';

const [path, ...counts] = process.argv.slice(2);
const [entities, facts, relations = 200] = counts.map(Number);
// A step coprime to the count makes ranks and numbers independent.
let step = Math.floor(entities * 0.6180339887) | 1;
while (greatestCommonDivisor(step, entities) !== 1) step += 2;
const named = (rank) => (rank * step) % entities;
let state = 0x9e3779b9;

const file = openSync(path, 'w');
let block = '';
for (let fact = 0; fact < facts; fact++) {
  const head = fact < entities ? fact : Math.floor(entities * uniform() ** 2);
  const tail = Math.floor(entities * uniform() ** 4);
  const relation = Math.floor(relations * uniform() ** 2);
  block += `Q${named(head)}\tr${relation}\tQ${named(tail)}\n`;
  if (block.length < 1 << 20) continue;
  writeSync(file, block);
  block = '';
}
writeSync(file, block);
closeSync(file);

/** A number in [0, 1): xorshift32, twice for 52 bits would be finer than any graph needs. */
function uniform() {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) / 2 ** 32;
}

function greatestCommonDivisor(a, b) {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
