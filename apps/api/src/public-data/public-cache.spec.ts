import { lastModified } from './public-cache';

const at = (time: string): Date => new Date(`2026-11-20T10:${time}Z`);

it.each([
  [
    'the present second while a row of the same time may still appear',
    '00:10.300',
    '00:10.900',
    '00:10',
    false,
  ],
  ['the present second a little later', '00:10.300', '00:20.999', '00:20', false],
  ['a fixed time from then on', '00:10.300', '00:21.000', '00:21', true],
  ['a fixed time for good', '00:10.300', '59:00.000', '00:21', true],
])('the time of the last change is %s', (_what, newest, now, header, isSettled) => {
  expect(lastModified(at(newest), at(now))).toEqual({
    header: `Fri, 20 Nov 2026 10:${header} GMT`,
    isSettled,
  });
});
