import { styleText } from 'node:util';
import { relativeTime } from './relative-time.js';

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

export function createStyle(env: NodeJS.ProcessEnv, stream: NodeJS.WriteStream): Style {
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
