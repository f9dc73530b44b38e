import { collapseSlashes } from './paths';

describe('collapseSlashes', () => {
  it.each([
    ['/', '/'],
    ['//', '/'],
    ['//api/v1/auth', '/api/v1/auth'],
    ['///api//v1///auth/', '/api/v1/auth/'],
    ['//api?x=//y', '/api?x=//y'],
    ['/a#//b', '/a#//b'],
    ['/a%2F%2Fb', '/a%2F%2Fb'],
    ['*', '*'],
  ])('%s becomes %s', (url, result) => {
    expect(collapseSlashes(url)).toBe(result);
  });
});
