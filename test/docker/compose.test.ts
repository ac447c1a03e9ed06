import { DCLinter } from 'dclint';
import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { DOCKER, read } from './support.js';

describe('Compose', () => {
  const { services, networks, volumes } = parse(read('compose.yaml'), { merge: true });

  test.each(Object.entries<Record<string, unknown>>(services))(
    'the %s service has limits for memory and processes, and its networks, dependencies and volumes exist',
    (name, service) => {
      const {
        networks: joined = [],
        depends_on: needs = {},
        volumes: mounts = [],
        deploy,
      } = service as {
        networks?: string[];
        depends_on?: Record<string, unknown>;
        volumes?: string[];
        deploy?: { resources?: { limits?: { memory?: string; pids?: number } } };
      };
      expect(joined.filter((network) => !(network in networks))).toEqual([]);
      expect(Object.keys(needs).filter((other) => !(other in services))).toEqual([]);
      expect(
        mounts.map((mount) => mount.split(':')[0] ?? '').filter((from) => !from.startsWith('.') && !(from in volumes)),
      ).toEqual([]);
      if (name === 'migrate') return;
      expect(deploy?.resources?.limits).toMatchObject({
        memory: expect.stringMatching(/^\d+[mg]$/),
        pids: expect.any(Number),
      });
    },
  );

  it('is valid for the Compose schema', () => {
    const linter = new DCLinter({ rules: {}, quiet: true, debug: false, exclude: [] });
    const [{ messages } = { messages: [] }] = linter.lintFiles([`${DOCKER}compose.yaml`], false);
    expect(messages.filter(({ rule }: { rule: string }) => rule === 'invalid-schema')).toEqual([]);
  });

  const used = [...read('compose.yaml').matchAll(/\$\{(\w+)/g)].map(([, name = '']) => name);
  const documented = [...read('env.example').matchAll(/^(\w+)=/gm)].map(([, name = '']) => name);

  it('uses only variables that env.example contains', () => {
    expect(used.filter((name) => !documented.includes(name))).toEqual([]);
  });

  test.each(['api', 'worker', 'worker-browser'])('passes every setting of env.example to the %s', (name) => {
    const { env_file: files, environment } = services[name];
    expect(files).toEqual([{ path: '.env', required: false }]);
    // `environment` takes precedence over the file, so a default there would hide the setting of the file.
    const own = Object.entries<string>(environment).filter(([setting]) => documented.includes(setting));
    for (const [setting, value] of own) expect(['', `\${${setting}:?fill in docker/.env}`]).toContain(value);
    for (const setting of ['WORKER_QUEUES', 'PORT', 'WORKER_PORT']) expect(documented).not.toContain(setting);
  });

  it('hides secrets of the API from the workers, and secrets of other containers from both', () => {
    const others = ['POSTGRES_PASSWORD', 'POSTGRES_APP_PASSWORD', 'REDIS_PASSWORD'];
    const callbacks = [
      'JWT_SECRET',
      'CHAT_WEBHOOK_SECRET',
      'CHAT_WEBHOOK_VERIFY_TOKEN',
      'SMS_WEBHOOK_SECRET',
      'SMS_WEBHOOK_SECRET_PREVIOUS',
      'PAYMENTS_WEBHOOK_SECRET_PREVIOUS',
      'EMAIL_WEBHOOK_PUBLIC_KEY',
    ];
    for (const name of ['worker', 'worker-browser']) {
      for (const setting of [...others, ...callbacks]) expect(services[name].environment[setting]).toBe('');
    }
    for (const setting of others) expect(services.api.environment[setting]).toBe('');
  });

  it('lets only the migrations use the role that owns the tables', () => {
    const roleOf = (name: string, setting: string) =>
      /^postgresql:\/\/(\w+):/.exec(services[name].environment[setting])?.[1];
    expect(roleOf('migrate', 'MIGRATION_DATABASE_URL')).toBe(services.postgres.environment.POSTGRES_USER);
    for (const name of ['migrate', 'api', 'worker', 'worker-browser']) {
      expect(roleOf(name, 'DATABASE_URL')).toBe('jobline_app');
    }
  });

  test.each(Object.keys(services))('gives %s only the capabilities that it needs', (name) => {
    const { cap_drop: dropped, cap_add: added = [], security_opt: options } = services[name];
    const needed: Record<string, string[]> = {
      proxy: ['NET_BIND_SERVICE'],
      postgres: ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID'],
      redis: ['CHOWN', 'DAC_OVERRIDE', 'SETGID', 'SETUID'],
    };
    expect(dropped).toEqual(['ALL']);
    expect(added).toEqual(needed[name] ?? []);
    expect(options).toContain('no-new-privileges:true');
    expect(options.join()).not.toContain('unconfined');
  });

  it('has no secret on a command line', () => {
    for (const { command = [] } of Object.values<{ command?: string[] }>(services)) {
      expect(JSON.stringify(command)).not.toMatch(/PASSWORD|SECRET|KEY/);
    }
  });

  it('blocks the paths for operators, unless CLOSED_PATHS opens them', () => {
    const paths = '/metrics /metrics/* /admin /admin/*';
    expect(services.proxy.environment.CLOSED_PATHS).toBe(`\${CLOSED_PATHS:-${paths}}`);
    expect(read('Caddyfile')).toContain(`@closed path {$CLOSED_PATHS:${paths}}\n\trespond @closed 404\n`);
    expect(read('env.example')).toContain(`CLOSED_PATHS="${paths}"`);
  });

  it('lets the browser create its sandbox, but not mount, trace or load anything', () => {
    const profile = JSON.parse(read('chromium-seccomp.json'));
    const forbidden = profile.syscalls.flatMap(({ names }: { names: string[] }) => names);
    expect(services['worker-browser'].security_opt).toContain('seccomp:./chromium-seccomp.json');
    expect(profile.defaultAction).toBe('SCMP_ACT_ALLOW');
    for (const { action } of profile.syscalls) expect(action).toBe('SCMP_ACT_ERRNO');
    expect(forbidden).toEqual(
      expect.arrayContaining(['mount', 'ptrace', 'bpf', 'keyctl', 'io_uring_setup', 'init_module']),
    );
    for (const needed of ['clone', 'clone3', 'unshare', 'chroot', 'seccomp', 'prctl'])
      expect(forbidden).not.toContain(needed);
  });
});
