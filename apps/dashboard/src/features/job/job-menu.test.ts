import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { asCurl } from './job-menu.js';

it('a shell passes the payload to curl unchanged, whatever characters it contains', () => {
  const payload = { text: `it's "quoted" \\ $HOME \`id\` \n é` };
  const line = asCurl(
    {
      id: 'a',
      type: 'echo',
      status: 'done',
      retries: 0,
      max_retries: 2,
      created_at: '',
      updated_at: '',
      payload: payload as never, // the generated type does not describe the payload
    },
    'https://jobline.example',
  );
  // A shell in which `curl` prints its last argument.
  const shown = execFileSync('sh', ['-c', `curl() { for last; do :; done; printf %s "$last"; }\n${line}`], {
    encoding: 'utf8',
    env: { JOBLINE_KEY: 'jl_x', HOME: '/' },
  });
  expect(JSON.parse(shown)).toEqual({ type: 'echo', payload, max_retries: 2 });
});
