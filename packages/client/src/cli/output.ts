import { styleText } from 'node:util';

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
  /** For people and for logs of scripts. */
  warn(text: string): void;
  error(text: string): void;
}

export function createOutput(
  { env, stdout, stderr }: Pick<NodeJS.Process, 'env' | 'stdout' | 'stderr'>,
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
    warn: (text) => void stderr.write(`${errorStyle.paint('yellow', 'warning:')} ${printable(text)}\n`),
    error: (text) => void stderr.write(`${errorStyle.paint('red', 'error:')} ${printable(text)}\n`),
  };
}

function toJson(value: unknown, indent: number): string {
  return printable(JSON.stringify(value, null, indent));
}

/**
 * A text without the characters that control terminals or the direction of text: a job may contain what a stranger has
 * sent. Their escapes are those of JSON, so a JSON text keeps its meaning.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, (character) =>
    character === '\n' || character === '\t'
      ? character
      : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export type Color = 'red' | 'green' | 'yellow' | 'cyan' | 'dim' | 'bold';

/** How text looks: colors, cut lines and relative times are only for terminals. */
export interface Style {
  isTerminal: boolean;
  /** Characters in a line; null: any number. */
  width: number | null;
  paint(color: Color, text: string): string;
  /** A time of the API. */
  time(iso: string | null | undefined): string;
}

const USUAL_WIDTH = 80;

function createStyle(env: NodeJS.ProcessEnv, stream: NodeJS.WriteStream): Style {
  // Not a terminal: the property is undefined.
  const isTerminal = stream.isTTY === true;
  const isColored = isTerminal && !env.NO_COLOR && env.TERM !== 'dumb';
  return {
    isTerminal,
    width: isTerminal ? stream.columns || USUAL_WIDTH : null,
    paint: (color, text) => (isColored ? styleText(color, text, { validateStream: false }) : text),
    time(iso) {
      if (!iso) return '-';
      return isTerminal ? relativeTime(Date.parse(iso) - Date.now()) : iso;
    },
  };
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** `in 2 h` or `3 d ago`, for a time that is `ms` from now. */
function relativeTime(ms: number): string {
  const unit = UNITS.find(([, size]) => Math.abs(ms) >= size);
  if (!unit) return 'now';
  const length = `${Math.floor(Math.abs(ms) / unit[1])} ${unit[0]}`;
  return ms > 0 ? `in ${length}` : `${length} ago`;
}
