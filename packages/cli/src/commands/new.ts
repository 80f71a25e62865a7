import type { Command } from 'commander';
import { templateNames, templates } from 'create-fuzzqe/templates';
import type { NewFlags } from '../actions/new-project.ts';
import type { Terminal } from '../terminal/terminal.ts';

const notes = `
Without --data and --bundle the project uses the Countries graph. Without fuzzqe
installed, npm create fuzzqe@latest does the same.`;

/** Adds `fuzzqe new`. */
export function addNewCommand(program: Command, terminal: Terminal): void {
  const command = program.command('new').description('start a project around a graph or a bundle');
  for (const template of templateNames)
    command
      .command(`${template} <folder>`)
      .description(templates[template].description)
      .option('--data <file>', 'copy this file of facts into it: the graph of its model')
      .option(
        '--bundle <folder>',
        `copy this bundle into it${template === 'worker' ? ', exported with --target workers' : ''}`,
      )
      .addHelpText(
        'after',
        `\nExample:\n  fuzzqe new ${template} my-project ${template === 'worker' ? '--bundle bundles/countries-worker' : '--data triples.tsv'}\n${notes}`,
      )
      .action(async (folder: string, flags: NewFlags) => {
        const { newProject } = await import('../actions/new-project.ts');
        await newProject(terminal, template, folder, flags);
      });
}
