import { expect, it } from 'vitest';
import { codeSpans, DOCS, tableRows } from '../architecture/markdown.js';
import { type Ended, runPiped } from './cli-process.js';

/** The commands that the page lists, without their arguments. */
const listed = tableRows(DOCS.cli, 'command', 'does')
  .flatMap(([command = '']) => codeSpans(command))
  .map((span) => span.replace(/ [<[-].*$/, ''));

/** What a help has in addition to commands. */
const OTHER_PARTS = /^(?:Usage|Arguments|Options|Global Options|Examples?):/;

const helps = new Map<string, Promise<Ended>>();

function helpOf(path: readonly string[]): Promise<Ended> {
  const help = helps.get(path.join(' ')) ?? runPiped([...path, '--help']);
  helps.set(path.join(' '), help);
  return help;
}

/** The commands below a command that have no others below them. */
async function commandsBelow(path: string[]): Promise<string[]> {
  const { stdout } = await helpOf(path);
  const parts = stdout.split('\n\n').filter((part) => /^[A-Z][\w ]*:\n/.test(part) && !OTHER_PARTS.test(part));
  const names = parts.flatMap((part) => [...part.matchAll(/^ {2}(\S+)/gm)].map(([, name = '']) => name));
  if (names.length === 0) return [path.join(' ')];
  return (await Promise.all(names.map((name) => commandsBelow([...path, name])))).flat();
}

it('the page about the command lists all commands', async () => {
  expect((await commandsBelow([])).sort()).toEqual(listed.sort());
});

it.each(listed)('the help of jobline %s has an example', async (command) => {
  const help = await helpOf(command.split(' '));

  expect(help).toMatchObject({ code: 0, stderr: '' });
  expect(help.stdout).toContain(`Usage: jobline ${command}`);
  expect(help.stdout).toContain(`  $ jobline ${command}`);
});

it('the version is that of the package', async () => {
  expect(await runPiped(['--version'])).toEqual({ code: 0, stdout: '0.1.0\n', stderr: '' });
});

it.each([[[]], [['nothing']], [['schedules']], [['limits', 'nothing']], [['show']], [['show', 'a', 'b']]])(
  'the arguments %j exit with 2 and print nothing to the standard output',
  async (args) => {
    const ended = await runPiped(args);

    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain('--help');
  },
);
