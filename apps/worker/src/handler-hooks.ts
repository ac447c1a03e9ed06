import type { Handler } from '@jobline/handlers';
import { ConfigError, type Logger, within } from '@jobline/runtime';

/** Time limit for `setup` of a handler. */
const SETUP_LIMIT_MS = 60_000;
/** Time limit for `close` of a handler. */
const CLOSE_LIMIT_MS = 10_000;

/** Calls `setup` of one handler after the other. Throws a ConfigError with the type if one throws or takes too long. */
export async function setUp(handlers: Iterable<Handler>): Promise<void> {
  for (const handler of handlers) {
    try {
      await within(
        SETUP_LIMIT_MS,
        call(() => handler.setup?.()),
        () => {
          throw new Error(`it took longer than ${SETUP_LIMIT_MS / 1000} s`);
        },
      );
    } catch (error) {
      const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      throw new ConfigError([`HANDLERS_DIR: setup() of the type "${handler.type}" failed: ${reason}`]);
    }
  }
}

/** Calls `close` of all handlers at the same time. Never rejects: one that throws or takes too long is logged. */
export async function closeAll(handlers: Iterable<Handler>, log: Logger): Promise<void> {
  const closing = [...handlers].map(async (handler) => {
    const { type } = handler;
    try {
      await within(
        CLOSE_LIMIT_MS,
        call(() => handler.close?.()),
        () => log.error('close() of a handler takes too long; it is no longer awaited', { type }),
      );
    } catch (error) {
      log.error('close() of a handler failed', { type, error });
    }
  });
  await Promise.all(closing);
}

async function call(hook: () => unknown): Promise<void> {
  await hook();
}
