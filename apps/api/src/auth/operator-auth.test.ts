import { AppError } from '@jobline/contracts';
import { describe, expect, it } from 'vitest';
import { createOperatorAuth, type OperatorAuth } from './operator-auth.js';

const operator = { user: 'ops', password: 'pässword: with a colon' };
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
const right = basic(`${operator.user}:${operator.password}`);

function answerOf(operatorAuth: OperatorAuth, authorization?: string, address = '192.0.2.1'): string {
  try {
    operatorAuth.verify({ authorization }, address);
    return 'accepted';
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
}

describe('the authentication of operators', () => {
  it('accepts the configured name and password', () => {
    expect(answerOf(createOperatorAuth(operator), right)).toBe('accepted');
    expect(answerOf(createOperatorAuth(operator), right.replace('Basic', 'basic'))).toBe('accepted');
  });

  it.each([
    ['no credentials', undefined],
    ['another password', basic('ops:password')],
    ['another name', basic(`root:${operator.password}`)],
    ['a colon elsewhere', basic(`${operator.user}${operator.password}`)],
    ['no password', basic('ops')],
    ['a token', 'Bearer aaa.bbb.ccc'],
    ['no base64', 'Basic ops:password'],
    ['two credentials', `${right}, ${right}`],
  ])('rejects %s', (_, authorization) => {
    expect(answerOf(createOperatorAuth(operator), authorization)).toBe('unauthenticated');
  });

  it('does not exist without a configured operator', () => {
    expect(createOperatorAuth(undefined).isConfigured).toBe(false);
    expect(answerOf(createOperatorAuth(undefined), right)).toBe('not_found');
  });

  it('rejects more guesses of an address after ten, and never rejects the right credentials', () => {
    const operators = createOperatorAuth(operator);
    for (let n = 0; n < 50; n++) answerOf(operators); // not a guess
    const guesses = Array.from({ length: 10 }, (_, n) => answerOf(operators, basic(`ops:${n}`)));

    expect(new Set(guesses)).toEqual(new Set(['unauthenticated']));
    expect(answerOf(operators, basic('ops:10'))).toBe('rate_limited');
    expect(answerOf(operators, basic('ops:10'), '192.0.2.2')).toBe('unauthenticated');
    expect(answerOf(operators, right)).toBe('accepted');
    expect(answerOf(operators, basic('ops:11'))).toBe('rate_limited');
  });

  it('counts an IPv6 network as one address', () => {
    const operators = createOperatorAuth(operator);
    for (let n = 1; n <= 10; n++) answerOf(operators, basic(`ops:${n}`), `2001:db8:1:2::${n}`);

    expect(answerOf(operators, basic('ops:11'), '2001:db8:1:2:3::4')).toBe('rate_limited');
    expect(answerOf(operators, basic('ops:11'), '2001:db8:1:3::1')).toBe('unauthenticated');
  });
});
