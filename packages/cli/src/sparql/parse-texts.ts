import { parentPort } from 'node:worker_threads';
import { sentError } from '@fuzzqe/core';
import { parseSyntax } from '@fuzzqe/sparql/syntax';
import type { ParserAsked, ParserReply } from './parser-thread.ts';

// What starts this script listens.
const port = parentPort!;

port.on('message', ({ text, unit }: ParserAsked) => {
  try {
    const reply: ParserReply = { parsed: parseSyntax(text, unit) };
    // To copy what was read may take more stack than there is.
    port.postMessage(reply);
  } catch (error) {
    const reply: ParserReply = { error: sentError(error) };
    port.postMessage(reply);
  }
});
