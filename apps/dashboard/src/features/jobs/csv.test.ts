import { expect, it } from 'vitest';
import { csvOf } from './csv.js';
import type { Job } from './model.js';

const job: Job = {
  id: '-1',
  type: 'send_sms',
  status: 'failed',
  retries: 1,
  max_retries: 3,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:01.000Z',
  about: '+254700000001',
  error: { code: 'provider_rejected', message: '=HYPERLINK("https://example.com"),\nno' },
};

it('the file has the chosen columns, and no text of a job begins like a formula', () => {
  expect(
    csvOf([job, { ...job, id: 'b', about: '@a', error: { code: 'timeout', message: '\tx' } }], ['Details', 'Retries']),
  ).toBe(
    [
      '\uFEFFstatus,id,about,error_code,error_message,retries,max_retries',
      `failed,'-1,'+254700000001,provider_rejected,"'=HYPERLINK(""https://example.com""),\nno",1,3`,
      `failed,b,'@a,timeout,'\tx,1,3`,
      '',
    ].join('\r\n'),
  );
});
