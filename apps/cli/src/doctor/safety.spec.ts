import { X509Certificate } from 'node:crypto';
import { lineOf } from './doctor';
import { backupFinding, certificateFindings, natsVersionFindings, ownerFinding } from './safety';

it('an old nats-server is reported where others can reach it', () => {
  expect(natsVersionFindings('2.12.6', 'tls://ci.example.org:4222')).toEqual([]);
  expect(natsVersionFindings('2.9.10', 'nats://127.0.0.1:4222')).toEqual([]);
  expect(natsVersionFindings('2.9.10', 'tls://ci.example.org:4222').map(lineOf)).toEqual([
    expect.stringMatching(
      /^warn {2}nats: nats-server 2\.9\.10 at ci\.example\.org .* → upgrade nats-server to /,
    ),
  ]);
});

/** Its key was never saved. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBbTCCAROgAwIBAgIUVABX3xxicLby5DqRgcmEwD3zPQYwCgYIKoZIzj0EAwIw
DDEKMAgGA1UEAwwBeDAeFw0yNjExMjQyMDQ1MzNaFw0yNzAxMDMyMDQ1MzNaMAwx
CjAIBgNVBAMMAXgwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQ937BxDgWri2Bj
6Wgu07dJkWuG5kMxmDv93VFHXFgpXRVjun2rLBurG7adbEKYGmbL40iEAC5+4HTa
qD8SfBwIo1MwUTAdBgNVHQ4EFgQUw0ZI7PvzLKfSoMhkYORZKKLTHfgwHwYDVR0j
BBgwFoAUw0ZI7PvzLKfSoMhkYORZKKLTHfgwDwYDVR0TAQH/BAUwAwEB/zAKBggq
hkjOPQQDAgNIADBFAiBJnC3NC5HMIAK97wURLVrd9UVIlzID2UgL5p/E+Vc67AIh
AMRTm5JoyMDm429GsGo9kM2wp8Xc6q4A2THbeRWr1qrE
-----END CERTIFICATE-----`;

it('a certificate is reported from 30 days before its end', () => {
  const end = Date.parse(new X509Certificate(CERTIFICATE).validTo);
  const states = [40, 20, -1].map((days) =>
    certificateFindings({ 'nats.pem': CERTIFICATE }, end - days * 86_400_000),
  );
  expect(states.flat().map(({ state }) => state)).toEqual(['ok', 'warn', 'warn']);
});

it('a backup that is missing or old is reported, and so is an architecture that no scheduler serves', () => {
  const states = [null, 3_600, 30 * 3_600].map((age) => backupFinding(age).state);
  expect(states).toEqual(['warn', 'ok', 'warn']);
  expect(ownerFinding(['amd64'], ['amd64', 'i386']).state).toBe('ok');
  expect(ownerFinding(['amd64', 'arm64'], ['amd64'])).toMatchObject({
    state: 'warn',
    found: 'none takes care of arm64',
  });
});
