import { BadRequestException, NotFoundException } from '@nestjs/common';
import { Refusal } from '@proctor/administration';
import {
  BrokenOff,
  DatabaseUnavailable,
  UnknownWorker,
  WorkerExists,
  WorkerRevoked,
} from '@proctor/database';
import { StoreUnavailable } from '@proctor/store';
import { jsonParameters } from './parameters';
import { badRequest, Problem } from './problem';
import { problemOf } from './problem-of';

it('a Problem stays as it is', () => {
  const problem = badRequest('since is missing.');
  expect(problemOf(problem)).toBe(problem);
});

it('a database that is away is answered with 503 and Retry-After, and without its address', () => {
  const problem = problemOf(new DatabaseUnavailable(new Error('connect ECONNREFUSED 10.1.2.3:5432')));
  expect(problem.status).toBe(503);
  expect(problem.headers).toEqual({ 'Retry-After': '5' });
  expect(problem.detail).toContain('nothing was changed');
  expect(problem.detail).not.toContain('10.1.2.3');
});

it('the answer to a commit of an unknown end says how to find out, not that nothing was changed', () => {
  const problem = problemOf(new DatabaseUnavailable(new Error('gone'), 'unknown'));
  expect([problem.status, problem.headers]).toEqual([503, { 'Retry-After': '5' }]);
  expect(problem.detail).not.toContain('nothing was changed');
  expect(problem.detail).toMatch(/not known.*Idempotency-Key.*GET \/api\/v1\/test/);
});

it.each([
  ['invalid', 400],
  ['forbidden', 403],
  ['unknown', 404],
  ['conflict', 409],
] as const)('a refusal of the kind %s is answered with %i, in a sentence', (kind, status) => {
  const problem = problemOf(new Refusal(kind, 'worker w1 is not drained'));
  expect([problem.status, problem.detail, problem.errors]).toEqual([status, 'Worker w1 is not drained.', []]);
});

it('the name of a field is kept as it is spelled, and its place in the body is named', () => {
  const refusal = new Refusal('invalid', 'suite "sdi" is unknown', 'suite');
  const parameters = jsonParameters({ suite: 'sdi' });
  const detail = 'suite "sdi" is unknown.';
  expect(problemOf(refusal, parameters)).toMatchObject({ detail, errors: [{ pointer: '#/suite', detail }] });
  expect(problemOf(refusal)).toMatchObject({ detail, errors: [] });
});

it.each([
  [new UnknownWorker('w1'), 404, 'There is no worker w1.'],
  [new WorkerExists('w1'), 409, 'There is already a worker w1.'],
  [new WorkerRevoked('w1'), 409, 'Worker w1 is revoked.'],
])('an error of the register is answered with what it says: %s', (error, status, detail) => {
  expect(problemOf(error)).toMatchObject({ status, detail });
});

it('the answer to what broke off says how much of it was done', () => {
  const outage = (extent: 'nothing' | 'unknown') => new DatabaseUnavailable(new Error('gone'), extent);
  const detail = (error: DatabaseUnavailable) => problemOf(new BrokenOff([3, 4, 5], error)).detail;
  expect(detail(outage('nothing'))).toMatch(/: 3 runs were changed .* goes on with the rest\./);
  expect(detail(outage('unknown'))).toContain(': at least 3 runs were changed');
});

it('a store that is away is answered with 503 and Retry-After, and without its address', () => {
  const problem = problemOf(new StoreUnavailable('the bucket b of http://10.1.2.3', new Error('EPIPE')));
  expect(problem.status).toBe(503);
  expect(problem.headers).toEqual({ 'Retry-After': '5' });
  expect(problem.detail).not.toContain('10.1.2.3');
});

it.each([
  [new NotFoundException('Cannot GET /x'), 404, 'Cannot GET /x.'],
  [new BadRequestException("Failed to decode param '%ff'"), 400, "Failed to decode param '%ff'."],
  [Object.assign(new Error('request aborted'), { status: 400, expose: true }), 400, 'Request aborted.'],
  [
    Object.assign(new Error('request entity too large'), { status: 413, expose: true, limit: 99 }),
    413,
    'The body is larger than the limit of 99 bytes.',
  ],
])('the answer takes over %s', (error, status, detail) => {
  expect(problemOf(error)).toMatchObject({ status, detail });
});

it.each([
  new Error('secret'),
  Object.assign(new Error('secret'), { status: 400, expose: false }),
  Object.assign(new Error('secret'), { status: 500, expose: true }),
  'secret',
  null,
  undefined,
])('the answer hides %s', (error) => {
  const problem = problemOf(error);
  expect(problem.status).toBe(500);
  expect(JSON.stringify(problem.document())).not.toContain('secret');
});

it('the document of a problem has errors only where there are some', () => {
  expect(badRequest('No.').document()).toEqual({ title: 'Bad Request', status: 400, detail: 'No.' });
  const errors = [{ pointer: '#/0', detail: 'no' }];
  expect(badRequest('No.', errors).document()).toMatchObject({ errors });
});

it('each status of a problem has a title of its own', () => {
  expect(
    [400, 403, 404, 405, 413, 415, 416, 503].map((status) => new Problem(status, '').title),
  ).not.toContain('Error');
});
