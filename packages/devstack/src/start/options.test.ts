import { describe, expect, it } from 'vitest';
import { readOptions } from './options.js';

const read = (argv: string[], env: NodeJS.ProcessEnv) => readOptions(argv, env, '/project');

describe('the options of npm start', () => {
  it('are port 3000 of 127.0.0.1 and a data folder in the project by default', () => {
    expect(read([], {})).toEqual({
      once: false,
      onlyServers: false,
      dataDir: '/project/.jobline',
      host: '127.0.0.1',
      port: 3000,
      url: 'http://127.0.0.1:3000',
    });
  });

  it('treat an empty variable like a missing one', () => {
    expect(read([], { PORT: '', HOST: '', DATA_DIR: '', DATABASE_URL: '', REDIS_URL: '' })).toEqual(read([], {}));
  });

  it('use the loopback address for an API that listens on all addresses', () => {
    expect(read([], { HOST: '0.0.0.0', PORT: '8080' }).url).toBe('http://127.0.0.1:8080');
    expect(read([], { HOST: '::1' }).url).toBe('http://[::1]:3000');
  });

  it('resolve handler folders from the folder of the user, not from the folder of npm', () => {
    expect(read([], { HANDLERS_DIR: 'mine, /else/where', INIT_CWD: '/home/ada' }).handlersDir).toBe(
      '/home/ada/mine,/else/where',
    );
  });

  it('reject an invalid port and an unknown argument', () => {
    for (const PORT of ['abc', '0', '65536', '80.5']) expect(() => read([], { PORT })).toThrow(/PORT/);
    expect(() => read(['--twice'], {})).toThrow(/--twice/);
  });
});
