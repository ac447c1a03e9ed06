import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useApi } from '../../services.js';
import { buttonClasses, focusHeading, linkClasses } from '../../ui/index.js';
import { AuthCard } from './auth-card.js';
import { AuthForm } from './auth-form.js';
import { EmailField, emailRequired } from './fields.js';

const route = getRouteApi('/entrance/login');

/** Requests a link to set a new password. The response is the same whether or not the address has an account. */
export function Forgot() {
  const { next } = route.useSearch();
  const api = useApi();
  const [requestedFor, setRequestedFor] = useState<string | null>(null);
  const form = useForm({ defaultValues: { email: '' } });
  useEffect(() => {
    if (requestedFor !== null) focusHeading();
  }, [requestedFor]);
  const back = (
    <Link to="/login" search={next ? { next } : {}} className={requestedFor === null ? linkClasses : buttonClasses()}>
      Back to sign-in
    </Link>
  );
  if (requestedFor !== null) {
    return (
      <AuthCard
        title="Check your email"
        description={
          <p role="status">
            If <span className="font-medium text-text wrap-anywhere">{requestedFor}</span> has an account, we have sent
            it a link to set a new password. The link is valid for one hour.
          </p>
        }
      >
        {back}
      </AuthCard>
    );
  }
  return (
    <AuthCard
      title="Set a new password"
      description="Enter your email address, and we will email you a link."
      below={back}
    >
      <AuthForm
        form={form}
        focus="email"
        action="Send the link"
        onSubmit={async (values) => {
          await api.call('forgotPassword', { body: values });
          setRequestedFor(values.email);
        }}
      >
        <EmailField input={form.register('email', emailRequired)} error={form.formState.errors.email} />
      </AuthForm>
    </AuthCard>
  );
}
