// A login provider, as a process of its own: prints the address that it calls itself by. The arguments are the client's secret and
// the address that it sends browsers back to. Its users are those that /people received; the typed login is the subject.
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';

const [secret, callbackUrl] = process.argv.slice(2);
const people = new Map();
const server = createServer();
server.listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients: [{ client_id: 'proctor', client_secret: secret, redirect_uris: [callbackUrl] }],
    claims: { openid: ['sub'], profile: ['preferred_username'], groups: ['groups'] },
    cookies: { keys: ['of the test'] },
    findAccount: (_context, accountId) => ({ accountId, claims: () => people.get(accountId) }),
  });
  const answer = provider.callback();
  server.on('request', (request, response) => {
    const { pathname, searchParams } = new URL(request.url, issuer);
    if (pathname !== '/people') return answer(request, response);
    const claims = JSON.parse(searchParams.get('claims'));
    people.set(claims.sub, claims);
    return response.end();
  });
  console.log(issuer);
});
