import { segmentsOf } from '@jobline/contracts';
import { TriangleAlert } from 'lucide-react';
import { useMemo } from 'react';
import { formatCount } from '../format/index.js';
import { Button } from '../ui/index.js';

const MAX_SHOWN_CHARACTERS = 8;

interface SegmentCounterProps {
  text: string;
  /** Receives the text with the Unicode characters replaced. Without it, no replacement is offered. */
  onReplace?: ((text: string) => void) | undefined;
}

/**
 * Shows two separate counts: the segments that the service records, and an estimate of the parts that a carrier sends.
 */
export function SegmentCounter({ text, onReplace }: SegmentCounterProps) {
  const { characters, segments, encoding, parts, unicode } = useMemo(() => countSms(text), [text]);
  return (
    <div className="flex flex-col gap-2">
      <p className="flex flex-wrap gap-x-3 gap-y-0.5 text-meta text-muted tabular-nums">
        <span>{formatCount(characters, 'character')}</span>
        <span className="font-medium text-text">{formatCount(segments, 'segment')}</span>
        <span aria-live="polite">
          carrier: about {formatCount(parts, 'part')} ({encoding})
        </span>
      </p>
      {unicode.length > 0 && (
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1.5 rounded-control bg-warning-tint px-2.5 py-1.5 text-meta text-warning">
          <TriangleAlert size={14} className="shrink-0" />
          <span className="min-w-0 flex-1 basis-48 wrap-anywhere">
            {formatCount(unicode.length, 'character')} {unicode.length === 1 ? 'switches' : 'switch'} to Unicode:{' '}
            <span className="font-mono font-semibold">{unicode.slice(0, MAX_SHOWN_CHARACTERS).join(' ')}</span>
          </span>
          {onReplace && toGsm7(text) !== text && (
            <Button size="small" className="ml-auto" onClick={() => onReplace(toGsm7(text))}>
              Use plain characters
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

/** The basic character set of GSM 03.38. Each character takes one 7-bit unit. */
const GSM7 = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
/** The extension table of GSM 03.38. Each character takes two units: an escape and the character. */
const GSM7_TWO = new Set('^{}[]~\\|€\f');

/** Characters that word processors insert, with their equivalents in GSM-7. */
const REPLACEMENTS: readonly (readonly [RegExp, string])[] = [
  [/[‘’‚‛′`´ʼ]/g, "'"],
  [/[“”„‟″«»]/g, '"'],
  [/[‐‑‒–—―−]/g, '-'],
  [/…/g, '...'],
  [/[\t\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, ' '],
  [/[\u00ad\u200b\u2060\ufeff]/g, ''],
];

export function countSms(text: string) {
  const characters = Array.from(text);
  const unicode = [...new Set(characters)].filter((one) => !GSM7.has(one) && !GSM7_TWO.has(one));
  const isGsm = unicode.length === 0;
  const units = characters.map((one) => (isGsm ? (GSM7_TWO.has(one) ? 2 : 1) : one.length));
  return {
    /** The number of code points. */
    characters: characters.length,
    /** As the service records it. */
    segments: segmentsOf(text),
    /** The encoding and the number of parts that a carrier is likely to use. */
    encoding: isGsm ? 'GSM-7' : 'Unicode',
    parts: isGsm ? partsOf(units, 160, 153) : partsOf(units, 70, 67),
    /** The characters that require Unicode, in the order of their first occurrence. */
    unicode,
  };
}

/** Replaces the characters that have an equivalent in GSM-7. */
export function toGsm7(text: string): string {
  return REPLACEMENTS.reduce((rest, [from, to]) => rest.replace(from, to), text);
}

/**
 * Each of several parts has less capacity because of a header. A character of two units is never split between parts.
 */
function partsOf(units: readonly number[], capacity: number, capacityWithHeader: number): number {
  if (units.reduce((sum, unit) => sum + unit, 0) <= capacity) return 1;
  let parts = 1;
  let used = 0;
  for (const unit of units) {
    if (used + unit > capacityWithHeader) {
      parts += 1;
      used = 0;
    }
    used += unit;
  }
  return parts;
}
