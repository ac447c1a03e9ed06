import { Link } from '@tanstack/react-router';
import { truncateMiddle } from '../../format/index.js';
import { cx, linkClasses } from '../../ui/index.js';

/** A job's id, as a link to its page. A long id is shortened. */
export function JobLink({ id, className }: { id: string; className?: string | undefined }) {
  return (
    <Link to="/job/$id" params={{ id }} title={id} className={cx(linkClasses, 'font-mono text-mono', className)}>
      {truncateMiddle(id)}
    </Link>
  );
}
