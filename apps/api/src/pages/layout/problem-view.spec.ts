import type { ApiConfiguration } from '../../configuration.token';
import { notFound, Problem } from '../../http/problem';
import type { ContextRequest } from '../../http/request-context';
import { Viewer } from '../../sessions/viewer';
import { Assets } from './assets';
import { problemView } from './problem-view';
import { Templates } from './templates';

const ASSETS = new Assets(
  new Map(['style.css', 'icon.svg', 'sprite.svg', 'client.js'].map((name) => [name, `/assets/${name}`])),
);
const USER = { userId: 1, name: 'alice', isAdmin: false };

function pageFor(changes: Partial<ContextRequest>, problem = notFound('There is no run 7.')): string {
  const request = { method: 'GET', baseUrl: '', path: '/packages/s/secret/sid/amd64/7/', ...changes };
  const view = problemView(problem, request as ContextRequest);
  return new Templates(ASSETS).render('layout/problem', view);
}

it('the page of a problem leads a reader without a login to it, and back', () => {
  const page = pageFor({ viewer: Viewer.ANONYMOUS });
  expect(page).toContain('href="/user/login?next=%2Fpackages%2Fs%2Fsecret%2Fsid%2Famd64%2F7%2F"');
});

it('the login that the page of a problem offers does not lead back to what a form was sent to', () => {
  expect(pageFor({ viewer: Viewer.ANONYMOUS, method: 'POST' })).toContain('href="/user/login?next=%2F"');
});

it('the page of a redirect does not repeat what was asked for', () => {
  const page = pageFor({ viewer: Viewer.ANONYMOUS }, new Problem(302, 'Log in first.'));
  expect(page).toContain('href="/user/login?next=%2F"');
});

it('the page of a problem has the links of a user who is logged in', () => {
  const page = pageFor({ viewer: new Viewer(USER, 'token') });
  expect(page).toContain('<a href="/user/alice">alice</a>');
  expect(page).not.toContain('Log in');
});

it('the page of a problem offers no login while the reader is not known', () => {
  const page = pageFor({});
  expect(page).not.toContain('Log in');
  expect(page).toContain('There is no run 7.');
});

it('each page has the name of the service in its title and at its head', () => {
  const configuration = { server: { serviceName: 'Tests & more' } } as unknown as ApiConfiguration;
  const view = problemView(notFound('There is no run 7.'), {
    method: 'GET',
    baseUrl: '',
    path: '/',
  } as ContextRequest);
  const page = new Templates(ASSETS, configuration).render('layout/problem', view);
  expect(page).toContain('<title>Not Found – Tests &amp; more</title>');
  expect(page).toMatch(/class="home" [^\n]* Tests &amp; more<\/a>/);
});
