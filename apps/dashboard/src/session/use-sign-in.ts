import { useRouter } from '@tanstack/react-router';
import { useServices } from '../services.js';

/** Returns a function that signs in with a new token and opens a path. It deletes the data of a previous user. */
export function useSignIn(): (token: string, path: string) => void {
  const { session, queries } = useServices();
  const router = useRouter();
  return (token, path) => {
    queries.clear();
    session.signIn(token);
    router.history.push(path);
  };
}
