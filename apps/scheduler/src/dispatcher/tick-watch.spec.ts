import { TickWatch } from './tick-watch';

describe('TickWatch', () => {
  const mailbox = { received: 0, taken: 0 };
  let watch: TickWatch;

  beforeEach(() => {
    Object.assign(mailbox, { received: 0, taken: 0 });
    watch = new TickWatch(mailbox);
  });

  it('lets a deadline be acted upon once it has passed', () => {
    expect([watch.dueMs(null, 5), watch.dueMs(10, 9), watch.dueMs(10, 10), watch.dueMs(10, 11)]).toEqual([
      null,
      null,
      10,
      11,
    ]);
  });

  it('waits for the letters that were there then, and for no later ones', () => {
    Object.assign(mailbox, { received: 3, taken: 1 });
    expect(watch.dueMs(10, 10)).toBeNull();
    Object.assign(mailbox, { received: 5, taken: 2 });
    expect(watch.dueMs(10, 12)).toBeNull();
    Object.assign(mailbox, { received: 9, taken: 3 });
    expect(watch.dueMs(10, 14)).toBe(10);
  });

  it('begins again when a letter has moved the deadline', () => {
    Object.assign(mailbox, { received: 2, taken: 1 });
    expect(watch.dueMs(10, 10)).toBeNull();
    mailbox.taken = 2;
    expect(watch.dueMs(20, 12)).toBeNull();
    expect(watch.dueMs(20, 21)).toBe(21);
  });
});
