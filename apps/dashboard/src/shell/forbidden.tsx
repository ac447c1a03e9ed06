import { type Right, rolesWith } from '@jobline/contracts';
import { Link } from '@tanstack/react-router';
import { Lock } from 'lucide-react';
import { useMe } from '../session/use-session.js';
import { buttonClasses, EmptyState } from '../ui/index.js';
import { Page } from './page.js';

/** A page that the role does not open: says so, and who helps. */
export function Forbidden({ right, name }: { right: Right; name: string }) {
  const { user, org } = useMe();
  const helpers = rolesWith(right)
    .map((role) => `${role}s`)
    .join(' and ');
  return (
    <Page title={name}>
      <EmptyState
        icon={<Lock />}
        title={`Only ${helpers} of ${org.name} see this page.`}
        actions={
          <Link to="/" className={buttonClasses()}>
            Go to the jobs
          </Link>
        }
      >
        You are a {user.role} here. Whoever invited you is an owner and can change that.
      </EmptyState>
    </Page>
  );
}
