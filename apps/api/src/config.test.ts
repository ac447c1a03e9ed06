import { ConfigError, readConfig } from '@jobline/runtime';
import { describe, expect, it } from 'vitest';
import { configSchema } from './config.js';

const addresses = { DATABASE_URL: 'postgresql://u@h/d', REDIS_URL: 'redis://h:1' };
const required = { ...addresses, NODE_ENV: 'development' };
const production = {
  ...addresses,
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://jobs.example.com',
  JWT_SECRET: 'p0Zt8mX2vLqWcRy6kB1nHs4dGu7eJf9a',
};
const read = (env: Record<string, string>) => readConfig(configSchema, env);

function faultsOf(env: Record<string, string>): string[] {
  try {
    read(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.issues.map((problem) => problem.split(' ')[0] ?? '');
    throw error;
  }
}

describe('the environment of the API', () => {
  it('requires two addresses in development; every other setting has a default', () => {
    expect(read(required)).toMatchObject({
      PORT: 3000,
      HOST: '0.0.0.0',
      PUBLIC_URL: 'http://localhost:3000',
      JWT_TTL: 12 * 3_600_000,
      BCRYPT_COST: 12,
      REGISTRATION: 'open',
      TRUST_PROXY: false,
      CORS_ORIGINS: [],
      MAX_BODY_BYTES: 1_048_576,
      MAX_FILE_BYTES: 26_214_400,
      RATE_LIMIT_SUBMIT_PER_S: 5_000,
      RATE_LIMIT_SUBMIT_BYTES_PER_S: 33_554_432,
      RATE_LIMIT_SEND_PER_MIN: 600,
      RATE_LIMIT_CONTROL_PER_MIN: 3_000,
      RATE_LIMIT_READ_PER_MIN: 12_000,
      RATE_LIMIT_LOGIN_PER_MIN: 20,
      SENDER_IDS: 'open',
      RATE_LIMIT_CREDENTIALS_PER_MIN: 300,
      MAX_STORED_BYTES_PER_ORG: 53_687_091_200,
      RETENTION_DAYS: 30,
      DNS_SERVERS: [],
      LOG_LEVEL: 'info',
    });
    expect(read({ ...required, PORT: '8080' }).PUBLIC_URL).toBe('http://localhost:8080');
    expect(read({ ...required, JWT_SECRET: '', PORT: '' }).PORT).toBe(3000);
  });

  it('requires the public address with Twilio, which calls it', () => {
    const twilio = {
      ...required,
      SMS_PROVIDER: 'twilio',
      SMS_ACCOUNT_SID: 'AC1',
      SMS_USERNAME: 'SK1',
      SMS_API_KEY: 'k',
    };

    expect(faultsOf(twilio)).toEqual(['PUBLIC_URL']);
    expect(read({ ...twilio, PUBLIC_URL: 'https://jobs.example.com/base/' })).toMatchObject({
      PUBLIC_URL: 'https://jobs.example.com/base',
      SMS_BASE_URL: 'https://api.twilio.com',
    });
  });

  it('is rejected with every issue at once, and the errors contain no values', () => {
    const env = {
      DATABASE_URL: 'mysql://u:hush@h/d',
      PORT: '99999',
      HOST: 'a b',
      PUBLIC_URL: 'ftp://x',
      JWT_SECRET: 'too short',
      JWT_TTL: '12',
      BCRYPT_COST: '3',
      REGISTRATION: 'maybe',
      SENDER_IDS: 'some',
      ALLOWED_TYPES: 'webhook,no type',
      EMAIL_SYSTEM_FROM: 'not an address',
      TRUST_PROXY: '10.0.0.0/33',
      CORS_ORIGINS: '*',
      MAX_BODY_BYTES: '-1',
      RATE_LIMIT_SUBMIT_PER_S: '0',
      RATE_LIMIT_SEND_PER_MIN: 'off',
      RATE_LIMIT_LOGIN_PER_MIN: '1.5',
      RETENTION_DAYS: '0',
      DNS_SERVERS: '127.0.0.1,dns.example.com',
      LOG_LEVEL: 'loud',
    };
    expect(faultsOf(env).sort()).toEqual([...Object.keys(env), 'REDIS_URL'].sort());
    expect(() => read(env)).not.toThrow(/hush|too short/);
  });

  it('accepts a removed setting only with the value that changes nothing', () => {
    expect(read({ ...required, QUEUE_SHARDS: '1' })).not.toHaveProperty('QUEUE_SHARDS');
    expect(faultsOf({ ...required, QUEUE_SHARDS: '4' })).toEqual(['QUEUE_SHARDS']);
  });

  it('accepts one Redis or the nodes of a cluster', () => {
    expect(faultsOf({ ...required, REDIS_URL: 'rediss://:hush@a:1,b:2,c:3' })).toEqual([]);
    expect(faultsOf({ ...required, REDIS_URL: 'redis://a:1/1,b:2' })).toEqual(['REDIS_URL']);
  });

  it.each(['https://x.example/?a=b', 'https://x.example/?a=b#c/', 'https://x.example/#', '//x.example', 'x.example'])(
    'rejects %s as the base of links',
    (url) => {
      expect(faultsOf({ ...required, PUBLIC_URL: url })).toEqual(['PUBLIC_URL']);
    },
  );

  it.each([undefined, '', 'production', 'prod', 'staging', 'Development'])(
    'has the rules of production if NODE_ENV is %s',
    (NODE_ENV) => {
      const { NODE_ENV: _, ...others } = production;
      const env = { ...others, ...(NODE_ENV !== undefined && { NODE_ENV }) };

      expect(read(env).REGISTRATION).toBe('first');
      expect(faultsOf({ ...env, JWT_SECRET: '', BCRYPT_COST: '11' }).sort()).toEqual(['BCRYPT_COST', 'JWT_SECRET']);
      expect(faultsOf({ ...env, OPERATOR_USER: 'ops', OPERATOR_PASSWORD: 'a' })).toEqual(['OPERATOR_PASSWORD']);
      expect(faultsOf({ ...env, SMS_WEBHOOK_SECRET: '1' })).toEqual(['SMS_WEBHOOK_SECRET']);
    },
  );

  it('has stricter rules in production', () => {
    expect(read({ ...production, PUBLIC_URL: 'https://jobs.example.com/base/' })).toMatchObject({
      REGISTRATION: 'first',
      PUBLIC_URL: 'https://jobs.example.com/base',
    });
    expect(faultsOf({ ...required, NODE_ENV: 'production', BCRYPT_COST: '11' }).sort()).toEqual([
      'BCRYPT_COST',
      'JWT_SECRET',
      'PUBLIC_URL',
    ]);
  });

  it('accepts an operator with name and password or none, and requires a password of 12 characters in production', () => {
    const weak = { OPERATOR_USER: 'ops', OPERATOR_PASSWORD: 'ops' };

    expect(read({ ...required, ...weak })).toMatchObject(weak);
    expect(faultsOf({ ...required, OPERATOR_USER: 'ops' })).toEqual(['OPERATOR_PASSWORD']);
    expect(faultsOf({ ...required, OPERATOR_PASSWORD: 'ops' })).toEqual(['OPERATOR_USER']);
    expect(faultsOf({ ...required, ...weak, OPERATOR_USER: 'o:ps' })).toEqual(['OPERATOR_USER']);
    expect(faultsOf({ ...production, ...weak })).toEqual(['OPERATOR_PASSWORD']);
    expect(faultsOf({ ...production, ...weak, OPERATOR_PASSWORD: 'correct horse' })).toEqual([]);
  });

  it('rejects secrets in production that are short, placeholders or too regular', () => {
    for (const [name, secret] of [
      ['JWT_SECRET', 's'.repeat(32)],
      ['JWT_SECRET', 'changeme-changeme-changeme-changeme'],
      ['OPERATOR_PASSWORD', 'password1234'],
      ['SMS_WEBHOOK_SECRET', 'short'],
      ['SMS_WEBHOOK_SECRET_PREVIOUS', 'short'],
      ['PAYMENTS_WEBHOOK_SECRET', '1234567812345678'],
      ['PAYMENTS_WEBHOOK_SECRET_PREVIOUS', '1234567812345678'],
    ] as const) {
      const env = { ...production, ...(name === 'OPERATOR_PASSWORD' && { OPERATOR_USER: 'ops' }), [name]: secret };
      expect(faultsOf(env), secret).toEqual([name]);
      expect(() => read(env)).toThrow(expect.objectContaining({ message: expect.not.stringContaining(secret) }));
      if (secret.length >= 32 || name !== 'JWT_SECRET') expect(faultsOf({ ...env, NODE_ENV: 'test' })).toEqual([]);
    }
  });

  it.each([
    ['https://app.example.com', ['https://app.example.com']],
    ['https://a.example.com, http://localhost:5173', ['https://a.example.com', 'http://localhost:5173']],
    ['*', null],
    ['https://*.example.com', null],
    ['https://app.example.com/', null],
    ['https://APP.example.com', null],
    ['https://app.example.com:443', null],
    ['app.example.com', null],
    ['null', null],
    ['https://a.example.com,', null],
  ])('CORS_ORIGINS %s', (text, origins) => {
    const env = { ...required, CORS_ORIGINS: text };

    if (origins) expect(read(env).CORS_ORIGINS).toEqual(origins);
    else expect(faultsOf(env)).toEqual(['CORS_ORIGINS']);
  });

  it.each([
    ['off', false],
    ['2', 2],
    ['true', 1],
    ['10.0.0.0/8, loopback,::1', ['10.0.0.0/8', 'loopback', '::1']],
  ])('TRUST_PROXY %s', (text, trusted) => {
    expect(read({ ...required, TRUST_PROXY: text }).TRUST_PROXY).toEqual(trusted);
  });

  it.each([
    ['192.0.2.1', ['192.0.2.1']],
    ['127.0.0.1:5353, ::1,[2001:db8::1]:53', ['127.0.0.1:5353', '::1', '[2001:db8::1]:53']],
    ['192.0.2.1:0', null],
    ['192.0.2.1:65536', null],
    ['192.0.2.1:', null],
    ['[192.0.2.1]:53', null],
    ['192.0.2.1,', null],
  ])('DNS_SERVERS %s', (text, servers) => {
    const env = { ...required, DNS_SERVERS: text };

    if (servers) expect(read(env).DNS_SERVERS).toEqual(servers);
    else expect(faultsOf(env)).toEqual(['DNS_SERVERS']);
  });

  it.each([
    ['90s', 90_000],
    ['30m', 1_800_000],
    ['7d', 604_800_000],
  ])('JWT_TTL %s', (text, ms) => {
    expect(read({ ...required, JWT_TTL: text }).JWT_TTL).toBe(ms);
  });

  it('accepts a list of allowed job types; without one all types are allowed', () => {
    expect(read(required).ALLOWED_TYPES).toBeUndefined();
    expect(read({ ...required, ALLOWED_TYPES: 'webhook, send_email' }).ALLOWED_TYPES).toEqual(
      new Set(['webhook', 'send_email']),
    );
    for (const text of [',', 'webhook,', 'a b']) {
      expect(faultsOf({ ...required, ALLOWED_TYPES: text }), text).toEqual(['ALLOWED_TYPES']);
    }
  });

  describe('EMAIL_SYSTEM_FROM', () => {
    const smtp = { EMAIL_PROVIDER: 'smtp', EMAIL_SMTP_HOST: 'mail.example.com' };
    const from = { EMAIL_DEFAULT_FROM: 'Acme <hello@acme.example>' };

    it('is required in production with a real email provider, and the error says why', () => {
      expect(faultsOf({ ...production, ...smtp, ...from })).toEqual(['EMAIL_SYSTEM_FROM']);
      expect(faultsOf({ ...production, ...smtp })).toEqual(['EMAIL_SYSTEM_FROM']);
      expect(() => read({ ...production, ...smtp, ...from })).toThrow(
        /password resets .* different from EMAIL_DEFAULT_FROM/,
      );
      for (const env of [production, { ...production, EMAIL_PROVIDER: 'sandbox' }, { ...required, ...smtp, ...from }]) {
        expect(faultsOf(env)).toEqual([]);
      }
    });

    it.each([
      ['service@acme.example', true],
      ['Acme <service@acme.example>', true],
      ['hello@acme.example', false],
      ['Acme accounts <HELLO@acme.example>', false],
    ])('may be %s in production with another default sender: %s', (sender, isFine) => {
      const env = { ...production, ...smtp, ...from, EMAIL_SYSTEM_FROM: sender };
      expect(faultsOf(env)).toEqual(isFine ? [] : ['EMAIL_SYSTEM_FROM']);
      expect(faultsOf({ ...env, NODE_ENV: 'test' })).toEqual([]);
    });
  });

  it('rejects unknown providers, missing settings of the selected ones, and invalid keys', () => {
    const faulty = { SMS_PROVIDER: 'pigeon', EMAIL_PROVIDER: 'sendgrid', EMAIL_WEBHOOK_PUBLIC_KEY: 'bm8ga2V5' };

    expect(faultsOf({ ...required, ...faulty }).sort()).toEqual([
      'EMAIL_API_KEY',
      'EMAIL_WEBHOOK_PUBLIC_KEY',
      'SMS_PROVIDER',
    ]);
  });
});
