import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useApi } from '../../services.js';
import { useSignIn } from '../../session/use-session.js';
import { NewPasswordField, newPassword } from '../../shell/new-password.js';
import { useLinkToken } from '../../shell/use-link-token.js';
import { linkClasses } from '../../ui/index.js';
import { AuthCard, AuthForm } from './auth-form.js';

const route = getRouteApi('/entrance/reset');

export function ResetPage() {
  const token = useLinkToken(route.useSearch().token);
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
