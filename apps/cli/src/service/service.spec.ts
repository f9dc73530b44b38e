import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EXIT } from '../failure';
import { Service } from './service';

let server: Server;
let answer: RequestListener;
let service: Service;
let requests: number;
beforeEach(async () => {
  requests = 0;
  server = createServer((request, response) => {
    requests += 1;
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  service = new Service({ url: `http://127.0.0.1:${port}/ci`, key: 'k', origin: 'context x' });
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

const problem = (status: number, detail: string, headers: Record<string, string> = {}): void => {
  answer = (_request, response) => {
    response.writeHead(status, { 'Content-Type': 'application/problem+json', ...headers });
    response.end(JSON.stringify({ title: 'x', status, detail }));
  };
};

it('a request has the key, its query, and a path below that of the service', async () => {
  const arrivals: unknown[] = [];
  answer = (request, response) => {
    arrivals.push([request.method, request.url, request.headers['auth-key']]);
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"a":1}');
  };
  expect(await service.request('/runs', { package: 'a+b', before: undefined })).toEqual({ a: 1 });
  expect(arrivals).toEqual([['GET', '/ci/api/v1/runs?package=a%2Bb', 'k']]);
});

it.each<[number, Record<string, string>, number, RegExp | null]>([
  [400, {}, EXIT.usage, null],
  [403, {}, EXIT.key, /^get a key at http:.*proctor context add NAME/],
  [403, { 'Auth-User': 'ann' }, EXIT.key, /the key \(context x\) is ann's/],
  [404, {}, EXIT.failed, null],
  [409, {}, EXIT.failed, null],
  [500, {}, EXIT.failed, /log of the api/],
  [503, {}, EXIT.tryLater, /type the same again/],
])('a refusal with %i %p has an exit code of its own', async (status, headers, code, advice) => {
  problem(status, 'Something is wrong.', headers);
  const refusal = await service.post('/x').catch((error: unknown) => error);
  expect(refusal).toMatchObject({ status, code });
  const actualAdvice = (refusal as { advice: string | null }).advice;
  if (advice === null) expect(actualAdvice).toBeNull();
  else expect(actualAdvice).toMatch(advice);
  expect(requests).toBe(1);
});

it('a request that changes nothing twice is sent again when the service is busy, with the same word', async () => {
  const words: unknown[] = [];
  answer = (request, response) => {
    words.push(request.headers['idempotency-key']);
    const isBusy = words.length < 3;
    response.writeHead(isBusy ? 503 : 201, { 'Content-Type': 'application/json', 'Retry-After': '0' });
    response.end('{"run_id":7}');
  };
  expect(await service.create('/retry/1')).toEqual({ run_id: 7 });
  expect(words).toEqual([words[0], words[0], words[0]]);
  expect(words[0]).toMatch(/^[0-9a-f-]{36}$/);
});

it('what is no answer of Proctor is called by its name', async () => {
  answer = (_request, response) => void response.writeHead(200, { 'Content-Type': 'text/html' }).end('<p>');
  await expect(service.request('/queues')).rejects.toMatchObject({
    message: expect.stringMatching(/answered with text\/html$/) as string,
    advice: 'is that Proctor? The address is from context x',
  });
});

it('a service that is away is no fault of who typed', async () => {
  const away = new Service({ url: 'http://127.0.0.1:1', key: 'k', origin: 'context x' });
  await expect(away.post('/x')).rejects.toMatchObject({
    code: EXIT.tryLater,
    message: expect.stringContaining('http://127.0.0.1:1 cannot be reached: ') as string,
    advice: 'is it running? The address is from context x',
  });
});
