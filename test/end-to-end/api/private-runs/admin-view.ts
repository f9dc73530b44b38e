import { get, post, type Ask } from './asks';

/** What administrators see. */
export const ADMIN_VIEWS: Record<string, () => Ask[]> = {
  'GET /api/v1/admin/decisions': () => get('/api/v1/admin/decisions'),
  'GET /api/v1/admin/audit': () => get('/api/v1/admin/audit'),
  'GET /api/v1/admin/users': () => get('/api/v1/admin/users'),
  'GET /api/v1/admin/keys': () => get('/api/v1/admin/keys'),
  'GET /api/v1/admin/workers': () => get('/api/v1/admin/workers'),
  'GET /admin': () => get('/admin/'),
  'GET /admin/users': () => get('/admin/users/'),
  'GET /admin/users/:name': () => get('/admin/users/alice'),
  'GET /admin/keys': () => get('/admin/keys/'),
  'GET /admin/workers': () => get('/admin/workers/'),
  'GET /api/v1/admin/configuration': () => get('/api/v1/admin/configuration'),
  'GET /api/v1/admin/packages/:package': () => get('/api/v1/admin/packages/secret'),
  'GET /admin/packages': () => get('/admin/packages/?package=secret'),
  'GET /admin/configuration': () => get('/admin/configuration/'),
  'GET /admin/audit': () => get('/admin/audit/'),
  'GET /admin/audit.json': () => get('/admin/audit.json'),
};

/** What administrators change. */
export const ADMIN_CHANGES: Record<string, () => Ask[]> = {
  'POST /api/v1/admin/pause': () => [post('/api/v1/admin/pause', { suite: 'bookworm', reason: 'x' })],
  'POST /api/v1/admin/resume': () => [post('/api/v1/admin/resume', { suite: 'bookworm' })],
  'POST /api/v1/admin/drain': () => [post('/api/v1/admin/drain', { worker: 'w1', reason: 'x' })],
  'POST /api/v1/admin/undrain': () => [post('/api/v1/admin/undrain', { worker: 'w1' })],
  'POST /api/v1/admin/quarantine': () => [post('/api/v1/admin/quarantine', { worker: 'w1', reason: 'x' })],
  'POST /api/v1/admin/trust': () => [post('/api/v1/admin/trust', { worker: 'w1' })],
  'POST /api/v1/admin/workers': () => [
    post('/api/v1/admin/workers', { name: 'w1', architectures: ['amd64'] }),
  ],
  'POST /api/v1/admin/workers/:name/rotate': () => [post('/api/v1/admin/workers/w1/rotate', {})],
  'POST /api/v1/admin/workers/:name/revoke': () => [post('/api/v1/admin/workers/w1/revoke', {})],
  'POST /api/v1/admin/users': () => [post('/api/v1/admin/users', { name: 'x' })],
  'POST /api/v1/admin/users/:name/password': () => [post('/api/v1/admin/users/alice/password', {})],
  'POST /api/v1/admin/users/:name/administrator': () => [
    post('/api/v1/admin/users/alice/administrator', { admin: true }),
  ],
  'POST /api/v1/admin/users/:name/end_sessions': () => [post('/api/v1/admin/users/alice/end_sessions', {})],
  'POST /api/v1/admin/users/:name/disable': () => [post('/api/v1/admin/users/alice/disable', {})],
  'POST /api/v1/admin/users/:name/enable': () => [post('/api/v1/admin/users/alice/enable', {})],
  'POST /api/v1/admin/users/:name/remove': () => [post('/api/v1/admin/users/alice/remove', {})],
  'POST /admin/users/:name/:change': () => [post('/admin/users/alice/disable', {})],
  'POST /api/v1/admin/keys/:id/revoke': () => [post('/api/v1/admin/keys/1/revoke', {})],
  'POST /admin/workers': () => [post('/admin/workers', { name: 'w1', architectures: 'amd64' })],
  'POST /admin/workers/:name/rotate': () => [post('/admin/workers/w1/rotate', {})],
  'POST /admin/workers/:name/revoke': () => [post('/admin/workers/w1/revoke', {})],
  'POST /admin/workers/:name/drain': () => [post('/admin/workers/w1/drain', { reason: 'x' })],
  'POST /admin/workers/:name/undrain': () => [post('/admin/workers/w1/undrain', {})],
  'POST /admin/workers/:name/quarantine': () => [post('/admin/workers/w1/quarantine', { reason: 'x' })],
  'POST /admin/workers/:name/trust': () => [post('/admin/workers/w1/trust', {})],
  'POST /admin/queues/pause': () => [post('/admin/queues/pause', { reason: 'x' })],
  'POST /admin/queues/resume': () => [post('/admin/queues/resume', {})],
  'POST /admin/queues/cancel': () => [post('/admin/queues/cancel', { suite: 'bookworm' })],
  'POST /admin/queues/priority': () => [post('/admin/queues/priority', { suite: 'bookworm', priority: 1 })],
  'POST /api/v1/admin/packages/:package/backend': () => [
    post('/api/v1/admin/packages/secret/backend', { backend: 'qemu' }),
  ],
  'POST /admin/packages/:package/backend': () => [
    post('/admin/packages/secret/backend', { backend: 'qemu' }),
  ],
  'POST /admin/users': () => [post('/admin/users', { name: 'x' })],
  'POST /admin/users/:name/password': () => [post('/admin/users/alice/password', {})],
  'POST /admin/users/:name/administrator': () => [post('/admin/users/alice/administrator', { admin: true })],
  'POST /admin/users/:name/end-sessions': () => [post('/admin/users/alice/end-sessions', {})],
  'POST /admin/keys/:id/revoke': () => [post('/admin/keys/1/revoke', {})],
};
