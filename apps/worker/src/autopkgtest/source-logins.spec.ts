import { UnsafeRequest } from './unsafe-request';
import { sourceLogins } from './source-logins';

const of = (...lines: string[]) => sourceLogins({ extraAptSources: [{ name: 'extra', lines }] });

it('users and passwords are taken out of the lines', () => {
  const lines = [
    'deb [signed-by=/k.asc] https://u:p%40ss@mirror.example:8443/debian trixie main',
    'deb-src https://u:p%40ss@mirror.example:8443/debian trixie main',
    'deb http://token@mirror.example/x ./',
    'deb http://u:p@ss@other.example/x ./',
  ];
  expect(of(...lines)).toEqual({
    lines: [
      'deb [signed-by=/k.asc] https://mirror.example:8443/debian trixie main',
      'deb-src https://mirror.example:8443/debian trixie main',
      'deb http://mirror.example/x ./',
      'deb http://other.example/x ./',
    ],
    logins: [
      'machine https://mirror.example:8443/debian login u password p@ss',
      'machine http://mirror.example/x login token',
      'machine http://other.example/x login u password p@ss',
    ],
  });
});

it('lines without users and passwords stay as they are', () => {
  const lines = ['deb https://mirror.example/a@b trixie main', 'deb cdrom:[Debian]/ trixie main'];
  expect(of(...lines)).toEqual({ lines, logins: [] });
});

it.each(['https://u:a%20b@mirror.example/', 'https://u:%zz@mirror.example/'])(
  'a login that cannot be passed to apt is refused, and the error does not quote it: %s',
  (address) => {
    expect(() => of(`deb ${address} trixie main`)).toThrow(UnsafeRequest);
    expect(() => of(`deb ${address} trixie main`)).toThrow(
      'the user or password of the extra source extra cannot be passed to apt',
    );
  },
);
