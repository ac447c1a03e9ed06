import { NAME_PATTERN } from '@jobline/contracts';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Field, Input } from '../../ui/index.js';

/** Opens the page of a job by its id. That page says if the job does not exist. */
export function OpenById({ className }: { className?: string }) {
  const navigate = useNavigate();
  const [error, setError] = useState<string>();
  return (
    <form
      className={className}
      onSubmit={(event) => {
        event.preventDefault();
        const id = String(new FormData(event.currentTarget).get('id')).trim();
        if (NAME_PATTERN.test(id)) void navigate({ to: '/job/$id', params: { id } });
        else setError(id === '' ? 'Paste an ID first.' : 'This is not a valid job ID.');
      }}
    >
      <Field label="Open by ID" hideLabel error={error}>
        <Input
          name="id"
          mono
          placeholder="Open by ID…"
          autoComplete="off"
          spellCheck={false}
          enterKeyHint="go"
          onChange={() => setError(undefined)}
        />
      </Field>
    </form>
  );
}
