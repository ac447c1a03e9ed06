import type { Schemas } from '@jobline/client';
import type { Attempt } from './attempts.js';
import { isOwnFrame } from './attempts.js';

interface AttemptStackProps {
  /** As the API shows them; undefined: not loaded. */
  history: readonly Schemas['Attempt'][] | undefined;
  attempts: readonly Attempt[];
  chosen: number | null;
}

/** Where the code of a handler threw the error of the chosen or the latest failed attempt, if the user may see it. */
export function AttemptStack({ history, attempts, chosen }: AttemptStackProps) {
  const failed = attempts.filter(({ end }) => end === 'failed');
  const number = chosen ?? failed.at(-1)?.number;
  const stack = history?.find(({ attempt }) => attempt === number)?.error?.stack;
  if (stack === undefined) return null;
  return (
    <details className="mb-4 rounded-card border border-line bg-surface px-4 py-3">
      <summary className="cursor-pointer text-body font-medium">Stack of the error of attempt {number}</summary>
      <p className="mt-2 text-meta text-muted">The lines of the handler’s own files are bold.</p>
      <pre className="mt-2 font-mono text-mono wrap-anywhere whitespace-pre-wrap">
        {stack.split('\n').map((line, index) => (
          // The lines of a stack do not change.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <Line key={index} text={line} />
        ))}
      </pre>
    </details>
  );
}

function Line({ text }: { text: string }) {
  if (isOwnFrame(text)) return <strong className="block font-bold">{text}</strong>;
  return <span className="block text-muted">{text}</span>;
}
