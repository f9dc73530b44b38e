/** What a request under /api/v1 must show: an API key, its user's password, or nothing. */
export type Proof = 'key' | 'password' | 'nothing';

/** The whole path, slashes collapsed, as it stands in the request line. What is not named here needs a key. */
export function proofFor(path: string): Proof {
  const trimmed = path.replace(/\/$/, '');
  if (trimmed === '/api/v1/openapi.json') return 'nothing';
  return trimmed === '/api/v1/keys' || trimmed.startsWith('/api/v1/keys/') ? 'password' : 'key';
}
