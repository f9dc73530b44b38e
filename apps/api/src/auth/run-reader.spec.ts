import { isOwn, maySee } from './run-reader';

const run = { keyId: 1, requestor: 'ada', isPrivate: true };

it.each([
  ['the key that asked for it', { keyId: 1 }, true, true],
  ['its user in a web session', { userName: 'ada' }, true, true],
  ['an administrator', { everything: true, keyId: 2 }, true, false],
  ['another key', { keyId: 2 }, false, false],
  ['another user in a web session', { userName: 'bob' }, false, false],
  ['an unknown reader', {}, false, false],
])('whether %s sees a private run, and owns it, follows the rule', (_who, reader, isSeen, isTheirs) => {
  expect([maySee(reader, run), isOwn(reader, run)]).toEqual([isSeen, isTheirs]);
  expect(maySee(reader, { ...run, isPrivate: false })).toBe(true);
});
