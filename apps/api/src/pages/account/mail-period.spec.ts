import { nextMailAt } from './mail-period';

const at = (text: string): Date => new Date(`2026-11-${text}Z`);

it.each([
  ['hour', '05T10:00:00', '05T11:00:00'],
  ['hour', '05T23:59:59', '06T00:00:00'],
  ['day', '05T05:59:59', '05T06:00:00'],
  ['day', '05T06:00:00', '06T06:00:00'],
] as const)('the next mail of each %s after %s is due at %s', (period, after, due) => {
  expect(nextMailAt(period, at(after))).toEqual(at(due));
});

it('without mails none is due', () => expect(nextMailAt('none', at('05T10:00:00'))).toBeNull());
