import { promisify } from 'node:util';
import { SESSIONS_BEFORE_LOGIN_MAX } from '@proctor/database';
import type { SessionData } from 'express-session';
import { type Fixture, setUp } from './fixture';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await setUp();
});
afterAll(() => fixture.close());
beforeEach(() => fixture.client.query('truncate sessions'));

/** One each second, until now. */
const begin = (count: number) =>
  fixture.client.query(
    `insert into sessions (sid, sess, expire)
     select 'stranger ' || number, '{}', now() + interval '1 hour' - make_interval(secs => number)
     from generate_series(1, $1) number`,
    [count],
  );
const keptSessions = async (): Promise<string[]> => {
  const { rows } = await fixture.client.query<{ sid: string }>(
    'select sid from sessions order by expire desc',
  );
  return rows.map(({ sid }) => sid);
};

it('of sessions without a login the latest stay, and all of those with one', async () => {
  await begin(5);
  await fixture.client.query(
    `insert into sessions (sid, sess, expire) values ('of alice', '{"userId": 1}', now() + interval '1 minute')`,
  );
  await fixture.database.sessions.endOldest(2);
  expect(await keptSessions()).toEqual(['stranger 1', 'stranger 2', 'of alice']);
});

it('who begins sessions without end, and logs in with none, fills no table beyond SESSIONS_BEFORE_LOGIN_MAX', async () => {
  await begin(SESSIONS_BEFORE_LOGIN_MAX + 1_000);
  const { store } = fixture.database.sessions;
  const save = promisify(store.set.bind(store));
  const cookie = { expires: new Date(Date.now() + 7_200_000), originalMaxAge: 7_200_000 };
  const endOldest = jest.spyOn(fixture.database.sessions, 'endOldest');
  for (let number = 0; number < 5_000; number += 100)
    await Promise.all(
      Array.from({ length: 100 }, (_, place) => save(`${number + place}`, { cookie } as SessionData)),
    );
  expect(endOldest).toHaveBeenCalledTimes(1);
  await endOldest.mock.results[0]!.value;
  expect(await keptSessions()).toHaveLength(SESSIONS_BEFORE_LOGIN_MAX);
});
