import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useForm } from 'react-hook-form';
import { take } from '../../api/api-client.js';
import { useApi } from '../../services.js';
import { useEnter } from '../../session/use-enter.js';
import { linkLooks } from '../../ui/index.js';
import { AuthCard } from './auth-card.js';
import { AuthForm } from './auth-form.js';
import { NewPasswordField, newPassword } from './fields.js';

const route = getRouteApi('/entrance/reset');

export function ResetPage() {
  const { token } = route.useSearch();
  const api = useApi();
  const enter = useEnter();
  const form = useForm({ defaultValues: { password: '' } });
  useEffect(() => {
    if (token !== undefined) form.setFocus('password');
  }, [form, token]);
  const another = (
    <Link to="/login" search={{ forgot: 1 }} className={linkLooks}>
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
          const session = await take(api.POST('/auth/reset', { body: { token, password } }));
          enter(session.token, '/');
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
