import { type Right, rolesWith } from '@jobline/contracts';
import { Link } from '@tanstack/react-router';
import { Lock } from 'lucide-react';
import { useMe } from '../session/use-session.js';
import { buttonClasses, EmptyState } from '../ui/index.js';
import { Page } from './page.js';

/** Shown instead of a page that needs a right the user does not have. Says who can help. */
export function Forbidden({ right, name }: { right: Right; name: string }) {
  const { user, org } = useMe();
  const helpers = rolesWith(right)
    .map((role) => `${role}s`)
    .join(' and ');
  return (
    <Page title={name}>
      <EmptyState
        icon={<Lock />}
        title={`Only ${helpers} of ${org.name} can see this page.`}
        actions={
          <Link to="/" className={buttonClasses()}>
            Go to the jobs
          </Link>
        }
      >
        Your role is {user.role}. The owner who invited you can change it.
      </EmptyState>
    </Page>
  );
}
