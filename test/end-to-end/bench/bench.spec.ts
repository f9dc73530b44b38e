import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { ROWS } from '../../bench/rows';

const project = join(__dirname, '../../..');

/** What `npm run bench -- --quick` printed: the rows at tiny sizes say nothing of speed, only that the bench works. */
let printed: { code: number; lines: string[]; errors: string };
beforeAll(async () => {
  const script = join(project, 'scripts/bench.mjs');
  printed = await new Promise((resolve) => {
    execFile(process.execPath, [script, '--quick'], { cwd: project }, (error, stdout, stderr) =>
      resolve({ code: error ? 1 : 0, lines: stdout.split('\n'), errors: stderr }),
    );
  });
}, 600_000);

const quickRows = ROWS.filter(({ isNeverQuick }) => !isNeverQuick);

it.each(quickRows.map((row) => [row.name, row] as const))('the bench measures %s', (name, { figures }) => {
  const first = printed.lines.findIndex((line) => line.startsWith(`| \`${name}\``));
  if (first < 0) throw new Error(`nothing was measured:\n${printed.errors}`);
  for (const [place, { unit }] of figures.entries())
    expect(printed.lines[first + place]).toMatch(new RegExp(`^\\| .* \\| -?[\\d,.]+ ${unit} \\|`));
});

it('the bench ends well when every row was measured', () => {
  expect(printed.lines).toContain(`${quickRows.length} passed, 0 failed`);
  expect(printed.code).toBe(0);
});
