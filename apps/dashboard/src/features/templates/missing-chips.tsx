import { Plus, TriangleAlert } from 'lucide-react';

export interface MissingChipsProps {
  missing: readonly string[];
  /** Adds a key to the data. Undefined while the data is invalid. */
  onAdd: ((name: string) => void) | undefined;
}

/** The variables without a value in the data. */
export function MissingChips({ missing, onAdd }: MissingChipsProps) {
  if (missing.length === 0) return null;
  return (
    <div className="flex flex-wrap items-center gap-2">
      <span className="inline-flex items-center gap-1.5 text-meta font-medium text-warning">
        <TriangleAlert aria-hidden="true" size={14} />
        Missing:
      </span>
      {missing.map((name) => (
        <button
          key={name}
          type="button"
          disabled={!onAdd}
          aria-label={`Add ${name} to the data`}
          onClick={() => onAdd?.(name)}
          className="hit inline-flex h-7 max-w-full items-center gap-1 rounded-full border border-transparent bg-warning-tint px-2.5 font-mono text-meta font-medium text-warning hover:underline disabled:no-underline"
        >
          <Plus aria-hidden="true" size={12} className="shrink-0" />
          <span className="truncate">{name}</span>
        </button>
      ))}
    </div>
  );
}
