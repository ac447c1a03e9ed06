import { expect, it } from 'vitest';
import { curlOf } from '../../product/curl.js';
import { submissionOf } from './new-job-sheet.js';

it('a form becomes a valid submission and a curl command that the shell does not change', () => {
  const empty = {
    run_at: null,
    expires_at: null,
    tags: '',
    key: ' ',
    limit: '',
    priority: '',
    callback_url: '',
    id: '',
  };
  const typed = { type: ' greet ', payload: `{"name": "O'Hara $x"}`, max_retries: '2' };
  const body = submissionOf({ ...typed, ...empty });

  expect(body).toEqual({ type: 'greet', payload: { name: "O'Hara $x" }, max_retries: 2 });
  expect(submissionOf({ ...typed, ...empty, tags: 'a, b', priority: '3', limit: ' slow ' })).toEqual({
    ...body,
    tags: ['a', 'b'],
    priority: 3,
    limit: 'slow',
  });
  expect(curlOf('http://localhost:3000', body)).toContain(
    `-d '{"type":"greet","payload":{"name":"O'\\''Hara $x"},"max_retries":2}'`,
  );
});
