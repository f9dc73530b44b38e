import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { controlPlane } from '@test/bench/rows/control-plane';

const project = join(__dirname, '../../..');

/** At a tiny size, which says nothing of speed; `npm run bench -- --quick` does the same with all rows. */
it('the bench measures a row with the own processes and their peers, and ends well', async () => {
  const { name, figures } = controlPlane;
  const script = join(project, 'scripts/bench.mjs');
  const printed = await new Promise<{ code: number; lines: string[]; errors: string }>((resolve) => {
    execFile(process.execPath, [script, '--quick', name], { cwd: project }, (error, stdout, stderr) =>
      resolve({ code: error ? 1 : 0, lines: stdout.split('\n'), errors: stderr }),
    );
  });
  const first = printed.lines.findIndex((line) => line.startsWith(`| \`${name}\``));
  if (first < 0) throw new Error(`nothing was measured:\n${printed.errors}`);
  for (const [place, { unit }] of figures.entries())
    expect(printed.lines[first + place]).toMatch(new RegExp(`^\\| .* \\| -?[\\d,.]+ ${unit} \\|`));
  expect(printed.lines).toContain('1 passed, 0 failed');
  expect(printed.code).toBe(0);
});
