import { createLink } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import type { ComponentProps } from 'react';
import { cx, linkClasses } from '../ui/index.js';

/** The link from a page back to the list. */
export const BackLink = createLink(({ children, ...link }: ComponentProps<'a'>) => (
  <a {...link} className={cx(linkClasses, 'hit inline-flex items-center gap-1')}>
    <ArrowLeft size={14} />
    {children}
  </a>
));

let latest: object = {};

/** Remembers the filters of the list that the user sees, for the links back to it. */
export function rememberJobs(search: object): void {
  latest = search;
}

/** The link from a job back to the list, as the user has left it. */
export function BackToJobs() {
  return (
    <BackLink to="/" search={latest}>
      Jobs
    </BackLink>
  );
}
