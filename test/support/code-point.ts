import fc from 'fast-check';

/**
 * Any character that UTF-8 can encode, for `fc.string({ unit: codePoint })`. Creating fast-check's own `binary` blocks
 * the process for seconds; nothing is served then, and connections reach their time limits.
 */
export const codePoint = fc
  .oneof(
    fc.integer({ min: 0x20, max: 0x7e }),
    fc.integer({ min: 0, max: 0xd7ff }),
    fc.integer({ min: 0xe000, max: 0x10ffff }),
  )
  .map((point) => String.fromCodePoint(point));
