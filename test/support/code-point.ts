import fc from 'fast-check';

/**
 * Any character that UTF-8 can hold, for `fc.string({ unit: codePoint })`. To make fast-check's own `binary` blocks the
 * process for seconds: meanwhile nothing is served, and connections come to their time limits.
 */
export const codePoint = fc
  .oneof(
    fc.integer({ min: 0x20, max: 0x7e }),
    fc.integer({ min: 0, max: 0xd7ff }),
    fc.integer({ min: 0xe000, max: 0x10ffff }),
  )
  .map((point) => String.fromCodePoint(point));
