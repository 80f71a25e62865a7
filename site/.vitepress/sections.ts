/** A page of the documents, by its path in docs/ without `.md`, or a folder of pages. */
export interface Page {
  readonly text: string;
  readonly path: string;
}
/** A part of the documents in the sidebar. */
export interface Section {
  readonly text: string;
  readonly pages: readonly Page[];
}

const page = (path: string, text: string): Page => ({ text, path });

/** The sidebar. A test checks that each page exists and that each document has a place. */
export const sections: readonly Section[] = [
  {
    text: 'Start',
    pages: [
      page('index', 'What FuzzQE does'),
      page('first-question', 'Your first question'),
      page('your-own-graph', 'Your own graph'),
      page('first-python', 'From Python'),
      page('first-page', 'A page that answers by itself'),
    ],
  },
  {
    text: 'Do',
    pages: [
      page('data', 'Import a graph'),
      page('training', 'Train'),
      page('gpu', 'Train on a GPU'),
      page('sweeps', 'Sweeps and ensembles'),
      page('evaluation', 'Evaluate'),
      page('evidence', 'Rules and neighbours'),
      page('export', 'Export, sign and publish'),
      page('serving', 'Run a server'),
      page('monitoring', 'Monitor a server'),
      page('fleets', 'Run several servers'),
      page('edge', 'Workers'),
      page('browser', 'Browsers'),
      page('offline', 'Machines without a network'),
      page('entity-index', 'Millions of entities'),
      page('assistants', 'Assistants (MCP)'),
      page('sparql', 'SPARQL'),
      page('python', 'Python, Spark and Ray'),
      page('scale', 'Plan capacity'),
      page('parity', 'Check parity'),
      page('playground', 'The playground'),
    ],
  },
  {
    text: 'Understand',
    pages: [
      page('how-answers-are-found', 'How answers are found'),
      page('glossary', 'Glossary'),
      page('model', 'The model'),
      page('sampling', 'How queries are sampled'),
      page('training-step', 'A training step'),
      page('architecture', 'Architecture'),
      page('overload', 'Overload'),
    ],
  },
  {
    text: 'Look up',
    pages: [
      page('query-notation', 'Query notation'),
      page('reference/cli', 'Commands'),
      page('reference/settings', 'Settings of the server'),
      page('reference/http', 'HTTP'),
      page('reference/typescript/index', 'TypeScript'),
      page('reference/presets', 'Presets'),
      page('reference/training-configuration', 'Training configuration'),
      page('reference/errors', 'Errors and exit codes'),
      page('bundle-format', 'Bundle format'),
      page('checkpoint-format', 'Checkpoint format'),
      page('notation', 'Notation'),
      page('reliability', 'Promises'),
      page('privacy', 'Privacy'),
      page('licences', 'Licences of dependencies'),
    ],
  },
  { text: 'Results', pages: [page('results', 'Results')] },
];
