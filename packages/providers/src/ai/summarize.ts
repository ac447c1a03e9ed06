import type { SummaryLength } from '@jobline/handlers/ports';
import { SENTENCES } from './lengths.js';
import { type Span, sentencesOf } from './sentences.js';
import { isStopWord } from './stop-words.js';

/** Two sentences with a higher similarity count as repeats. */
const SAME = 0.6;
/** How far the length of a sentence is compensated. Without it, short sentences would always rank first. */
const SLOPE = 0.5;
/** How much more the first sentence counts than the last. Texts tend to start with their subject. */
const LEAD = 0.5;

/** A single Latin letter. In other scripts, one character can be a word. */
const LETTER = /^\p{Script=Latin}?$/u;

const words = new Intl.Segmenter('und', { granularity: 'word' });

interface Sentence extends Span {
  /** Word → weight. A word weighs more the more often it occurs here and the fewer other sentences contain it. */
  weights: Map<string, number>;
  norm: number;
  score: number;
}

export interface SummaryInput {
  text: string;
  length: SummaryLength;
}

/**
 * Selects sentences of the text: those that are most similar to all others. This is degree centrality in the graph of
 * similarities (Erkan and Radev, "LexRank", JAIR 22, 2004), computed as the similarity to the sum of all sentences, so
 * it takes one pass and not one per pair. Rare words weigh more. Repeats are left out.
 * The language need not be known. The same text gives the same summary, which is never longer than the text. There is
 * no time limit, because its process can be killed.
 */
export function summarizeText({ text, length }: SummaryInput): string {
  const count = typeof length === 'number' ? length : SENTENCES[length];
  const spans = [...sentencesOf(text)];
  if (spans.length <= count) return text.trim();
  return join(text, pick(weigh(text, withoutRepeats(text, spans)), count));
}

function withoutRepeats(text: string, spans: readonly Span[]): Span[] {
  const first = new Map<string, Span>();
  for (const span of spans) {
    const sentence = text.slice(span.start, span.end);
    if (!first.has(sentence)) first.set(sentence, span);
  }
  return [...first.values()];
}

function weigh(text: string, spans: readonly Span[]): Sentence[] {
  const sentences: Sentence[] = [];
  const spread = new Map<string, number>();
  for (const { start, end } of spans) {
    const weights = countWords(text.slice(start, end));
    for (const word of weights.keys()) spread.set(word, (spread.get(word) ?? 0) + 1);
    sentences.push({ start, end, weights, norm: 0, score: 0 });
  }
  const center = new Map<string, number>();
  for (const sentence of sentences) {
    const { weights } = sentence;
    for (const [word, count] of weights) {
      weights.set(word, (1 + Math.log(count)) * Math.log(1 + sentences.length / (spread.get(word) ?? 1)));
    }
    sentence.norm = Math.hypot(...weights.values());
    for (const [word, weight] of weights) center.set(word, (center.get(word) ?? 0) + weight / (sentence.norm || 1));
  }
  const meanNorm = sentences.reduce((sum, { norm }) => sum + norm, 0) / sentences.length || 1;
  for (const [i, sentence] of sentences.entries()) {
    // The similarity of a sentence to itself does not count.
    const similarity = product(sentence.weights, center) - sentence.norm;
    const lead = 1 + LEAD * (1 - i / sentences.length);
    sentence.score = (lead * similarity) / (SLOPE * meanNorm + (1 - SLOPE) * sentence.norm || 1);
  }
  return sentences;
}

/** Word → number of occurrences, without stop words and single letters. */
function countWords(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { segment, isWordLike } of words.segment(text.normalize('NFKC').toLowerCase())) {
    if (!isWordLike) continue;
    // In "moon's" and "l'eau", the part on the other side of the apostrophe is not part of the word.
    for (const word of segment.split(/['’]/)) {
      if (!LETTER.test(word) && !isStopWord(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  return counts;
}

/** The best sentences, in the order of the text. Repeats of a better sentence are used only to reach the number. */
function pick(sentences: readonly Sentence[], count: number): Sentence[] {
  // The sort is stable: of two sentences with the same score, the first in the text wins.
  const best = [...sentences].sort((a, b) => b.score - a.score);
  const picked: Sentence[] = [];
  const repeats: Sentence[] = [];
  for (const sentence of best) {
    if (picked.length === count) break;
    const isRepeat = picked.some((other) => similarity(sentence, other) > SAME);
    (isRepeat ? repeats : picked).push(sentence);
  }
  return [...picked, ...repeats.slice(0, count - picked.length)].sort((a, b) => a.start - b.start);
}

function similarity(a: Sentence, b: Sentence): number {
  const [less, more] = a.weights.size < b.weights.size ? [a, b] : [b, a];
  return product(less.weights, more.weights) / (a.norm * b.norm || 1);
}

function product(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const [word, weight] of a) sum += weight * (b.get(word) ?? 0);
  return sum;
}

/** Joins the sentences. A space is added where the text has white space after the sentence. */
function join(text: string, sentences: readonly Span[]): string {
  return sentences
    .map(({ start, end }, i) => {
      const isLast = i === sentences.length - 1;
      return text.slice(start, end) + (!isLast && /\s/.test(text.charAt(end)) ? ' ' : '');
    })
    .join('');
}
