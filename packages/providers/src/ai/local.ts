import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Summarizer, SummaryLength } from '@jobline/handlers/ports';
import { defineProvider } from '../define-provider.js';

/** The number of sentences of each named length. */
export const SENTENCES: Readonly<Record<Exclude<SummaryLength, number>, number>> = { short: 3, medium: 6, long: 12 };

const MODEL = 'local-extractive';
/** How many characters are split at a time. A sentence that is longer ends there. */
const WINDOW = 4_000;
/** An initial or a title, with the space after it: a name follows, not a new sentence. */
const BEFORE_NAME = /(?:^|\s)(?:\p{L}|Mr|Mrs|Ms|Dr|Prof|St)\.\s$/u;
const LONGEST_TITLE = 8;
/**
 * The summary ends after this many pieces, whatever they are. Blank lines and initials are pieces too, and a text of 1 MiB
 * could have a million of them, each of which costs about a microsecond.
 */
const MAX_PIECES = 10_000;

const segmenter = new Intl.Segmenter('und', { granularity: 'sentence' });

/** Selects the first sentences of a text, without network and API key. Texts tend to start with what matters most. */
export const local = defineProvider<object, Summarizer>({
  name: 'local',
  create: () => ({
    async summarize({ text, length, signal }) {
      const count = typeof length === 'number' ? length : SENTENCES[length];
      return { summary: text.slice(0, await endOfSentences(text, count, signal)).trim(), model: MODEL };
    },
  }),
});

/** The end of the last of these sentences, or of the text. Other work continues between the windows of a long text. */
async function endOfSentences(text: string, count: number, signal: AbortSignal): Promise<number> {
  let missing = count;
  let pieces = 0;
  for (let at = text.length - text.trimStart().length; at < text.length; await nextTurn()) {
    signal.throwIfAborted();
    for (const piece of piecesAt(text, at)) {
      at += piece.length;
      if (++pieces === MAX_PIECES) return at;
      if (/\S/.test(piece) && !BEFORE_NAME.test(piece.slice(-LONGEST_TITLE))) missing--;
      if (missing === 0) return at;
    }
  }
  return text.length;
}

/** The next sentences by the rules of Unicode (UAX 29), which cover most scripts. At least one character. */
function piecesAt(text: string, at: number): string[] {
  const isCut = at + WINDOW < text.length;
  const window = text.slice(at, at + WINDOW);
  // Half of a character is left for the next window.
  const whole = isCut ? window.replace(/[\ud800-\udbff]$/, '') : window;
  // A line break before a small letter is not the end of a sentence. Spaces of the same length keep the positions.
  const joined = whole.replace(/\r?\n(?=\p{Ll})/gu, (lineBreak) => ' '.repeat(lineBreak.length));
  const pieces = Array.from(segmenter.segment(joined), ({ segment }) => segment);
  // The last sentence may continue after the window.
  return isCut && pieces.length > 1 ? pieces.slice(0, -1) : pieces;
}
