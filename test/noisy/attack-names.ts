/** One attack on the API's processor, one on its memory and connections, and one on the workers. */
export const FIRST_ATTACKS = ['payloads of quotes', 'pages of a thousand', 'a burst of jobs'];

/** The attacks of attacker.mjs, in the order in which they run. */
export const ATTACK_NAMES = [
  'an email of combining marks',
  'a template that fills its memory',
  'a preview of 400 MiB',
  'previews that never end',
  'a stored template that fills the memory at submission',
  'email bodies of spaces',
  'hosts whose name servers are silent',
  'images that are canceled',
  'callbacks that are never finished',
  'logins that are never finished',
  'wide payloads to a slow receiver',
  'made-up API keys',
  'payloads of quotes',
  'bodies of empty objects',
  'wide payloads that are read and run again',
  'responses that are never read',
  'large bodies of two addresses that are never finished',
  'jobs that are retried and canceled in a loop',
  'a thousand event streams',
  'a burst of jobs',
  'pages of a thousand',
  'three thousand connections at the same time',
];
