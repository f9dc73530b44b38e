import { Home } from '@proctor/embedded';
import { welcome } from './welcome';

const server = { host: '127.0.0.1', port: 8080, suites: ['trixie'], architectures: ['amd64'] };
const said = (isNew: boolean, isTerminal: boolean) =>
  welcome(server as never, new Home('/var/lib/proctor'), { key: 'pk_1', isNew }, isTerminal);

it('a new key is shown on a terminal', () => {
  expect(said(true, true)).toContain(
    'The API key of the user admin is pk_1 (also in /var/lib/proctor/admin.key)',
  );
});

it.each([
  [true, false],
  [false, true],
])('the file of a key is named otherwise: new %s, terminal %s', (isNew, isTerminal) => {
  const text = said(isNew, isTerminal);
  expect(text).toContain('The API key of the user admin is in /var/lib/proctor/admin.key');
  expect(text).toContain('"Auth-Key: $(cat /var/lib/proctor/admin.key)"');
  expect(text).not.toContain('pk_1');
});
