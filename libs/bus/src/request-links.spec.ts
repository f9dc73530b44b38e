import { reconnectPauseMs } from './request-links';

it('a lost connection is made again at once, and less and less often while the server is away', () => {
  expect([1, 2, 3, 4, 5, 6, 5_000].map((tries) => reconnectPauseMs(tries, 0.5))).toEqual([
    20, 40, 80, 160, 320, 500, 500,
  ]);
});
