import { describe, expect, it } from 'vitest';
import { readSettings } from './settings.js';

const read = (argv: string[], env: NodeJS.ProcessEnv) => readSettings(argv, env, '/project');

describe('what npm start is told', () => {
  it('listens on 127.0.0.1:3000 and keeps data in the project unless told otherwise', () => {
    expect(read([], {})).toEqual({
      once: false,
      dataDir: '/project/.jobline',
      host: '127.0.0.1',
      port: 3000,
      url: 'http://127.0.0.1:3000',
    });
  });

  it('takes an empty variable for an absent one', () => {
    expect(read([], { PORT: '', HOST: '', DATA_DIR: '', DATABASE_URL: '', REDIS_URL: '' })).toEqual(read([], {}));
  });

  it('reaches an API that listens everywhere by the loopback address', () => {
    expect(read([], { HOST: '0.0.0.0', PORT: '8080' }).url).toBe('http://127.0.0.1:8080');
    expect(read([], { HOST: '::1' }).url).toBe('http://[::1]:3000');
  });

  it('finds the folders of handlers from where the user is, not from where npm goes', () => {
    expect(read([], { HANDLERS_DIR: 'mine, /else/where', INIT_CWD: '/home/ada' }).handlersDir).toBe(
      '/home/ada/mine,/else/where',
    );
  });

  it('refuses a port that is none, and an argument that it does not know', () => {
    for (const PORT of ['abc', '0', '65536', '80.5']) expect(() => read([], { PORT })).toThrow(/PORT/);
    expect(() => read(['--twice'], {})).toThrow(/--twice/);
  });
});
