import { TriangleAlert } from 'lucide-react';
import { useEffect, useMemo, useRef } from 'react';
import { formatCount } from '../../format/index.js';
import { announce, Button } from '../../ui/index.js';
import { countSms, nameOf, replaceOffenders } from './segments.js';

const MOST_OFFENDERS = 4;

export interface SegmentCounterProps {
  text: string;
  /** Gets the text with offending characters replaced. Without it nothing is offered. */
  onReplace?: ((text: string) => void) | undefined;
}

/** Two counts, never mixed: segments as the service records them, and what a carrier is likely to make of the text. */
export function SegmentCounter({ text, onReplace }: SegmentCounterProps) {
  const { characters, segments, encoding, parts, offenders } = useMemo(() => countSms(text), [text]);
  const announced = useRef(parts);
  useEffect(() => {
    if (announced.current === parts) return;
    announced.current = parts;
    announce(`Carrier: about ${formatCount(parts, 'part')}`);
  }, [parts]);

  const replaceable = offenders.filter(({ replacement }) => replacement !== null);
  const named = offenders.slice(0, MOST_OFFENDERS);
  return (
    <div className="flex flex-col gap-2">
      <p className="flex flex-wrap gap-x-3 gap-y-0.5 text-meta text-muted tabular-nums">
        <span>{formatCount(characters, 'character')}</span>
        <span className="font-medium text-text">{formatCount(segments, 'segment')}</span>
        <span>
          carrier: about {formatCount(parts, 'part')} ({encoding})
        </span>
      </p>
      {offenders.length > 0 && (
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1.5 rounded-control bg-warning-tint px-2.5 py-1.5 text-meta text-warning">
          <TriangleAlert aria-hidden="true" size={14} className="shrink-0" />
          <span className="min-w-0">
            {named.map(({ character }, index) => (
              <span key={character}>
                {index > 0 && ', '}
                <span className="font-mono font-semibold">{nameOf(character)}</span>
              </span>
            ))}
            {offenders.length > MOST_OFFENDERS && ` and ${offenders.length - MOST_OFFENDERS} more`}
            {offenders.length === 1 ? ' switches' : ' switch'} to Unicode.
          </span>
          {onReplace && replaceable.length > 0 && (
            <Button size="small" className="ml-auto" onClick={() => onReplace(replaceOffenders(text))}>
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
