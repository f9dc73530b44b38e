import { spawnSync } from 'node:child_process';

/** Ends this process, naming what to type, when one of the programs is not there. */
export function requirePrograms(packageOf) {
  const missing = Object.keys(packageOf).filter((program) => output('which', [program]) === null);
  if (missing.length === 0) return;
  const packages = [...new Set(missing.map((program) => packageOf[program]))].join(' ');
  throw new Error(
    `${missing.join(', ')} missing: apt-get install --no-install-recommends ${packages} (as root)`,
  );
}

/** Runs a program; its output is shown only when it fails. */
export function run(program, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', ...options });
  if (status === 0) return stdout;
  throw new Error(`${program} ${args.join(' ')} failed\n${stdout ?? ''}${stderr ?? ''}`, { cause: error });
}

/** The output of a program without the last line end; null when it fails. */
export function output(program, args, options = {}) {
  const { status, stdout } = spawnSync(program, args, { encoding: 'utf8', ...options });
  return status === 0 ? stdout.trim() : null;
}
