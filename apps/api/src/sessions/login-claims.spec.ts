import { isWord } from '@proctor/contracts';
import fc from 'fast-check';
import { codePoint } from '@test/support/code-point';
import { hasClaim, namesFor } from './login-claims';

it.each([
  ['alice', 'alice'],
  ['Alice', 'alice'],
  ['alice@example.org', 'alice-example.org'],
  ['Zoë Müller', 'zoe-muller'],
  ['../admin', 'admin'],
  ['<script>', 'script'],
  ['-- x --', 'x'],
  ['login', 'login-2'],
  ['Logout', 'logout-2'],
  ['管理', 'user'],
  ['', 'user'],
  [undefined, 'user'],
  [{ toString: 1 }, 'user'],
  [['alice'], 'user'],
  ['x'.repeat(5_000), 'x'.repeat(80)],
])('the name %j of a provider makes the user’s name %s', (claim, name) => {
  expect(namesFor({ nick: claim }, 'nick')[0]).toBe(name);
});

it('further names are other words, whatever the provider says', () => {
  expect(namesFor({ nick: 'ann' }, 'nick').slice(0, 3)).toEqual(['ann', 'ann-2', 'ann-3']);
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: codePoint }), fc.anything()), (claim) => {
      const names = namesFor({ nick: claim }, 'nick');
      expect([names.every(isWord), new Set(names).size === names.length]).toEqual([true, true]);
      expect(names.length).toBeGreaterThan(20);
    }),
  );
});

it.each([
  ['developers', true],
  [['guests', 'developers'], true],
  [['guests'], false],
  ['developers2', false],
  [['developers2'], false],
  [[['developers']], false],
  [{ developers: true }, false],
  [[], false],
  [null, false],
  [undefined, false],
])('a claim that is %j has one of the values: %s', (claim, has) => {
  expect(hasClaim({ groups: claim }, { claim: 'groups', values: ['staff', 'developers'] })).toBe(has);
});

it('a claim may be a truth value or a number', () => {
  expect(hasClaim({ verified: true }, { claim: 'verified', values: ['true'] })).toBe(true);
  expect(hasClaim({ level: 3 }, { claim: 'level', values: ['3'] })).toBe(true);
  expect(hasClaim({}, { claim: 'constructor', values: ['Object'] })).toBe(false);
});
