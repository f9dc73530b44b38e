import fc from 'fast-check';
import { RefusedByService, Service } from '../service/service';
import { printLog, LogConverter } from './log';

const bytes = (text: string): Uint8Array => Buffer.from(text);

function shownIn(pieces: Uint8Array[]): string {
  const visible = new LogConverter(true);
  return pieces.map((piece) => String(visible.of(piece))).join('');
}

it('a terminal gets colours and no other control characters', () => {
  expect(shownIn([bytes('a\u001b[31mred\u001b[0m\u0007\u001b]0;title\u0007\n\tb')])).toBe(
    'a\u001b[31mred\u001b[0m]0;title\n\tb',
  );
});

it('characters and colours that are cut between two pieces are shown as if they were not', () => {
  const log = Buffer.from('Größe \u001b[1;31mfehlt\u001b[0m: 日本\n');
  fc.assert(
    fc.property(fc.nat(log.length), (cut) => {
      expect(shownIn([log.subarray(0, cut), log.subarray(cut)])).toBe(log.toString());
    }),
  );
});

it('a pipe gets the bytes as they are', () => {
  const piece = Uint8Array.of(0xff, 0x1b, 0x07);
  expect(new LogConverter(false).of(piece)).toBe(piece);
});

it('no line is written over another: carriage returns begin a line, and line ends are one', () => {
  expect(shownIn([bytes('failed\rpassed\r\n10%\r\r\nnext\u0008\u009b2K\u0085')])).toBe(
    'failed\npassed\n10%\nnext2K',
  );
  expect(shownIn([bytes('a\r'), bytes('\nb\r'), bytes('c')])).toBe('a\nb\nc');
});

it('what turns the order of characters is named', () => {
  expect(shownIn([bytes('a\u202eb\u2066c')])).toBe('a[U+202E]b[U+2066]c');
});

describe('a run without a log', () => {
  const unstarted = new RefusedByService(404, 'Run 7 has not been started.', 2, null);

  function has(status: string | null): void {
    const service = {
      address: { url: 'http://x' },
      open: () => Promise.reject(unstarted),
      request: () => Promise.resolve({ run_id: 7, status, attempt: 0 }),
    };
    jest.spyOn(Service, 'find').mockResolvedValue(service as unknown as Service);
  }
  const once = { follow: false, offset: 0 };

  afterEach(() => jest.restoreAllMocks());

  it('is waited for while it waits', async () => {
    has(null);
    await expect(printLog(7, once)).rejects.toMatchObject({
      advice: 'wait for it: proctor run log --follow 7; why it waits: proctor run explain 7',
    });
  });

  it('is waited for no longer once it has ended', async () => {
    has('tmpfail');
    await expect(printLog(7, once)).rejects.toMatchObject({
      advice: 'the run has ended; how: proctor run show 7',
    });
    const notices = jest.spyOn(console, 'error').mockReturnValue();
    await printLog(7, { ...once, follow: true });
    expect(notices.mock.calls.join('')).toContain('run 7 has ended and was never started');
  });
});
