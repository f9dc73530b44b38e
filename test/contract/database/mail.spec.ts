import { ASK_PAUSE_MINUTES, CONFIRM_HOURS_MAX, REFUSED_DAYS_MAX } from '@proctor/database';
import { type Fixture, setUp } from './fixture';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await setUp();
});
afterAll(() => fixture?.close());

const START = Date.UTC(2026, 10, 5, 10);
const at = (minutes: number): Date => new Date(START + minutes * 60_000);
const sender = (name: string) => ({ name, claimMs: 120_000 });
const addresses = () => fixture.database.mailAddresses;

/** A user of its own with a confirmed address, whose next mail is due at a time. */
async function subscriber(name: string, dueAt: Date): Promise<number> {
  const { userId } = await fixture.database.users.add(name, { isAdmin: false });
  await addresses().request(userId, `${name}@example.org`, 'hour', at(0));
  const { rows } = await fixture.client.query<{ token: string }>(
    'select confirm_token as token from mail_addresses where user_id = $1',
    [userId],
  );
  await addresses().confirm(rows[0]!.token, at(1));
  await addresses().setPeriod(userId, 'hour', dueAt, at(1));
  return userId;
}

afterEach(() => fixture.client.query('delete from mail_addresses'));

it('an address is confirmed by its own link alone, once, and not for ever', async () => {
  const { userId } = fixture.submitter;
  expect(await addresses().request(userId, 'ada@example.org', 'day', at(0))).toBe(true);
  // No user floods others with mails.
  expect(await addresses().request(userId, 'eve@example.org', 'day', at(ASK_PAUSE_MINUTES - 1))).toBe(false);
  await addresses().remove(userId);
  expect([
    await addresses().find(userId),
    await addresses().request(userId, 'eve@example.org', 'day', at(ASK_PAUSE_MINUTES - 1)),
  ]).toEqual([null, false]);
  expect(await addresses().request(userId, 'ada@example.org', 'day', at(11))).toBe(true);
  const due = await addresses().claim(sender('one'), at(11));
  expect(due).toMatchObject({ userName: 'ada', address: 'ada@example.org', period: 'day' });
  const { token, confirmToken } = due!;
  expect(await addresses().confirm(token, at(12))).toBeNull();
  expect(await addresses().unsubscribe(confirmToken!)).toBe(false);
  expect(await addresses().findUnconfirmed(confirmToken!, at(12))).toEqual({
    userName: 'ada',
    address: 'ada@example.org',
  });
  expect(await addresses().confirm(confirmToken!, at(12 + CONFIRM_HOURS_MAX * 60))).toBeNull();
  expect(await addresses().confirm(confirmToken!, at(12))).toEqual({ userId, period: 'day' });
  expect(await addresses().confirm(confirmToken!, at(12))).toBeNull();
  expect(await addresses().ownerOf(token)).toBe('ada');
  expect(await addresses().unsubscribe(token)).toBe(true);
  expect(await addresses().find(userId)).toMatchObject({ period: 'none', dueAt: null });
});

it('of two processes one sends a mail; after the end of its claim another does, and only that one records it', async () => {
  const userId = await subscriber('grace', at(60));
  expect([await addresses().claim(sender('one'), at(59)), await addresses().nextDueMs(at(59))]).toEqual([
    null,
    60_000,
  ]);
  const claims = await Promise.all(['one', 'two'].map((name) => addresses().claim(sender(name), at(60))));
  expect(claims.filter((claim) => claim !== null)).toMatchObject([{ userId, mailedUntil: at(1) }]);
  const [first, second] = claims[0] === null ? ['two', 'one'] : ['one', 'two'];
  expect(await addresses().claim(sender(second), at(61))).toBeNull();
  // The first has died, or hangs.
  expect(await addresses().claim(sender(second), at(63))).toMatchObject({ userId, mailedUntil: at(1) });
  await addresses().recordSent(userId, first, at(60), at(120));
  expect(await addresses().find(userId)).toMatchObject({ dueAt: at(60) });
  await addresses().recordSent(userId, second, at(60), at(120));
  expect(await addresses().find(userId)).toMatchObject({ dueAt: at(120) });
  expect(await addresses().claim(sender(second), at(120))).toMatchObject({ mailedUntil: at(60) });
});

it('a mail that failed is due again, and is named as trouble until it is sent', async () => {
  const userId = await subscriber('joan', at(60));
  expect(await addresses().trouble()).toBeNull();
  await addresses().claim(sender('one'), at(60));
  const failure = { error: 'no route', isRefusal: false, pauseMs: 60_000 };
  await addresses().recordFailure(userId, 'one', failure, at(60));
  expect(await addresses().trouble()).toEqual({ waiting: 1, since: at(60), error: 'no route' });
  expect(await addresses().claim(sender('one'), at(60))).toBeNull();
  expect(await addresses().claim(sender('one'), at(61))).toMatchObject({ failures: 1, mailedUntil: at(1) });
  await addresses().recordSent(userId, 'one', at(61), at(120));
  expect(await addresses().trouble()).toBeNull();
});

it('an address that is refused for two weeks gets no mail, and one whose relay is away still does', async () => {
  const tooLate = (REFUSED_DAYS_MAX + 1) * 24 * 60;
  for (const [name, isRefusal] of [
    ['mary', true],
    ['kay', false],
  ] as const) {
    const userId = await subscriber(name, at(60));
    for (const minutes of [60, tooLate]) {
      expect(await addresses().claim(sender('one'), at(minutes))).toMatchObject({ userId });
      await addresses().recordFailure(
        userId,
        'one',
        { error: 'refused', isRefusal, pauseMs: 1 },
        at(minutes),
      );
    }
    expect(await addresses().find(userId)).toMatchObject(
      isRefusal ? { period: 'none', dueAt: null, error: 'refused' } : { period: 'hour' },
    );
    await fixture.client.query('delete from mail_addresses');
  }
});

it('a disabled user gets no mail, and a removed one has no address', async () => {
  const userId = await subscriber('hedy', at(60));
  const by = { userName: 'ada', address: '' };
  await fixture.database.users.setDisabled('hedy', true, by as never);
  expect(await addresses().claim(sender('one'), at(60))).toBeNull();
  await fixture.database.users.remove('hedy', by as never);
  expect(await addresses().find(userId)).toBeNull();
});
