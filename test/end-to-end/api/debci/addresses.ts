const toLogin = (path: string): string => `/user/login?next=${encodeURIComponent(path)}`;

/** debci's addresses: where each leads a user, and where a stranger; a number is a status. */
export const ADDRESSES: [path: string, ofAlice: string | number, ofStranger: string | number][] = [
  ['/user', '/user/alice', toLogin('/user')],
  ['/user/', '/user/alice', toLogin('/user')],
  ['/user/logout', '/user/alice', '/'],
  ['/user/auth/failure', '/user/login', '/user/login'],
  ['/user/auth/failure?message=csrf&strategy=gitlab', '/user/login', '/user/login'],
  ['/user/auth/gitlab', '/user/login', '/user/login'],
  ['/user/auth/gitlab/callback?code=x', '/user/login', '/user/login'],
  ['/user/bob/retry/1', '/user/alice/retry/1', toLogin('/user/bob/retry/1')],
  ['/user/:user/retry/1', '/user/alice/retry/1', toLogin('/user/:user/retry/1')],
  ['/user/bob/retry/1?x=1', '/user/alice/retry/1?x=1', toLogin('/user/bob/retry/1?x=1')],
  ['/user/bob/jobs', 403, toLogin('/user/bob/jobs')],
  ['/user/login?original_url=/user/alice/jobs', '/user/alice/jobs', 200],
  ['/user/login?original_url=//evil.example/', '/', 200],
  ['/user/login?original_url=https://evil.example/', '/', 200],
  ['/user/login?original_url=/%5Cevil.example', '/', 200],
  ['/user/login?original_url=javascript:alert(1)', '/', 200],
  ['/user/login?original_url=/user/logout', '/', 200],
  ['/api', '/api/doc', '/api/doc'],
  ['/api/', '/api/doc', '/api/doc'],
  ['/api/doc', 200, 200],
  ['/doc', '/api/doc', '/api/doc'],
  ['/doc/', '/api/doc', '/api/doc'],
  ['/hello', '/packages/h/hello/', '/packages/h/hello/'],
  ['/hello/', '/packages/h/hello/', '/packages/h/hello/'],
  ['/Hello', 404, 404],
  ['/g%2B%2B', '/packages/g/g++/', '/packages/g/g++/'],
  ['/libhello', 404, 404],
  ['/packages/h', 200, 200],
  ['/packages/h/hello', 200, 200],
  ['/packages/g/g%2b%2b/', 200, 200],
  ['/packages/h/hello/bookworm/', '/packages/h/hello/#suite-bookworm', '/packages/h/hello/#suite-bookworm'],
  ['/packages/h/hello/bookworm/amd64', 200, 200],
  ['/packages/h/hello/bookworm/amd64/1', 200, 200],
  ['/packages/hello', '/packages/h/hello/', '/packages/h/hello/'],
  ['/packages/g++/', '/packages/g/g++/', '/packages/g/g++/'],
  ['/packages/hello/bookworm', '/packages/h/hello/bookworm/', '/packages/h/hello/bookworm/'],
  [
    '/packages/hello/bookworm/amd64',
    '/packages/h/hello/bookworm/amd64/',
    '/packages/h/hello/bookworm/amd64/',
  ],
  ['/packages/libhello/', 404, 404],
  ['/status', 200, 200],
  ['/status/queue/', 200, 200],
  ['/status/alerts', 200, 200],
  ['/status/failing/', 200, 200],
  ['/status/slow/', 200, 200],
  ['/status/pending/bookworm', 200, 200],
  ['/status/reject_list/', 200, 200],
  ['/status/platform-specific-issues/', 200, 200],
  ['/user/alice/getkey', '/user/alice/keys', toLogin('/user/alice/getkey')],
  ['/user/alice/test/submit', 405, 405],
  ['/user/theme/', 403, toLogin('/user/theme/')],
  ['/admin/users/?q=al', 403, toLogin('/admin/users/?q=al')],
  ['/admin/users/new/', 403, toLogin('/admin/users/new/')],
  ['/packages/-/search?query=ell', '/packages/h/hello/', '/packages/h/hello/'],
  ['/packages/-/search?query=curlf', '/packages/c/curlftpfs/', '/packages/c/curlftpfs/'],
  ['/packages/-/search?query=cur', 200, 200],
  ['/packages/-/search?query=', 200, 200],
  ['/data/feeds/h/hello.xml', 200, 200],
  ['/data/feeds/z/zlib.xml', 200, 200],
  ['/data/feeds/n/nothing.xml', 404, 404],
  ['/data/feeds/g/g%2B%2B.xml', 200, 200],
  ['/data/feeds/all-packages.xml', 200, 200],
  ['/data/status/bookworm/amd64/status.json', 200, 200],
  ['/data/status/bookworm/amd64/packages.json', 200, 200],
  ['/data/packages/bookworm/amd64/h/hello/latest.json', 200, 200],
  ['/data/packages/bookworm/amd64/h/hello/latest-autopkgtest/log.gz', 200, 200],
  ['/data/packages/bookworm/amd64/h/hello/latest-autopkgtest/artifacts.tar.gz', 200, 200],
  ['/data/autopkgtest/bookworm/amd64/h/hello/1/log.gz', 200, 200],
  ['/data/autopkgtest/bookworm/amd64/h/hello/1/artifacts.tar.gz', 200, 200],
  ['/data/autopkgtest/bookworm/amd64/libh/libhello/3/log.gz', 404, 404],
  ['/data/feeds/libh/libhello.xml', 404, 404],
  ['/experiments/', 404, 404],
  ['/experiments/1/regressions/', 404, 404],
];

const tests = (value: unknown): string => `tests=${encodeURIComponent(JSON.stringify(value))}`;
const HERE = '/test/bookworm/amd64';

/** Requests to the API. What debci 4.4 answers is behind the line where it is another status. */
export const REQUESTS: [method: string, path: string, body: string | undefined, status: number][] = [
  ['GET', '/auth', undefined, 200],
  ['GET', '/auth/', undefined, 200], // 404
  ['POST', '/auth', '', 405], // 404
  ['OPTIONS', '/auth', undefined, 405], // 404
  ['GET', '/nothing', undefined, 404],
  ['GET', '/reject_list', undefined, 200],
  ['GET', '/job_state/1', undefined, 404], // 200
  ['GET', '/getkey', undefined, 404],
  ['GET', '/test', undefined, 400],
  ['GET', '/test?since=', undefined, 400], // 500
  ['GET', '/test?since=0', undefined, 200],
  ['GET', '/test?since=1.5', undefined, 200],
  ['GET', '/test?since=2026-11-20', undefined, 400], // 200
  ['GET', '/test?since=-1', undefined, 400], // 200
  ['GET', '/packages?backend', undefined, 200],
  ['GET', '/packages?backend[]=qemu&backend[]=', undefined, 200],
  ['POST', HERE, '', 400],
  ['POST', HERE, tests([]), 201],
  ['POST', `${HERE}?${tests([])}`, undefined, 201],
  ['POST', HERE, 'tests=x', 400],
  ['POST', HERE, tests({}), 400], // 500
  ['POST', HERE, tests([null]), 400], // 500
  ['POST', HERE, tests([{ package: 'Bad_Name' }]), 201], // 400
  ['POST', HERE, tests([{ package: 'blocked' }]), 201],
  ['POST', HERE, tests([{ package: 'x1', is_private: 'true' }]), 400],
  ['POST', HERE, tests([{ package: 'x1', trigger: 42 }]), 400], // 201
  ['POST', HERE, tests([{ package: 'x1', 'pin-packages': [['src:aa', 'bb', 'trixie']] }]), 400], // 201
  ['POST', `${HERE}?priority=11`, tests([]), 400],
  ['POST', `${HERE}?priority=5.7`, tests([]), 400], // 201
  ['POST', '/test/nowhere/amd64', tests([]), 400],
  ['POST', '/test/bookworm/vax', tests([]), 400],
  ['POST', `${HERE}/blocked`, '', 201], // 400
  ['POST', `${HERE}/Bad_Name`, '', 201], // 400
  ['POST', `${HERE}/blocked/more`, '', 404],
  ['POST', `${HERE}/blocked?is_private=1`, '', 400],
  ['POST', '/test/batch', tests([]), 201],
  ['POST', '/test/batch', tests([{ suite: 'nowhere', arch: ['amd64'], tests: [] }]), 400],
  ['POST', '/test/publish', 'run_ids=', 200],
  ['POST', '/test/publish', 'run_ids=999999', 200],
  ['POST', '/test/publish', 'run_ids[]=999999&run_ids[]=999998', 200],
  ['POST', '/test/publish', 'run_ids=x', 400], // 200
  ['POST', '/test/publish', '', 400], // 200
  ['POST', '/retry/999999', undefined, 404], // 400
  ['GET', '/retry/999999', undefined, 404], // 302
];
