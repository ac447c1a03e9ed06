import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useApi } from '../../services.js';
import { useSignIn } from '../../session/use-sign-in.js';
import { NewPasswordField, newPassword } from '../../shell/new-password.js';
import { focusHeading, linkClasses } from '../../ui/index.js';
import { AuthCard } from './auth-card.js';
import { AuthForm } from './auth-form.js';
import { useLinkToken } from './link-token.js';

const route = getRouteApi('/entrance/reset');

export function ResetPage() {
  const token = useLinkToken(route.useSearch().token);
  const api = useApi();
  const signIn = useSignIn();
  const form = useForm({ defaultValues: { password: '' } });
  useEffect(() => {
    if (token !== undefined) form.setFocus('password');
  }, [form, token]);
  // Of somebody who is in no organization any more.
  const [isSignedOut, setSignedOut] = useState(false);
  useEffect(() => {
    if (isSignedOut) focusHeading();
  }, [isSignedOut]);
  const another = (
    <Link to="/login" search={{ forgot: 1 }} className={linkClasses}>
      Ask for another link
    </Link>
  );
  if (token === undefined) {
    return (
      <AuthCard title="This link is not whole" description="It was cut off when it was copied.">
        {another}
      </AuthCard>
    );
  }
  if (isSignedOut) {
    return (
      <AuthCard
        title="The password is set"
        description="You are in no organization now, so there is nothing to sign in to. An invite gets you into one."
      />
    );
  }
  return (
    <AuthCard
      title="Choose a new password"
      description="You are signed in with it, and signed out everywhere else."
      below={another}
    >
      <AuthForm
        form={form}
        action="Set the password"
        onSubmit={async ({ password }) => {
          const { data: session } = await api.POST('/auth/reset', { body: { token, password } });
          if (session) signIn(session.token, '/');
          else setSignedOut(true);
        }}
      >
        <NewPasswordField
          label="New password"
          registration={form.register('password', newPassword)}
          error={form.formState.errors.password?.message}
          value={form.watch('password')}
        />
      </AuthForm>
    </AuthCard>
  );
}
