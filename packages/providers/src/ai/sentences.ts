/** A piece of a text: from `start` up to `end`. */
export interface Span {
  start: number;
  end: number;
}

/** Characters that the segmenter is given at a time: what it takes grows with their square. */
const WINDOW = 4_000;
/** A sentence that is longer is cut: a transcript without any full stop has passages instead. */
const MAX_LENGTH = 1_000;

/** How a line ends and the next one begins where text was wrapped by hand: no full stop, and letters. */
const WRAPPED = /[\p{L}\p{N},;\p{Pd}\p{Pf}\p{Pe}]\r?$/u;
const WRAPPED_ON = /^[^\S\n]*\p{L}/u;
/** A shorter line is a heading or an item. */
const MIN_WRAPPED_LENGTH = 40;
const SPACE = /\s+/y;
/** What ends Markdown's strong and code spans: a few signs, and not a line of thousands. */
const CLOSING_MARKUP = /[*_~`]{1,16}(?=\s)/y;
const OPENING = /[\p{Ps}\p{Pi}]$/u;
/** Initials, `e.g.` and titles: a name follows, not a sentence. */
const BEFORE_NAME =
  /(?:^|[\s\p{Ps}\p{Pi}])(?:(?:\p{L}\.)*\p{L}|Mr|Mrs|Ms|Dr|Prof|St|Gen|Col|Sgt|Capt|Rev|Hon|Mme|Mlle|Sra|vs)\.$/u;
const BEFORE_NUMBER = /(?:^|[\s\p{Ps}])(?:No|Nos|Nr|Fig|Abb|Vol|Art|pp|ca)\.$/iu;
const LONGEST_ABBREVIATION = 12;

const segmenter = new Intl.Segmenter('und', { granularity: 'sentence' });

/**
 * A text's sentences in order, without the white space around them; everything else of the text is in one of them.
 * Unicode's rules (UAX 29), which know most scripts, with what those leave to others: abbreviations, lines wrapped by
 * hand, and an end for a sentence that has none.
 */
export function* sentencesOf(text: string): Generator<Span> {
  let begun: number | null = null;
  let end = 0;
  for (const piece of pieces(text)) {
    begun ??= piece.start;
    end = piece.end;
    if (goesOn(text, end) && end - begun < MAX_LENGTH) continue;
    yield* passages(text, { start: begun, end });
    begun = null;
  }
  if (begun !== null) yield* passages(text, { start: begun, end });
}

/** What the segmenter takes for sentences. */
function* pieces(text: string): Generator<Span> {
  for (let at = matchAt(SPACE, text, 0); at < text.length; at = matchAt(SPACE, text, at)) {
    const lineEnd = endOfLine(text, at);
    const limit = wholeCharacter(text, Math.min(at + WINDOW, lineEnd));
    // Of the same length, so that places in it are places in the text.
    const window = text.slice(at, limit).replace(/\r?\n/g, (found) => ' '.repeat(found.length));
    const found = [...segmenter.segment(window)];
    // The last one may go on behind the window; if it is the only one, it is too long anyway.
    const isCut = limit < lineEnd;
    const isTooLong = isCut && found.length === 1;
    if (isCut && !isTooLong) found.pop();
    const from = at;
    for (const { index, segment } of found) {
      let end = from + index + segment.length;
      // A quotation that begins is taken for the end of what is before it.
      if (segment.length > 1 && OPENING.test(segment)) end -= 1;
      if (isTooLong) end = cutBefore(text, from, limit);
      end = matchAt(CLOSING_MARKUP, text, end);
      const span = trimmed(text, { start: at, end });
      if (span.end > span.start) yield span;
      at = end;
    }
  }
}

/** Where the match that begins at this place ends; the place itself if there is none. */
function matchAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** The next line break that is not in the middle of a sentence. */
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
function goesOn(text: string, end: number): boolean {
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

/** Behind the last white space of the second half, else behind its last mark, else at the limit. */
function cutBefore(text: string, start: number, limit: number): number {
  const half = wholeCharacter(text, Math.floor((start + limit) / 2));
  const second = text.slice(half, limit);
  const found = /^[\s\S]*\s/.exec(second) ?? /^[\s\S]*\p{P}/u.exec(second);
  return found ? half + found[0].length : wholeCharacter(text, limit);
}

/** That place, or the one before it if it is between the two halves of a character. */
function wholeCharacter(text: string, at: number): number {
  return /^[\udc00-\udfff]/.test(text.charAt(at)) && /^[\ud800-\udbff]/.test(text.charAt(at - 1)) ? at - 1 : at;
}

function trimmed(text: string, { start, end }: Span): Span {
  const piece = text.slice(start, end);
  return { start: start + piece.length - piece.trimStart().length, end: end - (piece.length - piece.trimEnd().length) };
}
