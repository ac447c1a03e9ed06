import type { Command } from 'commander';

/** Adds a command whose help ends with an example. `usage` has its name and its arguments. */
export function define(parent: Command, usage: string, description: string, example: string): Command {
  return parent.command(usage).description(description).addHelpText('after', `\nExample:\n  $ ${example}`);
}
