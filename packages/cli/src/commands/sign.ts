import type { Command } from 'commander';
import { doing } from '../terminal/doing.ts';
import type { Terminal } from '../terminal/terminal.ts';

const examples = `
The signature covers manifest.json, which has the digest of every file. Make
keys with openssl, and keep the private key off the server:

  openssl genpkey -algorithm ed25519 -out key.pem
  openssl pkey -in key.pem -pubout -out public.pem

Example:
  fuzzqe sign bundles/countries --key key.pem
  fuzzqe serve bundles/countries --require-signature public.pem`;

/** Adds `fuzzqe sign`. */
export function addSignCommand(program: Command, terminal: Terminal): void {
  program
    .command('sign <bundle>')
    .description('sign a bundle; holders of the public key can verify its author')
    .requiredOption('--key <file>', 'an Ed25519 private key, PEM without a passphrase')
    .addHelpText('after', examples)
    .action(doing(terminal, async () => (await import('../actions/sign.ts')).signAt));
}
