import { TriangleAlert } from 'lucide-react';
import { useMemo } from 'react';
import { formatCount } from '../../format/index.js';
import { Button } from '../../ui/index.js';
import { countSms, toGsm7 } from './segments.js';

const MAX_SHOWN_CHARACTERS = 8;

export interface SegmentCounterProps {
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
          <TriangleAlert aria-hidden="true" size={14} className="shrink-0" />
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
