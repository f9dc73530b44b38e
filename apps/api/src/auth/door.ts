/** What a request must show: an API key, its user's password, or nothing. */
export type Proof = 'key' | 'password' | 'nothing';

/** The whole path, slashes collapsed, as it stands in the request line. Under /api/v1, what is not named here needs a key. */
export function proofFor(path: string): Proof {
  const trimmed = path.replace(/\/$/, '');
  if (!/^\/api\/v1(\/|$)/.test(trimmed) || trimmed === '/api/v1/openapi.json') return 'nothing';
  return trimmed === '/api/v1/keys' || trimmed.startsWith('/api/v1/keys/') ? 'password' : 'key';
}
