import { ConfigurationFolder } from '@test/support/configuration-folder';
import { followConfiguration } from './follow';
import { LiveConfiguration } from './live-configuration';

const folder = new ConfigurationFolder();

it('every problem and every change is logged, and SIGHUP causes a reload', async () => {
  await folder.write('proctor.yaml', 'suites: [sid]');
  const live = await LiveConfiguration.load(['server'], folder.env);
  const lines: string[] = [];
  let wake = (): void => undefined;
  const line = (level: string) => (message: string) => {
    lines.push(`${level} ${message.replaceAll(folder.path, 'config')}`);
    wake();
  };
  const untilLines = async (count: number) => {
    while (lines.length < count) await new Promise<void>((resolve) => (wake = resolve));
    return lines.splice(0);
  };
  const before = process.listeners('SIGHUP');
  const watcher = followConfiguration(live, { log: line('log'), warn: line('warn'), error: line('error') });
  try {
    await folder.write('proctor.yaml', 'suits: [sid]\napi: { port: x }');
    process.emit('SIGHUP');
    const lines = await untilLines(3);
    expect(lines[0]).toMatch(
      /^error config is NOT in use: it has errors. The configuration that was read at 20.*Z stays in use. Errors:$/,
    );
    expect(lines.slice(1)).toEqual([
      'error config/proctor.yaml:1: suits: property suits should not exist; did you mean suites?',
      expect.stringMatching(/^error config\/proctor.yaml:2: api.port: .*found "x"/),
    ]);
    await folder.write('proctor.yaml', 'suites: [sid, trixie]\napi: { port: 1 }');
    process.emit('SIGHUP');
    expect(await untilLines(3)).toEqual([
      'log config is in use, with these changes:',
      'log proctor.yaml: suites: ["sid"] → ["sid","trixie"]',
      'warn proctor.yaml: api.port: 1 needs a restart; until then it is 8080',
    ]);
  } finally {
    await watcher.close();
    for (const listener of process.listeners('SIGHUP')) {
      if (!before.includes(listener)) process.removeListener('SIGHUP', listener);
    }
  }
});
