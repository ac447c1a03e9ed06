import { Link } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { cx, linkClasses } from '../../ui/index.js';

export const BACK = (
  <Link to="/" className={cx(linkClasses, 'hit inline-flex items-center gap-1')}>
    <ArrowLeft aria-hidden="true" size={14} />
    Jobs
  </Link>
);
