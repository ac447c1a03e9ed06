import type { JobType } from '@jobline/client';
import { useList } from '../../api/use-list.js';

const POLL_EVERY_MS = 10_000;

/** The built-in types and those of live workers. Undefined until they are loaded. */
export function useKnownTypes(): readonly JobType[] | undefined {
  return useList('listJobTypes', undefined, POLL_EVERY_MS).rows;
}

interface TypeHintProps {
  known: readonly JobType[] | undefined;
  names: readonly string[];
  /** What to show while each name is handled. */
  children: React.ReactNode;
}

/** The hint of a field with types. It warns about names that no live worker handles, such as a typing mistake. */
export function TypeHint({ known, names, children }: TypeHintProps) {
  const missing = known ? names.filter((name) => !known.some(({ type, workers }) => type === name && workers > 0)) : [];
  return (
    <span role="status">
      {missing.length === 0 ? (
        children
      ) : (
        <span className="wrap-anywhere text-warning">
          No live worker handles {names.length === 1 ? 'this type' : missing.join(', ')}. Check the spelling, or start a
          worker.
        </span>
      )}
    </span>
  );
}
