import type { SummaryLength } from '@jobline/handlers/ports';
import { SENTENCES } from './lengths.js';
import { type Span, sentencesOf } from './sentences.js';
import { isStopWord } from './stop-words.js';

/** Sentences that have so much in common say the same. */
const SAME = 0.6;
/** How much of a sentence's length is made up for: short ones would otherwise always come first. */
const SLOPE = 0.5;
/** How much more the first sentence counts than the last: texts tend to begin with what they are about. */
const LEAD = 0.5;

/** A single one; in other scripts that may be a word. */
const LETTER = /^\p{Script=Latin}?$/u;

const words = new Intl.Segmenter('und', { granularity: 'word' });

interface Sentence extends Span {
  /** Word → its weight, which is the greater the oftener it is here and the fewer other sentences have it. */
  weights: Map<string, number>;
  norm: number;
  score: number;
}

export interface SummaryInput {
  text: string;
  length: SummaryLength;
}

/**
 * Picks a text's own sentences, those most like all the others: degree centrality in the graph of similarities (Erkan
 * and Radev, "LexRank", JAIR 22, 2004), which is the similarity to the sum of all and so takes one pass, not one per
 * pair. The rarer a word, the more it weighs. Says nothing twice. It does not need to know the language; the same text
 * gives the same summary, which is never longer than the text. It has no limit of time: its process can be killed.
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
  const centre = new Map<string, number>();
  for (const sentence of sentences) {
    const { weights } = sentence;
    for (const [word, count] of weights) {
      weights.set(word, (1 + Math.log(count)) * Math.log(1 + sentences.length / (spread.get(word) ?? 1)));
    }
    sentence.norm = Math.hypot(...weights.values());
    for (const [word, weight] of weights) centre.set(word, (centre.get(word) ?? 0) + weight / (sentence.norm || 1));
  }
  const meanNorm = sentences.reduce((sum, { norm }) => sum + norm, 0) / sentences.length || 1;
  for (const [i, sentence] of sentences.entries()) {
    // Its likeness to itself does not count.
    const likeness = product(sentence.weights, centre) - sentence.norm;
    const lead = 1 + LEAD * (1 - i / sentences.length);
    sentence.score = (lead * likeness) / (SLOPE * meanNorm + (1 - SLOPE) * sentence.norm || 1);
  }
  return sentences;
}

/** Word → how often it is there, of those that say something. */
function countWords(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { segment, isWordLike } of words.segment(text.normalize('NFKC').toLowerCase())) {
    if (!isWordLike) continue;
    // The moon's, l'eau: what is on the other side of the apostrophe is no part of the word.
    for (const word of segment.split(/['’]/)) {
      if (!LETTER.test(word) && !isStopWord(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  return counts;
}

/** The best, in the order of the text. Of those that say nearly the same the best, and the others to make up the number. */
function pick(sentences: readonly Sentence[], count: number): Sentence[] {
  // The sort is stable: of equals the first comes first.
  const best = [...sentences].sort((a, b) => b.score - a.score);
  const picked: Sentence[] = [];
  const repeats: Sentence[] = [];
  for (const sentence of best) {
    if (picked.length === count) break;
    const isRepeat = picked.some((other) => likeness(sentence, other) > SAME);
    (isRepeat ? repeats : picked).push(sentence);
  }
  return [...picked, ...repeats.slice(0, count - picked.length)].sort((a, b) => a.start - b.start);
}

function likeness(a: Sentence, b: Sentence): number {
  const [less, more] = a.weights.size < b.weights.size ? [a, b] : [b, a];
  return product(less.weights, more.weights) / (a.norm * b.norm || 1);
}

function product(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const [word, weight] of a) sum += weight * (b.get(word) ?? 0);
  return sum;
}

/** As the text has it, with a space between two sentences where it has white space after the first. */
function join(text: string, sentences: readonly Span[]): string {
  return sentences
    .map(({ start, end }, i) => {
      const isLast = i === sentences.length - 1;
      return text.slice(start, end) + (!isLast && /\s/.test(text.charAt(end)) ? ' ' : '');
    })
    .join('');
}
