import { PassThrough } from 'node:stream';
import { confirmOnTerminal } from './ask';

const own = Object.getOwnPropertyDescriptor(process, 'stdin')!;
afterEach(() => void Object.defineProperty(process, 'stdin', own));

function typed(answer: string, isTTY: boolean): void {
  const stdin = new PassThrough();
  stdin.end(`${answer}\n`);
  Object.defineProperty(process, 'stdin', { configurable: true, value: Object.assign(stdin, { isTTY }) });
}

it('who sits at a terminal is asked before a worker, a key or a user is taken out, and a script is not', async () => {
  const output = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    typed('n', true);
    await expect(confirmOnTerminal('key 1 ends', {})).rejects.toThrow('nothing was changed');
    expect(output.mock.calls.flat().join('')).toContain('key 1 ends. Go on? [y/N]');
    typed('y', true);
    await confirmOnTerminal('key 1 ends', {});
    typed('n', true);
    await confirmOnTerminal('key 1 ends', { yes: true });
    typed('n', false);
    await confirmOnTerminal('key 1 ends', {});
  } finally {
    output.mockRestore();
  }
});
