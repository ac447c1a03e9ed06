import { JoblineError } from '../jobline-error.js';
import type { App } from './app.js';
import { EXIT, wasRefused } from './exit-codes.js';
import { printable } from './output/printable.js';

/** What was done with one of several ids. */
type Done = { id: string } & Readonly<Record<string, unknown>>;

/** Does the same with each id. After one that the API rejects, it goes on with the next. */
export async function forEachId(
  app: App,
  ids: readonly string[],
  act: (id: string) => Promise<Done>,
  toText: (done: Done) => string,
): Promise<void> {
  app.mustFinish = true;
  for (const id of ids) {
    try {
      const done = await act(id);
      app.out.showOne(done, () => printable(toText(done)));
    } catch (error) {
      // Without a valid credential, the others would be rejected too.
      if (!(error instanceof JoblineError && wasRefused(error)) || error.status === 401) throw error;
      const { code, message } = error;
      if (app.out.isJson()) app.out.showOne({ id, error: { code, message } }, () => '');
      app.out.error(`${id}: ${message}`);
      app.exitCode = EXIT.refused;
    }
  }
}
