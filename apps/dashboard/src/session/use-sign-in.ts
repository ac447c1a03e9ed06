import { useRouter } from '@tanstack/react-router';
import { useServices } from '../services.js';

/** Signs in with a new token and goes on to a path of ours. Nothing that was loaded for somebody else stays. */
export function useSignIn(): (token: string, path: string) => void {
  const { session, queries } = useServices();
  const router = useRouter();
  return (token, path) => {
    queries.clear();
    session.signIn(token);
    router.history.push(path);
  };
}
