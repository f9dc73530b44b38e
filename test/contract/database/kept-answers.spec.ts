import type { NewApiKey, SealedRequest } from '@proctor/database';
import { request } from '../journal.fixture';
import { type Fixture, setUp } from './fixture';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await setUp();
});
afterAll(() => fixture.close());
beforeEach(() => fixture.client.query('truncate runs, attempts, orders, idempotency_keys'));

const age = (hours: number) =>
  fixture.client.query(`update idempotency_keys set created_at = now() - make_interval(hours => $1)`, [
    hours,
  ]);

describe('a kept answer', () => {
  const keyOf = (fingerprint = 'f') => ({ keyId: fixture.submitter.keyId, key: 'word', fingerprint });
  const submit = () =>
    fixture.database.submissions.submitOnce(keyOf(), [request()], fixture.submitter, (runIds) => ({
      runIds,
    }));
  const find = (key = keyOf()) => fixture.database.keptAnswers.find(key);

  it('a kept answer is found for the request that it answered', async () => {
    expect(await find()).toBeNull();
    const created = await submit();
    expect(await find()).toEqual({ ...created, kind: 'replayed' });
    expect(await find(keyOf('another'))).toEqual({ kind: 'conflict' });
    expect(await find({ ...keyOf(), key: 'another' })).toBeNull();
    expect(await find({ ...keyOf(), keyId: 4711 })).toBeNull();
  });

  it('a kept answer is forgotten after a day', async () => {
    await submit();
    await age(25);
    expect(await find()).toBeNull();
    expect(await find(keyOf('another'))).toBeNull();
  });
});

describe('a new key', () => {
  const sealed = (change: Partial<SealedRequest> = {}): SealedRequest => ({
    word: 'word',
    fingerprint: 'f',
    seal: ({ id, key }: NewApiKey) => `sealed ${id} ${key.length}`,
    ...change,
  });
  const create = (change?: Partial<SealedRequest>, user = 'ada') =>
    fixture.database.apiKeys.createOnce(user, 'laptop', sealed(change));
  const keys = async () => (await fixture.database.apiKeys.list('ada')).length;

  it('a new key is made once for a word, and only what was sealed is kept', async () => {
    const before = await keys();
    const first = await create();
    if (first.kind !== 'created') throw new Error(first.kind);
    const { id, key } = first.created;
    expect(await fixture.database.apiKeys.authenticate(key)).toMatchObject({ keyId: id, userName: 'ada' });
    expect(await create()).toEqual({ kind: 'replayed', sealed: `sealed ${id} ${key.length}` });
    expect(await create({ fingerprint: 'another' })).toEqual({ kind: 'conflict' });
    expect(await keys()).toBe(before + 1);
    const { rows } = await fixture.client.query('select * from idempotency_keys');
    expect(JSON.stringify(rows)).not.toContain(key.slice(13));
    expect(JSON.stringify(rows)).not.toContain('word');
  });

  it('a new key is another one for another word, another user and another day', async () => {
    await fixture.database.users.add('bob', { isAdmin: false });
    expect((await create()).kind).toBe('created');
    expect((await create({ word: 'another' })).kind).toBe('created');
    expect((await create({}, 'bob')).kind).toBe('created');
    expect((await create()).kind).toBe('replayed');
    await age(25);
    expect((await create()).kind).toBe('created');
    await expect(create({}, 'ghost')).rejects.toThrow('no user ghost');
  });

  it('a new key is made once by several at the same time, and not at all when it cannot be sealed', async () => {
    const before = await keys();
    const kinds = (await Promise.all([create(), create(), create()])).map(({ kind }) => kind);
    expect(kinds.sort()).toEqual(['created', 'replayed', 'replayed']);
    const failing = (): never => {
      throw new Error('no seal');
    };
    await expect(create({ word: 'x', seal: failing })).rejects.toThrow('no seal');
    expect(await keys()).toBe(before + 1);
  });
});
