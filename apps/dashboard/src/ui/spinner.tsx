import { LoaderCircle } from 'lucide-react';

/** A decorative spinner. The component that shows it sets `aria-busy`. */
export function Spinner({ size = 16 }: { size?: number }) {
  return <LoaderCircle aria-hidden="true" size={size} className="animate-spin" />;
}
