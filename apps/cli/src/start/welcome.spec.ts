import { Home } from '@proctor/embedded';
import { fail, ok, warn } from '../doctor/finding';
import { problemsIn, welcome } from './welcome';

const server = { host: '127.0.0.1', port: 8080, suites: ['trixie'], architectures: ['amd64'] };
const welcomeText = (isNew: boolean, isTerminal: boolean) =>
  welcome(
    server as never,
    new Home('/var/lib/proctor'),
    { key: 'pk_1', isNew, hasPasswordFile: true },
    { isTerminal },
  );

it('a new key is shown on a terminal', () => {
  expect(welcomeText(true, true)).toContain(
    'The API key of the user admin is pk_1 (also in /var/lib/proctor/admin.key)',
  );
});

it.each([
  [true, false],
  [false, true],
])('the file of a key is named otherwise: new %s, terminal %s', (isNew, isTerminal) => {
  const text = welcomeText(isNew, isTerminal);
  expect(text).toContain('The API key of the user admin is in /var/lib/proctor/admin.key');
  expect(text).toContain('"Auth-Key: $(cat /var/lib/proctor/admin.key)"');
  expect(text).not.toContain('pk_1');
});

it('the start says how to log in, and shows no password', () => {
  expect(welcomeText(true, true)).toContain(
    'Log in at http://127.0.0.1:8080/user/login as admin, with the password in /var/lib/proctor/admin.password',
  );
  const admin = { key: null, isNew: false, hasPasswordFile: false };
  const text = welcome(server as never, new Home('/var/lib/proctor'), admin, { isTerminal: true });
  expect(text).toContain(
    'as admin, with the password that was set; set another: npx proctor user password admin',
  );
});

it('what does not work is said with the word that the rest is ready, and last of all', () => {
  const admin = { key: null, isNew: false, hasPasswordFile: false };
  const problems = [
    'the worker cannot run tests: missing Debian packages: uidmap. As root, type:\n  apt-get install uidmap',
  ];
  const lines = welcome(server as never, new Home('/h'), admin, { isTerminal: true, problems }).split('\n');
  expect(lines[0]).toBe(
    'Proctor is ready at http://127.0.0.1:8080 for requests, and cannot run tests here yet: see below',
  );
  expect(lines.at(-1)).toBe('  apt-get install uidmap');
});

it('what keeps the worker from running tests is named with what to type, and what works is not', () => {
  expect(
    problemsIn([
      ok('worker', 'backend null works'),
      warn('worker', 'the image of sid for unshare is old', 'read its log'),
      fail(
        'worker',
        'backend unshare: user namespaces are forbidden',
        'sudo sysctl user.max_user_namespaces=1000',
      ),
    ]),
  ).toEqual([
    'the worker cannot run all tests: backend unshare: user namespaces are forbidden: sudo sysctl user.max_user_namespaces=1000',
  ]);
});
