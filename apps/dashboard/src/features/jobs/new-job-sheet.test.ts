import { expect, it } from 'vitest';
import { curlOf } from '../../product/curl.js';
import { NEW_SETTINGS } from '../../product/job/job-settings.js';
import { submissionOf } from './new-job-sheet.js';

it('a form becomes a valid submission and a curl command that the shell does not change', () => {
  const values = { type: ' greet ', payload: `{"name": "O'Hara $x"}`, ...NEW_SETTINGS, max_retries: '2' };
  const body = submissionOf({ ...values, run_at: null, expires_at: null });

  expect(body).toEqual({ type: 'greet', payload: { name: "O'Hara $x" }, max_retries: 2 });
  expect(curlOf('http://localhost:3000', body)).toContain(
    `-d '{"type":"greet","payload":{"name":"O'\\''Hara $x"},"max_retries":2}'`,
  );
});
