/** A part of a text: from `start` (inclusive) to `end` (exclusive). */
export interface Span {
  start: number;
  end: number;
}

/** How many characters the segmenter processes at a time. Its cost grows with the square of this number. */
const WINDOW = 4_000;
/**
 * The maximum length of a sentence. A longer one is split, so a transcript without full stops becomes several passages.
 */
const MAX_LENGTH = 1_000;

/** The end of a line and the start of the next where a text was wrapped by hand: no full stop, and letters. */
const WRAPPED = /[\p{L}\p{N},;\p{Pd}\p{Pf}\p{Pe}]\r?$/u;
const WRAPPED_ON = /^[^\S\n]*\p{L}/u;
/** A line that is shorter is a heading or a list item, not wrapped text. */
const MIN_WRAPPED_LENGTH = 40;
const SPACE = /\s+/y;
/**
 * The closing marks of Markdown's strong and code spans. Bounded, so that a line of thousands of marks is not scanned.
 */
const CLOSING_MARKUP = /[*_~`]{1,16}(?=\s)/y;
const OPENING = /[\p{Ps}\p{Pi}]$/u;
/** Initials, `e.g.` and titles. A name follows them, not a new sentence. */
const BEFORE_NAME =
  /(?:^|[\s\p{Ps}\p{Pi}])(?:(?:\p{L}\.)*\p{L}|Mr|Mrs|Ms|Dr|Prof|St|Gen|Col|Sgt|Capt|Rev|Hon|Mme|Mlle|Sra|vs)\.$/u;
const BEFORE_NUMBER = /(?:^|[\s\p{Ps}])(?:No|Nos|Nr|Fig|Abb|Vol|Art|pp|ca)\.$/iu;
const LONGEST_ABBREVIATION = 12;

const segmenter = new Intl.Segmenter('und', { granularity: 'sentence' });

/**
 * Yields the sentences of a text in order, without the white space around them. All other characters belong to a
 * sentence.
 * It follows the rules of Unicode (UAX 29), which cover most scripts, and adds what those leave out: abbreviations,
 * lines wrapped by hand, and a maximum length.
 */
export function* sentencesOf(text: string): Generator<Span> {
  let start: number | null = null;
  let end = 0;
  for (const piece of pieces(text)) {
    start ??= piece.start;
    end = piece.end;
    if (continuesAfter(text, end) && end - start < MAX_LENGTH) continue;
    yield* passages(text, { start, end });
    start = null;
  }
  if (start !== null) yield* passages(text, { start, end });
}

/** The sentences as the segmenter finds them. */
function* pieces(text: string): Generator<Span> {
  for (let at = matchAt(SPACE, text, 0); at < text.length; at = matchAt(SPACE, text, at)) {
    const lineEnd = endOfLine(text, at);
    const limit = wholeCharacter(text, Math.min(at + WINDOW, lineEnd));
    // The replacement keeps the length, so that positions in the window are positions in the text.
    const window = text.slice(at, limit).replace(/\r?\n/g, (found) => ' '.repeat(found.length));
    const found = [...segmenter.segment(window)];
    // The last sentence may continue after the window. If it is the only one, it is too long anyway.
    const isCut = limit < lineEnd;
    const isTooLong = isCut && found.length === 1;
    if (isCut && !isTooLong) found.pop();
    const from = at;
    for (const { index, segment } of found) {
      let end = from + index + segment.length;
      // The segmenter counts an opening quotation mark as the end of the sentence before it.
      if (segment.length > 1 && OPENING.test(segment)) end -= 1;
      if (isTooLong) end = cutBefore(text, from, limit);
      end = matchAt(CLOSING_MARKUP, text, end);
      const span = trimmed(text, { start: at, end });
      if (span.end > span.start) yield span;
      at = end;
    }
  }
}

/** The end of a match that starts at this position, or the position itself if there is no match. */
function matchAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** The position of the next line break that is not in the middle of a sentence. */
function endOfLine(text: string, from: number): number {
  for (let at = from; ; ) {
    const end = text.indexOf('\n', at);
    if (end === -1) return text.length;
    if (end - from > WINDOW) return end;
    const isWrapped =
      end - text.lastIndexOf('\n', end - 1) > MIN_WRAPPED_LENGTH &&
      WRAPPED.test(text.slice(end - 3, end)) &&
      WRAPPED_ON.test(text.slice(end + 1, end + 1 + MIN_WRAPPED_LENGTH));
    if (!isWrapped) return end;
    at = end + 1;
  }
}

/** Whether the full stop before `end` belongs to an abbreviation. */
function continuesAfter(text: string, end: number): boolean {
  const last = text.slice(Math.max(0, end - LONGEST_ABBREVIATION), end);
  const next = text.slice(end, end + LONGEST_ABBREVIATION);
  if (/^[^\S\n]*\n/.test(next)) return false;
  return BEFORE_NAME.test(last) || (BEFORE_NUMBER.test(last) && /^\s*\p{N}/u.test(next));
}

function* passages(text: string, { start, end }: Span): Generator<Span> {
  let at = start;
  while (end - at > MAX_LENGTH) {
    const next = cutBefore(text, at, at + MAX_LENGTH);
    const passage = trimmed(text, { start: at, end: next });
    if (passage.end > passage.start) yield passage;
    at = next;
  }
  const rest = trimmed(text, { start: at, end });
  if (rest.end > rest.start) yield rest;
}

/**
 * After the last white space of the second half; if there is none, after its last punctuation mark; else at the limit.
 */
function cutBefore(text: string, start: number, limit: number): number {
  const half = wholeCharacter(text, Math.floor((start + limit) / 2));
  const second = text.slice(half, limit);
  const found = /^[\s\S]*\s/.exec(second) ?? /^[\s\S]*\p{P}/u.exec(second);
  return found ? half + found[0].length : wholeCharacter(text, limit);
}

/** The position, or the one before it if it is between the two halves of a surrogate pair. */
function wholeCharacter(text: string, at: number): number {
  return /^[\udc00-\udfff]/.test(text.charAt(at)) && /^[\ud800-\udbff]/.test(text.charAt(at - 1)) ? at - 1 : at;
}

function trimmed(text: string, { start, end }: Span): Span {
  const piece = text.slice(start, end);
  return { start: start + piece.length - piece.trimStart().length, end: end - (piece.length - piece.trimEnd().length) };
}
