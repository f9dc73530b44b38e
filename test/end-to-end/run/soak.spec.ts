import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { resolve } from 'node:path';

const root = resolve(__dirname, '../../..');

it('while everything is killed, frozen and starved, every accepted run ends exactly once', async () => {
  const args = ['scripts/soak.mjs', '--minutes', '0.4', '--rate', '25', '--fault-every', '1.2'];
  const soak = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const [output, trace, [code]] = await Promise.all([
    text(soak.stdout),
    text(soak.stderr),
    once(soak, 'exit') as Promise<[number | null]>,
  ]);
  const counts = new Map([...output.matchAll(/^\| (.+?) \| ([\d.]+) \|$/gm)].map(([, what, n]) => [what, n]));
  if (code !== 0) throw new Error(`the soak ended with ${code}:\n${trace}\n${output}`);
  const accepted = Number(counts.get('runs accepted'));
  const forgotten = Number(counts.get('runs forgotten by restores of the database'));
  expect(accepted + forgotten).toBeGreaterThan(500);
  expect(Number(counts.get('runs finished, each once'))).toBe(accepted);
  expect(counts.get('violations')).toBe('0');
});
