import { ADMIN_CHANGES } from './admin-view';
import { type Asks, FORM, get, type Names, post } from './asks';

/** All runs, wherever they may be said to be. */
const selections = ({ runs, packages, suites }: Names): object[] => [
  { run_ids: runs.map(({ runId }) => runId) },
  ...packages.map(({ name }) => ({ package: name })),
  ...suites.map((suite) => ({ suite })),
  { arch: 'amd64' },
];

/** What would change something, for who may: the answers to a stranger. */
export const CHANGES: Record<string, Asks> = {
  ...ADMIN_CHANGES,
  'POST /api/v1/test/cancel': (names) =>
    selections(names).flatMap((selection) => [
      post('/api/v1/test/cancel', selection),
      post('/api/v1/test/cancel', { ...selection, everyone: true }),
    ]),
  'POST /api/v1/test/priority': (names) =>
    selections(names).map((selection) => post('/api/v1/test/priority', { ...selection, priority: 1 })),
  'POST /api/v1/followed': ({ packages }) => [
    post('/api/v1/followed', { packages: packages.map(({ name }) => name) }),
    post('/api/v1/followed', { packages: ['*'] }),
  ],
  'POST /api/v1/followed/runs/:run_id': ({ runs }) =>
    runs.flatMap(({ runId, isBobs }) => (isBobs ? [] : [post(`/api/v1/followed/runs/${runId}`, {})])),
  'DELETE /api/v1/followed/runs/:run_id': ({ runs }) =>
    runs.map(({ runId }) => ({ method: 'DELETE', path: `/api/v1/followed/runs/${runId}` })),
  'POST /api/v1/followed/triggers/:package/:version': ({ packages }) =>
    packages.map(({ name }) => post(`/api/v1/followed/triggers/${name}/1`, {})),
  'DELETE /api/v1/followed/triggers/:package/:version': ({ packages }) =>
    packages.map(({ name }) => ({ method: 'DELETE', path: `/api/v1/followed/triggers/${name}/1` })),
  'DELETE /api/v1/followed/:pattern': ({ packages }) =>
    packages.map(({ name }) => ({ method: 'DELETE', path: `/api/v1/followed/${name}` })),
  // A new one would have a secret, which is never the same.
  'POST /api/v1/webhooks': ({ packages }) => [
    post('/api/v1/webhooks', { url: 'https://hooks.example.org/', kinds: packages.map(({ name }) => name) }),
  ],
  'POST /api/v1/webhooks/:webhook_id': () => [
    post('/api/v1/webhooks/1', { url: 'https://hooks.example.org/' }),
  ],
  'DELETE /api/v1/webhooks/:webhook_id': () => [{ method: 'DELETE', path: '/api/v1/webhooks/1' }],
  'POST /api/v1/webhooks/:webhook_id/rotate': () => [post('/api/v1/webhooks/1/rotate', {})],
  'POST /api/v1/webhooks/:webhook_id/ping': () => [post('/api/v1/webhooks/1/ping', {})],
  'POST /api/v1/webhooks/:webhook_id/recover': () => [
    post('/api/v1/webhooks/1/recover', { since: 1_700_000_000 }),
  ],
  'POST /api/v1/webhooks/:webhook_id/deliveries/:delivery_id/redeliver': () => [
    post('/api/v1/webhooks/1/deliveries/1/redeliver', {}),
  ],
  'POST /api/v1/test/publish': ({ runs }) => [
    post('/api/v1/test/publish', { run_ids: runs.map(({ runId }) => runId).join(',') }),
  ],
  // Bob may cancel his own, and the answer says when that was.
  'DELETE /api/v1/test/:run_id': ({ runs }) =>
    runs.flatMap(({ runId, isBobs }) =>
      isBobs ? [] : [{ method: 'DELETE', path: `/api/v1/test/${runId}` }],
    ),
  'POST /api/v1/retry/:run_id': ({ runs }) =>
    runs.flatMap(({ runId }) => {
      const path = `/api/v1/retry/${runId}`;
      return [{ method: 'POST', path, headers: { 'Idempotency-Key': 'again' } }, post(path, {})];
    }),
  'POST /api/v1/test/:suite/:arch': ({ packages, suites }) =>
    suites.flatMap((suite) =>
      ['?dry_run=true', ''].map((query) =>
        post(
          `/api/v1/test/${suite}/amd64${query}`,
          packages.map(({ name }) => ({ package: name })),
        ),
      ),
    ),
  'POST /api/v1/test/:suite/:arch/:package': ({ packages }) =>
    packages.map(({ name }) => ({
      method: 'POST',
      path: `/api/v1/test/bookworm/amd64/${name}`,
      headers: { ...FORM, 'Idempotency-Key': `once ${name}` },
      body: 'priority=7',
    })),
  'POST /api/v1/test/batch': ({ packages }) => [
    post('/api/v1/test/batch', {
      tests: [{ suite: 'trixie', arch: ['amd64'], tests: packages.map(({ name }) => ({ package: name })) }],
    }),
  ],
  'POST /api/v1/triggers/:package/:version/:action': ({ packages, runs }) =>
    ['retry', 'refresh', 'cancel'].flatMap((action) => [
      ...packages.map(({ name }) =>
        post(`/api/v1/triggers/${name}/1/${action}`, { group: ['waiting', 'passed', 'infrastructure'] }),
      ),
      post(`/api/v1/triggers/hello/1/${action}`, { run_ids: runs.map(({ runId }) => runId), dry_run: true }),
    ]),
  'POST /api/v1/notes': ({ runs, packages }) => [
    ...packages.map(({ name }) => post('/api/v1/notes', { package: name, text: '' })),
    ...runs
      .filter(({ runId }) => runId >= 700_000)
      .map(({ runId }) => post('/api/v1/notes', { run_id: runId, text: 'x' })),
  ],
  'POST /api/v1/notes/:note_id': () => [post('/api/v1/notes/1', { text: 'x' })],
  'DELETE /api/v1/notes/:note_id': () => [{ method: 'DELETE', path: '/api/v1/notes/1' }],
  'POST /notes': () => [post('/notes', { package: 'hello', text: 'x' })],
  'POST /notes/:note_id': () => [post('/notes/1', { text: 'x' })],
  'POST /notes/:note_id/remove': () => [post('/notes/1/remove', {})],
  'POST /triggers/:package/:version/:action': () => [
    post('/triggers/hello/1/retry', { group: 'regression' }),
  ],
  'POST /api/v1/keys': () => [post('/api/v1/keys', { name: 'x' })],
  'POST /api/v1/keys/:id': () => [post('/api/v1/keys/1', {})],
  'POST /user/:user/keys/:id': () => [post('/user/alice/keys/1', {})],
  'POST /api/v1/keys/:id/rotate': () => [post('/api/v1/keys/1/rotate', {})],
  'POST /user/login': () => [post('/user/login', { name: 'alice', password: 'x' })],
  'POST /-/look': () => [post('/-/look', { look: 'dark', back: '/' })],
  'POST /user/logout': () => [post('/user/logout', {})],
  'POST /user/:user/webhooks': () => [post('/user/alice/webhooks', { url: 'https://hooks.example.org/' })],
  'POST /user/:user/webhooks/:webhook_id': () => [
    post('/user/alice/webhooks/1', { url: 'https://hooks.example.org/' }),
  ],
  'POST /user/:user/webhooks/:webhook_id/rotate': () => [post('/user/alice/webhooks/1/rotate', {})],
  'POST /user/:user/webhooks/:webhook_id/ping': () => [post('/user/alice/webhooks/1/ping', {})],
  'POST /user/:user/webhooks/:webhook_id/enable': () => [post('/user/alice/webhooks/1/enable', {})],
  'POST /user/:user/webhooks/:webhook_id/disable': () => [post('/user/alice/webhooks/1/disable', {})],
  'POST /user/:user/webhooks/:webhook_id/remove': () => [post('/user/alice/webhooks/1/remove', {})],
  'POST /user/:user/webhooks/:webhook_id/recover': () => [
    post('/user/alice/webhooks/1/recover', { since: 0 }),
  ],
  'POST /user/:user/webhooks/:webhook_id/deliveries/:delivery_id/redeliver': () => [
    post('/user/alice/webhooks/1/deliveries/1/redeliver', {}),
  ],
  'POST /user/:user/keys': () => [post('/user/alice/keys', { name: 'x' })],
  'POST /user/:user/keys/:id/rotate': () => [post('/user/alice/keys/1/rotate', {})],
  'POST /user/:user/keys/:id/revoke': () => [post('/user/alice/keys/1/revoke', {})],
  'POST /user/:user/test/publish': ({ runs }) =>
    runs.map(({ runId }) => post('/user/alice/test/publish', { [`run-${runId}`]: 'on' })),
  'POST /user/:user/packages/follow': () => [post('/user/alice/packages/follow', { packages: '*' })],
  'POST /user/:user/packages/unfollow': () => [post('/user/alice/packages/unfollow', { package: '*' })],
  'POST /user/:user/packages/follow-more': ({ runs }) =>
    runs.map(({ runId }) => post('/user/alice/packages/follow-more', { name: String(runId) })),
  'POST /user/:user/follow': ({ runs }) =>
    runs.map(({ runId }) => post('/user/alice/follow', { run: String(runId) })),
  'POST /user/:user/unfollow': ({ runs }) =>
    runs.map(({ runId }) => post('/user/alice/unfollow', { run: String(runId) })),
  'POST /user/:user/packages/mail': () => [
    post('/user/alice/packages/mail', { address: 'eve@example.org', period: 'hour' }),
  ],
  'POST /user/:user/packages/mail/end': () => [post('/user/alice/packages/mail/end', {})],
  'GET /mail/confirm/:token': () => get(`/mail/confirm/${'x'.repeat(43)}`),
  'GET /mail/unsubscribe/:token': () => get(`/mail/unsubscribe/${'x'.repeat(43)}`),
  'POST /mail/confirm/:token': () => [post(`/mail/confirm/${'x'.repeat(43)}`, {})],
  'POST /mail/unsubscribe/:token': () => [post(`/mail/unsubscribe/${'x'.repeat(43)}`, {})],
  'POST /user/:user/packages/feed': () => [post('/user/alice/packages/feed', {})],
  'POST /user/:user/packages/feed/end': () => [post('/user/alice/packages/feed/end', {})],
  'POST /user/:user/test/submit': () => [post('/user/alice/test/submit', { packages: 'x' })],
  'POST /user/:user/test/export': () => [post('/user/alice/test/export', { packages: 'x' })],
  'POST /user/:user/test/upload': () => [post('/user/alice/test/upload', { tests: [] })],
  'POST /user/:user/jobs/cancel': ({ runs }) =>
    runs.map(({ runId }) => post('/user/alice/jobs/cancel', { [`run-${runId}`]: 'on' })),
  'POST /user/:user/jobs/retry': ({ runs }) =>
    runs.map(({ runId }) => post('/user/alice/jobs/retry', { [`run-${runId}`]: 'on' })),
  'POST /user/:user/retry/:run_id': ({ runs }) =>
    runs.map(({ runId }) => post(`/user/alice/retry/${runId}`, {})),
  'DELETE /api/v1/keys/:id': () => [{ method: 'DELETE', path: '/api/v1/keys/1' }],
};
