import { PermanentError } from '@jobline/handlers';

/** Calls the recorder with the number of the attempt. Its answer decides how the attempt ends. */
export async function run({ url, ms }, { attempt, log, signal }) {
  log('info', 'calling');
  const response = await fetch(`${url}/${attempt}?ms=${ms}`, { method: 'POST', signal });
  await response.text();
  if (response.status === 410) throw new PermanentError('the receiver is gone');
  if (!response.ok) throw new Error(`the receiver answered ${response.status}`);
  log('info', 'answered');
  return { status: response.status };
}
