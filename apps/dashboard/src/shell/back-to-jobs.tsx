import { Link } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { cx, linkClasses } from '../ui/index.js';

let latest: object = {};

/** Remembers the filters of the list that the user sees, for the links back to it. */
export function rememberJobs(search: object): void {
  latest = search;
}

/** The link from a job back to the list, as the user has left it. */
export function BackToJobs() {
  return (
    <Link to="/" search={latest} className={cx(linkClasses, 'hit inline-flex items-center gap-1')}>
      <ArrowLeft size={14} />
      Jobs
    </Link>
  );
}
