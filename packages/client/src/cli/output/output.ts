import type { Io } from '../io.js';
import { printable } from './printable.js';
import { createStyle, type Style } from './style.js';

/** Results go to stdout, everything else goes to stderr. */
export interface Output {
  isJson(): boolean;
  style: Style;
  /** Whether a person reads stderr. */
  isWatched: boolean;
  /** The result: one JSON document with `--json`, otherwise a text. */
  show(value: unknown, toText: (style: Style) => string): void;
  /** One of several results: one line of JSON with `--json`, otherwise a text. */
  showOne(value: unknown, toText: (style: Style) => string): void;
  /** For people who watch the command. */
  note(text: string): void;
  error(text: string): void;
}

export function createOutput(
  { env, stdout, stderr }: Pick<Io, 'env' | 'stdout' | 'stderr'>,
  isJson: () => boolean,
): Output {
  const style = createStyle(env, stdout);
  const errorStyle = createStyle(env, stderr);
  const print = (text: string) => void (text !== '' && stdout.write(`${text}\n`));
  return {
    isJson,
    style,
    isWatched: errorStyle.isTerminal,
    show: (value, toText) => print(isJson() ? toJson(value, style.isTerminal ? 2 : 0) : toText(style)),
    showOne: (value, toText) => print(isJson() ? toJson(value, 0) : toText(style)),
    note: (text) => void (errorStyle.isTerminal && stderr.write(`${printable(text)}\n`)),
    error: (text) => void stderr.write(`${errorStyle.paint('red', 'error:')} ${printable(text)}\n`),
  };
}

function toJson(value: unknown, indent: number): string {
  return printable(JSON.stringify(value, null, indent));
}
