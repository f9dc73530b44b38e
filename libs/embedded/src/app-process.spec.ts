import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppProcess, stopLeftOverApp } from './app-process';
import { asIdentity, isRunning } from './process-identity';

/** Says two lines, then that it is ready; ends in order on SIGTERM. */
const WELL_BEHAVED = `
  process.on('SIGTERM', () => { console.log('bye'); process.exit(0); });
  process.on('disconnect', () => process.exit(0));
  console.log('one'); console.error('two ' + process.env.WORD);
  process.send({ ready: true });`;

describe('AppProcess', () => {
  let folder: string;
  let lines: string[];
  let app: AppProcess;

  const make = async (source: string): Promise<AppProcess> => {
    const main = join(folder, 'main.js');
    await writeFile(main, source);
    return (app = new AppProcess({
      name: 'api',
      main,
      env: { ...process.env, WORD: 'here' },
      identityFile: join(folder, 'api.json'),
      onLine: (line) => lines.push(line),
    }));
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'app-process-'));
    lines = [];
  });
  afterEach(async () => {
    await app.stop();
    await rm(folder, { recursive: true });
  });

  it('an app process starts, passes on lines of both outputs, and ends in order', async () => {
    await (await make(WELL_BEHAVED)).start();
    await app.stop();
    expect(await app.whenEnded).toEqual({ code: 0, signal: null });
    expect(lines.sort()).toEqual(['bye', 'one', 'two here']);
    expect(await readdir(folder)).toEqual(['main.js']);
  });

  it('an app process starts again after it died', async () => {
    await (await make(WELL_BEHAVED)).start();
    const first = app.pid;
    app.kill('SIGKILL');
    expect(await app.whenEnded).toEqual({ code: null, signal: 'SIGKILL' });
    await app.start();
    expect(app.pid).not.toBe(first);
  });

  it('the start of an app process is rejected when it ends before it is ready', async () => {
    await make('process.exit(3)');
    await expect(app.start()).rejects.toThrow('api ended with exit code 3 before it was ready');
  });

  it('the start of an app process is rejected when it is stopped before it is ready', async () => {
    await make('setInterval(() => undefined, 1000); console.log("up")');
    const rejection = expect(app.start()).rejects.toThrow(
      'api ended with signal SIGTERM before it was ready',
    );
    await app.stop();
    await rejection;
  });

  it('an app process has ten minutes to become ready: machines may be slow', async () => {
    const limit = new AbortController();
    const timeouts = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal);
    await make('setInterval(() => undefined, 1000)');
    const rejection = expect(app.start()).rejects.toThrow('api was not ready after 600 s');
    limit.abort();
    await rejection;
    expect(timeouts.mock.calls).toEqual([[600_000]]);
    timeouts.mockRestore();
  });

  it('an app process is found by the next supervisor, which waits for its end', async () => {
    // Ends some time after the signal.
    await (await make(WELL_BEHAVED)).start();
    const identityFile = join(folder, 'api.json');
    const identity = asIdentity(JSON.parse(await readFile(identityFile, 'utf8')));
    expect(identity?.pid).toBe(app.pid);
    const end = stopLeftOverApp(identityFile);
    app.kill('SIGTERM');
    await end;
    expect(isRunning(identity!)).toBe(false);
    expect(await readdir(folder)).toEqual(['main.js']);
  });

  it('an identity file that is missing or broken names no app process', async () => {
    await make('');
    const identityFile = join(folder, 'api.json');
    await stopLeftOverApp(identityFile);
    await writeFile(identityFile, '{');
    await stopLeftOverApp(identityFile);
    expect(await readdir(folder)).toEqual(['main.js']);
  });
});
