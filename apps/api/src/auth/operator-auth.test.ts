import { AppError } from '@jobline/contracts';
import { describe, expect, it } from 'vitest';
import { createOperators, type Operators } from './operator-auth.js';

const operator = { user: 'ops', password: 'pässword: with a colon' };
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
const right = basic(`${operator.user}:${operator.password}`);

function answerOf(operators: Operators, authorization?: string, address = '192.0.2.1'): string {
  try {
    operators.admit({ authorization }, address);
    return 'admitted';
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
}

describe('the door for operators', () => {
  it('opens to the name and password of the configuration', () => {
    expect(answerOf(createOperators(operator), right)).toBe('admitted');
    expect(answerOf(createOperators(operator), right.replace('Basic', 'basic'))).toBe('admitted');
  });

  it.each([
    ['nothing', undefined],
    ['another password', basic('ops:password')],
    ['another name', basic(`root:${operator.password}`)],
    ['a colon elsewhere', basic(`${operator.user}${operator.password}`)],
    ['no password', basic('ops')],
    ['a token', 'Bearer aaa.bbb.ccc'],
    ['no base64', 'Basic ops:password'],
    ['two credentials', `${right}, ${right}`],
  ])('stays shut to %s', (_, authorization) => {
    expect(answerOf(createOperators(operator), authorization)).toBe('unauthenticated');
  });

  it('is not there when nobody is named', () => {
    expect(createOperators(undefined).areNamed).toBe(false);
    expect(answerOf(createOperators(undefined), right)).toBe('not_found');
  });

  it('refuses further guesses of an address that has made ten, and never the right credentials', () => {
    const operators = createOperators(operator);
    for (let n = 0; n < 50; n++) answerOf(operators); // no guess
    const guesses = Array.from({ length: 10 }, (_, n) => answerOf(operators, basic(`ops:${n}`)));

    expect(new Set(guesses)).toEqual(new Set(['unauthenticated']));
    expect(answerOf(operators, basic('ops:10'))).toBe('rate_limited');
    expect(answerOf(operators, basic('ops:10'), '192.0.2.2')).toBe('unauthenticated');
    expect(answerOf(operators, right)).toBe('admitted');
    expect(answerOf(operators, basic('ops:11'))).toBe('rate_limited');
  });

  it('counts an IPv6 network as one address', () => {
    const operators = createOperators(operator);
    for (let n = 1; n <= 10; n++) answerOf(operators, basic(`ops:${n}`), `2001:db8:1:2::${n}`);

    expect(answerOf(operators, basic('ops:11'), '2001:db8:1:2:3::4')).toBe('rate_limited');
    expect(answerOf(operators, basic('ops:11'), '2001:db8:1:3::1')).toBe('unauthenticated');
  });
});
