/** A request of the process that started this one. */
export interface Request {
  id: number;
  method: string;
  args: number[];
}

export type Reply = { id: number; value: unknown } | { id: number; error: string };

/** Reports that this process is ready, answers requests over IPC, and ends at SIGTERM or when its parent ends. */
export function serve(
  methods: Readonly<Record<string, (args: number[]) => Promise<unknown>>>,
  close: () => Promise<void> = async () => undefined,
): void {
  process.on('message', (request: Request) => {
    void answer(request).then((reply) => process.send?.(reply));
  });
  const end = () => {
    setTimeout(() => process.exit(0), 5_000).unref();
    void close().finally(() => process.exit(0));
  };
  process.once('SIGTERM', end);
  process.once('SIGINT', end);
  process.once('disconnect', end);
  process.send?.({ event: 'ready' });

  async function answer({ id, method, args }: Request): Promise<Reply> {
    try {
      return { id, value: await methods[method]?.(args) };
    } catch (error) {
      return { id, error: error instanceof Error ? String(error.stack) : String(error) };
    }
  }
}
