import { LoaderCircle } from 'lucide-react';

/** Decoration: whoever shows it says `aria-busy` itself. */
export function Spinner({ size = 16 }: { size?: number }) {
  return <LoaderCircle aria-hidden="true" size={size} className="animate-spin" />;
}
