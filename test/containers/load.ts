import { pause } from '@jobline/runtime';

/** Callers that submit jobs without pause. Each repeats a submission until it is accepted. */
export interface Load {
  /** How often each kind of answer came: a status, with its Retry-After, or the error of a connection. */
  answers: Map<string, number>;
  /** The ids of the accepted jobs. */
  accepted: string[];
  /** Resolves when every submission that was begun is accepted. */
  stop(): Promise<void>;
}

export interface LoadOptions {
  /** The current address of the proxy. */
  baseUrl(): Promise<string>;
  token: string;
  path: string;
  /** The body of a request. */
  bodyOf(n: number): object;
  callers: number;
}

const PAUSE_MS = 40;
const REPEAT_MS = 200;

export function startLoad({ baseUrl, token, path, bodyOf, callers }: LoadOptions): Load {
  const answers = new Map<string, number>();
  const accepted: string[] = [];
  let isStopped = false;
  let count = 0;

  /** The ids of the jobs; null if they were not accepted. */
  async function submit(key: string, body: string): Promise<string[] | null> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': key };
    const answer = await fetch(`${await baseUrl()}${path}`, { method: 'POST', headers, body }).then(
      async (response) => ({ kind: kindOf(response), isAccepted: response.ok, text: await response.text() }),
      (error: Error) => ({ kind: String(error.cause ?? error), isAccepted: false, text: '' }),
    );
    answers.set(answer.kind, (answers.get(answer.kind) ?? 0) + 1);
    if (!answer.isAccepted) return null;
    const { id, jobs = [] }: { id?: string; jobs?: { id: string }[] } = JSON.parse(answer.text);
    return id === undefined ? jobs.map((job) => job.id) : [id];
  }

  async function call(): Promise<void> {
    while (!isStopped) {
      const [key, body] = [crypto.randomUUID(), JSON.stringify(bodyOf(count++))];
      let ids = await submit(key, body);
      for (; ids === null; ids = await submit(key, body)) await pause(REPEAT_MS);
      accepted.push(...ids);
      await pause(PAUSE_MS);
    }
  }

  const calling = Promise.all(Array.from({ length: callers }, call));
  return {
    answers,
    accepted,
    async stop() {
      isStopped = true;
      await calling;
    },
  };
}

function kindOf({ status, headers }: Response): string {
  return headers.has('retry-after') ? `${status} with Retry-After` : String(status);
}
