import { navigation } from './navigation';

it.each([
  ['/', []],
  ['/packages/h/hello/', ['Packages']],
  ['/status', ['Status']],
  ['/status/sid/amd64/', ['Status']],
  ['/status/queue/', ['Queues']],
  ['/status/workers', ['Workers']],
  ['/status/workers/w1', ['Workers']],
  ['/user/ada/test', ['Request']],
])('the head of a page at %s shows where its reader is', (path, here) => {
  const links = navigation(path, 'ada');
  expect(links.filter(({ isHere }) => isHere).map(({ name }) => name)).toEqual(here);
});

it('who is not logged in is led to the login to request tests', () => {
  expect(navigation('/', null).at(-1)).toEqual({ url: '/-/request', name: 'Request', isHere: false });
});
