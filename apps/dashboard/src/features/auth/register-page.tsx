import { Link } from '@tanstack/react-router';
import { useForm } from 'react-hook-form';
import { useApi } from '../../services.js';
import { useSignIn } from '../../session/use-session.js';
import { NewPasswordField, newPassword } from '../../shell/new-password.js';
import { Field, Input, inTextClasses } from '../../ui/index.js';
import { AuthCard, AuthForm, EmailField, emailRequired, required } from './auth-form.js';

export function RegisterPage() {
  const api = useApi();
  const signIn = useSignIn();
  const form = useForm({ defaultValues: { org_name: '', email: '', password: '' } });
  return (
    <AuthCard
      title="Register an organization"
      description="You become its owner and can invite others."
      below={
        <>
          Already registered?{' '}
          <Link to="/login" className={inTextClasses}>
            Sign in
          </Link>
        </>
      }
    >
      <AuthForm
        form={form}
        focus="org_name"
        action="Register"
        onSubmit={async (values) => {
          const { token } = await api.call('register', { body: values });
          signIn(token, '/');
        }}
      >
        <Field label="Organization" error={form.formState.errors.org_name?.message} required>
          <Input autoComplete="organization" {...form.register('org_name', required("your organization's name"))} />
        </Field>
        <EmailField input={form.register('email', emailRequired)} error={form.formState.errors.email} />
        <NewPasswordField form={form} name="password" rules={newPassword} />
      </AuthForm>
    </AuthCard>
  );
}
