import { Command } from 'commander';
import { addAskCommand } from './commands/ask.ts';
import { addCalibrateCommand } from './commands/calibrate.ts';
import { addDataCommand } from './commands/data.ts';
import { addDemoCommand } from './commands/demo.ts';
import { addDevicesCommand } from './commands/devices.ts';
import { addEnsembleCommand } from './commands/ensemble.ts';
import { addIndexCommand } from './commands/entity-index.ts';
import { addEvaluateCommand } from './commands/evaluate.ts';
import { addExportCommand } from './commands/export.ts';
import { addFactsCommand } from './commands/facts.ts';
import { addImportCommand } from './commands/import.ts';
import { addInstallCudaCommand } from './commands/install-cuda.ts';
import { addKeyCommand } from './commands/key.ts';
import { addLawsCommand } from './commands/laws.ts';
import { addMcpCommand } from './commands/mcp.ts';
import { addNamesCommand } from './commands/names.ts';
import { addNewCommand } from './commands/new.ts';
import { addParityCommand } from './commands/parity.ts';
import { addPlaygroundCommand } from './commands/playground.ts';
import { addQueryCommand } from './commands/query.ts';
import { addRefreshCommand } from './commands/refresh.ts';
import { addReportCommand } from './commands/report.ts';
import { addReproduceCommand } from './commands/reproduce.ts';
import { addRulesCommand } from './commands/rules.ts';
import { addRunCommand } from './commands/run.ts';
import { addSchemaCommand } from './commands/schema.ts';
import { addServeCommand } from './commands/serve.ts';
import { addSignCommand } from './commands/sign.ts';
import { addSweepCommand } from './commands/sweep.ts';
import { addTrainCommand } from './commands/train.ts';
import { followLinks } from './options/follow-links.ts';
import { refuseEmpty } from './options/refuse-empty.ts';
import { commandCodeHelp } from './terminal/command-codes.ts';
import { exitCodeLines } from './terminal/exit-code.ts';
import type { Terminal } from './terminal/terminal.ts';

/** The `fuzzqe` command with all its subcommands; `usage` gets what is said of wrong options. */
export function createCommand(terminal: Terminal, version: string, usage: Terminal = terminal): Command {
  const program = new Command('fuzzqe')
    .description('From a knowledge graph to answered questions: train, export, serve and verify FuzzQE.')
    .version(version)
    .showSuggestionAfterError()
    .showHelpAfterError('(add --help for what it takes)')
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => usage.note(text.trimEnd()),
      getOutHelpWidth: () => terminal.columns,
      getErrHelpWidth: () => terminal.columns,
    })
    .exitOverride()
    .hook('preAction', (_, command) => refuseEmpty(command))
    .hook('preAction', (_, command) => followLinks(command))
    .addHelpText('after', `\nExample:\n  fuzzqe demo\n\nExit codes:\n${exitCodeLines()}`);
  program.commandsGroup('Make a model:');
  addDemoCommand(program, terminal);
  addRunCommand(program, terminal);
  addRefreshCommand(program, terminal);
  addDataCommand(program, terminal);
  addTrainCommand(program, terminal);
  addCalibrateCommand(program, terminal);
  addExportCommand(program, terminal);
  addSweepCommand(program, terminal);
  addEnsembleCommand(program, terminal);
  addImportCommand(program, terminal);
  addSignCommand(program, terminal);
  addNewCommand(program, terminal);
  program.commandsGroup('Ask:');
  addAskCommand(program, terminal);
  addQueryCommand(program, terminal);
  addNamesCommand(program, terminal);
  program.commandsGroup('Serve:');
  addServeCommand(program, terminal);
  addMcpCommand(program, terminal);
  addPlaygroundCommand(program, terminal);
  addFactsCommand(program, terminal);
  addKeyCommand(program, terminal);
  addIndexCommand(program, terminal);
  program.commandsGroup('Inspect:');
  addEvaluateCommand(program, terminal);
  addReproduceCommand(program, terminal);
  addReportCommand(program, terminal);
  addRulesCommand(program, terminal);
  addSchemaCommand(program, terminal);
  addParityCommand(program, terminal);
  addLawsCommand(program, terminal);
  addDevicesCommand(program, terminal);
  addInstallCudaCommand(program, terminal);
  program.helpCommand('help [command]', 'show the help of a command');
  for (const command of leafCommands(program))
    command.addHelpText('after', `\n${commandCodeHelp(fullName(command))}`);
  return program;
}

/** The commands that do something: commands without commands of their own. */
export function leafCommands(command: Command): readonly Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leafCommands);
}

/** The name of a command with the names of its parents, without `fuzzqe`. */
export function fullName(command: Command): string {
  const { parent } = command;
  return parent === null || parent.parent === null ? command.name() : `${fullName(parent)} ${command.name()}`;
}
