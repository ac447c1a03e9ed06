import { JoblineError, type Schemas } from '@jobline/client';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { formatMoment } from '../../format/index.js';
import { useApi } from '../../services.js';
import { useSignIn } from '../../session/use-session.js';
import { LoadError } from '../../shell/load-error.js';
import { NewPasswordField, newPassword } from '../../shell/new-password.js';
import { useLinkToken } from '../../shell/use-link-token.js';
import { buttonClasses, inTextClasses, linkClasses, Skeleton } from '../../ui/index.js';
import { AuthCard, AuthForm, required } from './auth-form.js';

const joinRoute = getRouteApi('/entrance/join');
const resetRoute = getRouteApi('/entrance/reset');

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
  const token = useLinkToken(joinRoute.useSearch().token);
  const api = useApi();
  const invite = useQuery({
    queryKey: ['invite', token],
    queryFn: () => api.call('checkInvite', { query: { token: token ?? '' } }),
    enabled: token !== undefined,
    retry: false,
  });
  const code = token === undefined ? 'invite_not_found' : invite.error instanceof JoblineError ? invite.error.code : '';
  const invalid = INVALID_LINK[code];
  if (invalid) {
    return (
      <AuthCard title={invalid.title} description={<p role="alert">{invalid.description}</p>}>
        <Link to="/login" className={buttonClasses()}>
          Go to sign-in
        </Link>
      </AuthCard>
    );
  }
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
          <Link to="/login" search={{ forgot: 1 }} className={inTextClasses}>
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
          form={form}
          name="password"
          rules={required('a password')}
          label="Choose a password, or enter your existing account's"
        />
      </AuthForm>
    </AuthCard>
  );
}

export function ResetPage() {
  const token = useLinkToken(resetRoute.useSearch().token);
  const api = useApi();
  const signIn = useSignIn();
  const form = useForm({ defaultValues: { password: '' } });
  // True after the password was set for a user who is not in any organization.
  const [isSignedOut, setSignedOut] = useState(false);
  const newLink = (
    <Link to="/login" search={{ forgot: 1 }} className={linkClasses}>
      Request a new link
    </Link>
  );
  if (token === undefined) {
    return (
      <AuthCard title="This link is incomplete" description="It was cut off when it was copied.">
        {newLink}
      </AuthCard>
    );
  }
  if (isSignedOut) {
    return (
      <AuthCard
        title="The password is set"
        description="You are not a member of any organization, so you cannot sign in. Ask for an invite to an organization."
      />
    );
  }
  return (
    <AuthCard
      title="Choose a new password"
      description="You will be signed in here and signed out everywhere else."
      below={newLink}
    >
      <AuthForm
        form={form}
        focus="password"
        action="Set the password"
        onSubmit={async ({ password }) => {
          const session = await api.call('resetPassword', { body: { token, password } });
          if (session) signIn(session.token, '/');
          else setSignedOut(true);
        }}
      >
        <NewPasswordField form={form} name="password" rules={newPassword} label="New password" />
      </AuthForm>
    </AuthCard>
  );
}
