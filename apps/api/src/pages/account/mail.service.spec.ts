import { mailFormOf } from './mail.service';

it('an address of a person and a period are accepted', () => {
  expect(mailFormOf('ada+ci@lists.example.org', 'hour')).toEqual({
    address: 'ada+ci@lists.example.org',
    period: 'hour',
  });
});

it.each([
  '',
  'ada',
  'ada@example.org\r\nBcc: eve@example.org',
  'ada@example.org, eve@example.org',
  'Ada <ada@example.org>',
  '"a b"@example.org',
  'ada@example.org\u0000',
  `${'a'.repeat(300)}@example.org`,
])('%j is no address that mail is sent to', (address) => {
  expect(() => mailFormOf(address, 'hour')).toThrow('address must be one address');
});

it('no other period is accepted', () => {
  expect(() => mailFormOf('ada@example.org', 'minute')).toThrow('period must be one of none, hour, day.');
});
