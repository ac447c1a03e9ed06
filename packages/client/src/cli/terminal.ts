import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { SingleBar } from 'cli-progress';
import type { App } from './app.js';
import { UsageError } from './exit-codes.js';

export type Progress = Pick<SingleBar, 'update' | 'stop'>;

/** Shown on terminals only. Without a `total` it is a counter. `more`: what follows it, with `{text}` for a text that an update sets. */
export function startProgress({ io, out }: App, label: string, total: number | null, more = ''): Progress {
  if (!out.isWatched) return { update: () => undefined, stop: () => undefined };
  const format = total === null ? `${label} {value}${more}` : `${label} [{bar}] {value}/{total}${more}`;
  const look = { barCompleteChar: '=', barIncompleteChar: ' ', barsize: 30 };
  // Otherwise lines would not wrap any more on a terminal on which Ctrl-C ended the command.
  const bar = new SingleBar({ ...look, format, stream: io.stderr, linewrap: true });
  bar.start(total ?? 0, 0, { text: '' });
  return bar;
}

/** Asks on a terminal. Elsewhere each answer is a line of the input. */
export interface Questions {
  ask(question: string): Promise<string>;
  /** The terminal does not show the answer. */
  askSecret(question: string): Promise<string>;
  close(): void;
}

export function openQuestions({ stdin, stderr }: Pick<NodeJS.Process, 'stdin' | 'stderr'>): Questions {
  let isHidden = false;
  const output = new Writable({
    write(chunk, _encoding, done) {
      if (!isHidden) stderr.write(chunk);
      done();
    },
  });
  const isTerminal = stdin.isTTY === true;
  const lines = createInterface({ input: stdin, output, terminal: isTerminal });
  // In this mode the terminal sends Ctrl-C as a character.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const answers = lines[Symbol.asyncIterator]();

  async function ask(question: string, isSecret: boolean): Promise<string> {
    if (isTerminal) {
      lines.setPrompt(question);
      lines.prompt();
    }
    isHidden = isSecret;
    const { done, value } = await answers.next();
    isHidden = false;
    if (isTerminal && isSecret) stderr.write('\n');
    if (done) throw new UsageError(`There is no answer to "${question.trim()}"`);
    return isSecret ? value : value.trim();
  }

  return {
    ask: (question) => ask(question, false),
    askSecret: (question) => ask(question, true),
    close: () => lines.close(),
  };
}
