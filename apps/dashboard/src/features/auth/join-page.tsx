import { JoblineError, type Schemas } from '@jobline/client';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useForm } from 'react-hook-form';
import { formatMoment } from '../../format/index.js';
import { useApi } from '../../services.js';
import { useSignIn } from '../../session/use-session.js';
import { LoadError } from '../../shell/load-error.js';
import { NewPasswordField } from '../../shell/new-password.js';
import { useLinkToken } from '../../shell/use-link-token.js';
import { buttonClasses, Skeleton } from '../../ui/index.js';
import { AuthCard, AuthForm, inText, required } from './auth-form.js';

const route = getRouteApi('/entrance/join');

/** Why an invite link does not work, by error code. */
const INVALID_LINK: Readonly<Record<string, { title: string; description: string }>> = {
  invite_expired: {
    title: 'This invite has expired',
    description: 'Links are valid for 72 hours. Ask the person who invited you for a new link.',
  },
  invite_consumed: {
    title: 'This invite has been used',
    description: 'A link works only once. If you have used it, sign in.',
  },
  invite_not_found: {
    title: 'Invite not found',
    description: 'The invite was revoked or replaced, or the link was cut off when it was copied. Ask for a new link.',
  },
};

export function JoinPage() {
  const token = useLinkToken(route.useSearch().token);
  const api = useApi();
  const invite = useQuery({
    queryKey: ['invite', token],
    queryFn: () => api.call('checkInvite', { query: { token: token ?? '' } }),
    enabled: token !== undefined,
    retry: false,
  });
  const code = token === undefined ? 'invite_not_found' : invite.error instanceof JoblineError ? invite.error.code : '';
  if (INVALID_LINK[code]) return <InvalidLink {...INVALID_LINK[code]} />;
  if (invite.data && token !== undefined) return <Accept token={token} invite={invite.data} />;
  return (
    <AuthCard title="Join an organization">
      {invite.error ? (
        <LoadError of={invite} className="p-0" />
      ) : (
        <div role="status" aria-label="Checking the invite" className="flex flex-col gap-4">
          <Skeleton className="h-5 w-48" />
          <Skeleton className="h-9" />
        </div>
      )}
    </AuthCard>
  );
}

function InvalidLink({ title, description }: { title: string; description: string }) {
  return (
    <AuthCard title={title} description={<p role="alert">{description}</p>}>
      <Link to="/login" className={buttonClasses()}>
        Go to sign-in
      </Link>
    </AuthCard>
  );
}

function Accept({ token, invite }: { token: string; invite: Schemas['HeldInvite'] }) {
  const api = useApi();
  const signIn = useSignIn();
  const form = useForm({ defaultValues: { password: '' } });
  return (
    <AuthCard
      title={`Join ${invite.org_name}`}
      description={
        <>
          As <span className="font-medium text-text wrap-anywhere">{invite.email}</span>. The invite is valid until{' '}
          {formatMoment(invite.expires_at)}.
        </>
      }
      below={
        <>
          Do you have an account but not its password?{' '}
          <Link to="/login" search={{ forgot: 1 }} className={inText}>
            Get a reset link by email
          </Link>
          , then join.
        </>
      }
    >
      <AuthForm
        form={form}
        focus="password"
        action="Join"
        onSubmit={async ({ password }) => {
          const session = await api.call('acceptInvite', { body: { token, password } });
          signIn(session.token, '/');
        }}
      >
        {/* Associates the password with the account, for password managers. */}
        <input type="hidden" name="username" autoComplete="username" value={invite.email} readOnly />
        <NewPasswordField
          label="Choose a password, or enter your existing account's"
          registration={form.register('password', required('a password'))}
          error={form.formState.errors.password?.message}
          value={form.watch('password')}
        />
      </AuthForm>
    </AuthCard>
  );
}
