import { isLoopbackUrl, newWorkerView } from './new-worker-view';

const credentials = { name: 'w17', url: 'tls://nats.example.org:4222', seed: 'SUA' };

it('the steps of a new worker install, write its two files, check and start', () => {
  const { steps, isLoopback } = newWorkerView({ worker: 'w17', credentials, notice: null }, [
    'arm64',
    'armhf',
  ]);
  expect(isLoopback).toBe(false);
  expect(steps.map(({ commands }) => commands)).toEqual([
    'apt install ./proctor_*.deb ./proctor-worker_*.deb',
    `install -d -m 755 /etc/proctor-worker
install -m 600 /dev/stdin /etc/proctor-worker/credentials.json <<'END'
${JSON.stringify(credentials, null, 2)}
END`,
    `install -m 644 /dev/stdin /etc/proctor-worker/worker.yaml <<'END'
name: "w17"
architectures: ["arm64","armhf"]
END`,
    'proctor worker check',
    'systemctl enable --now proctor-worker',
  ]);
});

it.each([
  ['nats://127.0.0.1:4222', true],
  ['nats://localhost:4222', true],
  ['nats://[::1]:4222', true],
  ['tls://a.example.org:4222,tls://127.0.0.2:4222', true],
  ['tls://nats.example.org:4222', false],
  ['nats://10.0.0.1:4222', false],
  ['nats://localhost.example.org:4222', false],
])('%s is an address of the machine itself: %s', (url, isLoopback) => {
  expect(isLoopbackUrl(url)).toBe(isLoopback);
});
