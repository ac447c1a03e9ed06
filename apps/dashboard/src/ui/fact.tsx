import type { ReactNode } from 'react';

/** A name and its value in a `<dl>`, whose classes set the columns and the sizes of the text. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </>
  );
}
