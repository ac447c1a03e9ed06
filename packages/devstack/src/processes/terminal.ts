import { styleText } from 'node:util';

export interface Terminal {
  say(text: string): void;
  /** Printed only with `--verbose`. */
  detail(text: string): void;
  warn(text: string): void;
}

export function createTerminal(isVerbose: boolean): Terminal {
  process.stdout.on('error', () => undefined); // the reader of our output has gone; the work goes on
  const say = (text: string) => void process.stdout.write(`${text}\n`);
  return { say, detail: (text) => isVerbose && say(text), warn: (text) => say(styleText('yellow', text)) };
}
