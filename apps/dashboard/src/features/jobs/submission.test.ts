import { describe, expect, it } from 'vitest';
import { curlOf } from './curl.js';
import { isSampleText, SAMPLES, sampleText } from './samples.js';
import { payloadError, submissionOf } from './submission.js';

describe('a payload', () => {
  it('that is no JSON is told with its place, and one that is no object as such', () => {
    expect(payloadError('{\n  "a": 1,\n}')).toBe('Not JSON yet: see line 3, column 1.');
    expect(payloadError('{"a":')).toMatch(/^Not JSON yet: /);
    expect(payloadError('[1]')).toBe('Must be a JSON object: { … }.');
    expect(payloadError('null')).toBe('Must be a JSON object: { … }.');
    expect(payloadError('{}')).toBeNull();
  });

  it('is an example until somebody writes their own', () => {
    expect(Object.keys(SAMPLES)).toHaveLength(9);
    expect(isSampleText(sampleText('send_sms'))).toBe(true);
    expect(isSampleText('{"mine": 1}')).toBe(false);
  });
});

it('a form is sent as the API takes it, and as a command that a shell leaves alone', () => {
  const body = submissionOf({ type: ' greet ', payload: `{"name": "O'Hara $x"}`, max_retries: '2', run_at: null });

  expect(body).toEqual({ type: 'greet', payload: { name: "O'Hara $x" }, max_retries: 2 });
  expect(curlOf('http://localhost:3000', body)).toContain(
    `-d '{"type":"greet","payload":{"name":"O'\\''Hara $x"},"max_retries":2}'`,
  );
});
