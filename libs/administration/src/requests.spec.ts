import { DrainRequest, NewKey, NewWorker, PauseRequest, RestoreRequest } from '@proctor/resources';
import { Refusal, InvalidRequest, requestOf, Selection } from './requests';

const worker = { name: 'w1', architectures: ['amd64'] };

it.each([
  [PauseRequest, { reason: 'x' }],
  [PauseRequest, { suite: 'sid', arch: 'amd64', reason: 'x' }],
  [DrainRequest, { worker: 'w1', reason: 'x' }],
  [RestoreRequest, { worker: 'w1' }],
  [Selection, { run_ids: [1, 2], package: 'hello', trigger: '', suite: 'sid', arch: 'amd64', reason: 'x' }],
  [NewKey, { name: 'a laptop' }],
  [NewKey, { name: 'x', scope: 'read', expires_at: '9999-12-31' }],
  [NewKey, { name: 'x', scope: 'submit', expires_at: '9999-12-31T00:00:00.5+02:00' }],
  [NewKey, { name: 'x', expires_at: 'never' }],
  [NewWorker, worker],
  [NewWorker, { ...worker, private: true, url: 'nats://x:1', ca: 'x', reason: 'x' }],
])('%p takes %j', (shape, fields) => {
  expect({ ...requestOf<object>(shape, fields) }).toMatchObject(fields);
});

it.each([
  [PauseRequest, {}, 'reason', /^reason must be a string of 1 to 500 characters .*, and is missing$/],
  [
    PauseRequest,
    { suite: '../x', reason: ' ' },
    'reason',
    /^reason must be .*; suite must be the name of a suite/,
  ],
  [
    DrainRequest,
    { worker: 'a.b', reason: 'x' },
    'worker',
    /^worker must be the name of a worker, not "a\.b"$/,
  ],
  [Selection, { run_ids: [0.5] }, 'run_ids', /^run_ids must be an array of ids of runs/],
  [Selection, { package: 'No' }, 'package', /^package must be the name of a source package, not "No"$/],
  [NewKey, { name: '' }, 'name', /^name must be a string of 1 to 100 characters/],
  [NewKey, { name: 'x'.repeat(101) }, 'name', /^name must be a string of 1 to 100 characters/],
  [
    NewKey,
    { name: 'x', scope: 'admin' },
    'scope',
    /^scope must be one of everything, read, submit, not "admin"$/,
  ],
  [
    NewKey,
    { name: 'x', expires_at: '2020-01-01' },
    'expires_at',
    /^expires_at must be a date .* to come, or never, not "2020/,
  ],
  [NewKey, { name: 'x', expires_at: '9999-13-01' }, 'expires_at', /^expires_at must be a date/],
  [NewKey, { name: 'x', expires_at: '9999-12-31T00:00' }, 'expires_at', /^expires_at must be a date/],
  [NewKey, { name: 'x', expires_at: 5 }, 'expires_at', /^expires_at must be a date/],
  [NewWorker, { name: 'w1' }, 'architectures', /^architectures must be an array .*, and is missing$/],
  [NewWorker, { ...worker, architectures: ['amd64', 'A'] }, 'architectures', /each be .*, not "A"$/],
  [NewWorker, { ...worker, private: 'yes' }, 'private', /^private must be true or false, not "yes"$/],
])(
  'the refusal of %p with %j names each field that breaks a rule, the first for programs',
  (shape, fields, field, message) => {
    const build = (): unknown => requestOf<object>(shape, fields);
    expect(build).toThrow(InvalidRequest);
    expect(build).toThrow(Refusal);
    expect(refusalOf(build)).toMatchObject({
      kind: 'invalid',
      field,
      message: expect.stringMatching(message),
    });
  },
);

function refusalOf(make: () => unknown): unknown {
  try {
    return make();
  } catch (error) {
    return error;
  }
}
