import type { Command } from 'commander';

/** Adds a command whose help ends with an example. */
export function define(parent: Command, name: string, description: string, example: string): Command {
  return parent
    .command(name)
    .description(description)
    .helpCommand(false)
    .addHelpText('after', `\nExample:\n  $ ${example}`);
}
