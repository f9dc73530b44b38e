import { PREFIX_QUERY as pipe, prefixQuery } from './prefix-query';

it('the query of a prefix says again what it was asked for', () => {
  for (const query of ['', '?status=fail', '?status=stale&suite=sid&arch=amd64&after=flaky%3Alibstdc%2B%2B6'])
    expect(prefixQuery(pipe.transform(Object.fromEntries(new URLSearchParams(query))))).toBe(query);
});

it('empty fields of the form of a prefix count as left out', () => {
  const nothing = { status: null, suite: null, arch: null, after: null };
  expect(pipe.transform({ status: '', suite: '', arch: '', after: '' })).toEqual(nothing);
});

it.each([
  [{ status: 'red' }, 'status must be one of fail, tmpfail, flaky, stale, pass, untested, not "red".'],
  [{ suite: 'a b' }, 'suite must be the name of a suite, not "a b".'],
  [{ arch: ['amd64', 'arm64'] }, 'arch must be the name of an architecture, not '],
  [{ after: 'hello' }, 'after must be a state and the name of a package as fail:hello, not "hello".'],
  [{ after: 'red:hello' }, 'not "red:hello".'],
  [{ after: 'fail:Hello' }, 'not "fail:Hello".'],
])('the query %j of a prefix is refused', (query, problem) => {
  expect(() => pipe.transform(query)).toThrow(problem);
});
