import { TriangleAlert } from 'lucide-react';
import { useEffect, useMemo, useRef } from 'react';
import { formatCount } from '../../format/index.js';
import { announce, Button } from '../../ui/index.js';
import { countSms, nameOf, toGsm7 } from './segments.js';

const MAX_NAMED_CHARACTERS = 4;

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
  const announced = useRef(parts);
  useEffect(() => {
    if (announced.current === parts) return;
    announced.current = parts;
    announce(`Carrier: about ${formatCount(parts, 'part')}`);
  }, [parts]);

  const replaceable = unicode.filter(({ replacement }) => replacement !== null);
  const named = unicode.slice(0, MAX_NAMED_CHARACTERS);
  return (
    <div className="flex flex-col gap-2">
      <p className="flex flex-wrap gap-x-3 gap-y-0.5 text-meta text-muted tabular-nums">
        <span>{formatCount(characters, 'character')}</span>
        <span className="font-medium text-text">{formatCount(segments, 'segment')}</span>
        <span>
          carrier: about {formatCount(parts, 'part')} ({encoding})
        </span>
      </p>
      {unicode.length > 0 && (
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1.5 rounded-control bg-warning-tint px-2.5 py-1.5 text-meta text-warning">
          <TriangleAlert aria-hidden="true" size={14} className="shrink-0" />
          <span className="min-w-0">
            {named.map(({ character }, index) => (
              <span key={character}>
                {index > 0 && ', '}
                <span className="font-mono font-semibold">{nameOf(character)}</span>
              </span>
            ))}
            {unicode.length > MAX_NAMED_CHARACTERS && ` and ${unicode.length - MAX_NAMED_CHARACTERS} more`}
            {unicode.length === 1 ? ' switches' : ' switch'} to Unicode.
          </span>
          {onReplace && replaceable.length > 0 && (
            <Button size="small" className="ml-auto" onClick={() => onReplace(toGsm7(text))}>
              {replaceLabel(replaceable)}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

function replaceLabel(replaceable: readonly { replacement: string | null }[]): string {
  const [only, ...others] = replaceable;
  if (!only || others.length > 0) return `Replace ${replaceable.length}`;
  if (only.replacement === '') return 'Remove it';
  return only.replacement === ' ' ? 'Replace with a space' : `Replace with ${only.replacement}`;
}
