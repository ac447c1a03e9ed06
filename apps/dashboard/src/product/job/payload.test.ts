import { describe, expect, it } from 'vitest';
import { isSampleText, payloadError, SAMPLES, sampleText } from './payload.js';

describe('the payload field', () => {
  it('an invalid payload is reported with line and column, and a payload that is not an object is rejected', () => {
    expect(payloadError('{\n  "a": 1,\n}')).toBe('Invalid JSON: see line 3, column 1.');
    expect(payloadError('{"a":')).toMatch(/^Invalid JSON: /);
    expect(payloadError('[1]')).toBe('Must be a JSON object: { … }.');
    expect(payloadError('null')).toBe('Must be a JSON object: { … }.');
    expect(payloadError('{}')).toBeNull();
  });

  it('a payload counts as an example until the user changes it', () => {
    expect(Object.keys(SAMPLES)).toHaveLength(9);
    expect(isSampleText(sampleText('send_sms'))).toBe(true);
    expect(isSampleText('{"mine": 1}')).toBe(false);
  });
});
