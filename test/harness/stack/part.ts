import { PlainError } from '@jobline/devstack';

/**
 * The parts of the suite. `fast`: what `npm test` runs, see test/fast.ts; `rest`: every other test except the long forms;
 * `all`: both of them; `long`: the long forms. TEST_PART names it for the configuration of the runner.
 */
export type Part = 'fast' | 'rest' | 'all' | 'long';

/** The long forms. Tests of what they use, in other folders below, are in the rest. */
const LONG = /^test\/long(\/(faults\/)?[^/]*)?$/;

const FILE = /^(test|packages|apps)(\/|$)/;

export function isLong(path: string): boolean {
  return LONG.test(path);
}

/** Options of a command line that name what to run, themselves or by the word after them. */
const NAMING = /^(-t|--testNamePattern|--changed)(=|$)/;

/** The part that a command line asks for, and the arguments that the runner gets. `named`: that of the npm script. */
export function choosePart(argv: readonly string[], named: string | undefined): { part: Part; args: string[] } {
  const args = argv.filter((arg) => arg !== '--rest');
  if (named === 'long') return { part: 'long', args };
  if (args.length < argv.length) return { part: 'rest', args };
  // Named files run whatever part they are in.
  const files = args.filter((arg) => FILE.test(arg));
  if (files.some(isLong)) {
    // Their limits of time are not those of the other files.
    if (!files.every(isLong)) throw new PlainError('Name the long forms (test/long) in a run of their own.');
    return { part: 'long', args };
  }
  const names = args.some((arg) => NAMING.test(arg) || !arg.startsWith('-'));
  return { part: named === 'all' || names ? 'all' : 'fast', args };
}
