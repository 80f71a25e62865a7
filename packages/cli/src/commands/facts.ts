import type { Command } from 'commander';
import type { ChangeFlags } from '../actions/facts/change-facts.ts';
import type { LabelFlags } from '../actions/facts/label-entity.ts';
import { parseDate, parseWholeNumber } from '../options/parse-options.ts';
import { doing } from '../terminal/doing.ts';
import type { Terminal } from '../terminal/terminal.ts';

const keyHelp = 'a file with a key that may write; default: the variable FUZZQE_KEY';

const targetHelp = `

The target is a server, or a store as serve --facts takes it. A server takes names and checks them. A store takes keys as they are: a
server with this store refuses to start if its graph lacks one.`;

/** Adds `fuzzqe facts`. */
export function addFactsCommand(program: Command, terminal: Terminal): void {
  const facts = program
    .command('facts')
    .description('change the facts of a server or a store, list the changes, or compact a store');
  for (const [does, description] of [
    ['add', 'add a fact, or the facts of a file'],
    ['remove', 'remove a fact or a rejection, or those of a file or a source'],
    ['reject', 'say that a link, or each link of a file, is no fact: no answer has it'],
  ] as const) {
    const command = facts
      .command(`${does} <target> [names...]`)
      .description(`${description}; queries see the change at once`)
      .option('--from <file>', 'facts of a file: three columns between tabs, or JSON objects, a line each')
      .option(
        '--source <text>',
        does === 'remove'
          ? 'without facts: remove all that this source added or rejected last'
          : 'where the facts are from',
      )
      .option('--key-file <file>', keyHelp)
      .option('--json', 'print the epoch and the counts as JSON')
      .addHelpText(
        'after',
        `\nExamples:\n  fuzzqe facts ${does} http://localhost:8080 France borders Monaco\n  fuzzqe facts ${does} http://localhost:8080 --from more.tsv${targetHelp}`,
      );
    if (does === 'add')
      command
        .option('--valid-from <date>', 'when the facts begin to hold: 2001, 2001-05 or 2001-05-31', parseDate)
        .option('--valid-until <date>', 'when the facts no longer hold', parseDate)
        .option('--create', 'make entities and relations of names that the graph of the server lacks');
    command.action(async (target: string, names: readonly string[], flags: ChangeFlags) => {
      const { changeFacts } = await import('../actions/facts/change-facts.ts');
      await changeFacts(terminal, does, target, names, flags);
    });
  }
  facts
    .command('label <target> <name> [to]')
    .description('change the label of an entity; everything sees the change at once')
    .option('--alias <names...>', 'further names, instead of the further names that the entity has')
    .option('--key-file <file>', keyHelp)
    .option('--json', 'print the epoch as JSON')
    .addHelpText(
      'after',
      `\nExample:\n  fuzzqe facts label http://localhost:8080 France "French Republic" --alias France Frankreich${targetHelp}`,
    )
    .action(async (target: string, entity: string, label: string | undefined, flags: LabelFlags) => {
      const { labelEntity } = await import('../actions/facts/label-entity.ts');
      await labelEntity(terminal, target, { entity, label }, flags);
    });
  facts
    .command('log <target>')
    .description('list the changes since an epoch')
    .option('--since <epoch>', 'changes after this epoch', parseWholeNumber(0), 0)
    .option('--key-file <file>', keyHelp.replace(' that may write', ''))
    .option('--json', 'print each batch as a line of JSON')
    .addHelpText('after', `\nExample:\n  fuzzqe facts log http://localhost:8080 --since 3${targetHelp}`)
    .action(doing(terminal, async () => (await import('../actions/facts/list-changes.ts')).listChanges));
  facts
    .command('compact <store>')
    .description('keep only the last change of each fact and name: a store shrinks, and servers start sooner')
    .addHelpText(
      'after',
      `
Example:
  fuzzqe facts compact facts

A folder must have no server that writes to it. A database may be in use. The times and writers of earlier changes are lost.`,
    )
    .action(doing(terminal, async () => (await import('../actions/facts/compact-facts.ts')).compactFacts));
}
