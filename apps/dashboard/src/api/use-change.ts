import type { Jobline } from '@jobline/client';
import { useMutation } from '@tanstack/react-query';
import { useApi, useServices } from '../services.js';
import { toast } from '../ui/index.js';

/** Returns a function that refetches the data whose query keys begin with one of these. */
export function useRefetch(...keys: string[]): () => Promise<void> {
  const { queries } = useServices();
  return async () => {
    await Promise.all(keys.map((key) => queries.invalidateQueries({ queryKey: [key] })));
  };
}

/** Returns a function that changes something by the API and waits until the page shows it. */
export function useChange<Args extends unknown[], Result>(
  change: (api: Jobline, ...args: Args) => Promise<Result>,
  ...keys: string[]
): (...args: Args) => Promise<Result> {
  const api = useApi();
  const refetch = useRefetch(...keys);
  return async (...args) => {
    const result = await change(api, ...args);
    await refetch();
    return result;
  };
}

/** An action of one click. A toast says why it has failed or, with `done`, that it has succeeded. */
export function useAction<Value = void>(run: (value: Value) => Promise<unknown>, done?: string) {
  return useMutation({
    mutationFn: async (value: Value) => void (await run(value)),
    onSuccess: () => done !== undefined && toast.success(done),
    onError: ({ message }) => toast.error(message),
  });
}
