import { nak } from './nats-reports';

it.each([
  [0, '-NAK'],
  [-3.2, '-NAK'],
  [0.000_3, '-NAK {"delay":1000000}'],
  [6_252.548_249_999_992, '-NAK {"delay":6253000000}'],
])(
  'a report that is to come again after %d ms is refused with a delay in whole nanoseconds',
  (delayMs, text) => {
    expect(nak(delayMs)).toBe(text);
  },
);
