import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Home } from '@proctor/embedded';
import { unpackWithDependencies } from '@libs/embedded/src/unpacked-packages';

const run = promisify(execFile);

/**
 * The root folder of a shell of Debian: the machine's own, else a download in the folder in which `npm start` stores
 * packages.
 */
async function rootOf(shell: 'zsh' | 'fish'): Promise<string> {
  if (existsSync(join('/usr/bin', shell))) return '/';
  const { path } = await Home.findHome(process.env, process.cwd());
  const folder = join(path, `${shell}-package`);
  if (!existsSync(folder)) await unpackWithDependencies([shell], folder);
  return folder;
}

/** The completions that fish offers after a line, with a script of completions. */
export async function offeredByFish(script: string, line: string): Promise<string[]> {
  const root = await rootOf('fish');
  const libraries = await librariesOf(root);
  const env = { ...process.env, LD_LIBRARY_PATH: libraries.join(':') };
  return inFolder(script, async (file, folder) => {
    const commands = `source ${file}; complete -C '${line}'`;
    const { stdout } = await run(join(root, 'usr/bin/fish'), ['--no-config', '-c', commands], {
      cwd: folder,
      env: { ...env, HOME: folder },
    });
    return matchesIn(stdout.replace(/\t.*$/gm, ''));
  });
}

/**
 * The completions that zsh offers, on its own terminal.
 * @param how whether the script is read at the start, or found in `$fpath` when it is needed
 */
export async function offeredByZsh(
  script: string,
  line: string,
  how: 'sourced' | 'found',
): Promise<string[]> {
  const root = await rootOf('zsh');
  const program = join(root, existsSync(join(root, 'bin/zsh')) ? 'bin/zsh' : 'usr/bin/zsh');
  return inFolder(script, async (file, folder) => {
    await writeFile(
      join(folder, 'inner'),
      inner(root, await modulesOf(root), how === 'sourced' ? file : folder),
    );
    await writeFile(join(folder, 'outer'), OUTER);
    const env = { ...process.env, HOME: folder, ZDOTDIR: folder, LINE: line, ZSH: program };
    const words = ['-f', join(folder, 'outer'), await modulesOf(root), join(folder, 'inner')];
    const { stdout } = await run(program, words, { cwd: folder, env, timeout: 30_000 });
    return matchesIn(stdout.replaceAll('\r', ''));
  });
}

/** Runs inside the terminal: whatever is offered is printed between two marks, and then the shell ends. */
const inner = (root: string, modules: string, script: string): string => `
module_path=(${modules})
fpath=(${root === '/' ? '$fpath' : `${root}/usr/share/zsh/functions/**/*(/)`} ${script.endsWith('_proctor') ? '' : script})
autoload -U compinit; compinit -D -u
${script.endsWith('_proctor') ? `source ${script}` : ''}
bindkey '^I' complete-word
begin() { print -r -- '<<<' }
finish() { print -r -- '>>>'; exit }
compprefuncs=(begin) comppostfuncs=(finish)
compadd() {
  if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd "$@"; return; fi
  local -a found
  builtin compadd -A found "$@"
  print -rl -- $found
  builtin compadd "$@"
}
print -r -- READY
`;

const OUTER = `
module_path=($1); zmodload zsh/zpty
zpty terminal "$ZSH -f -i"
zpty -w terminal "module_path=($1); PROMPT=; source $2"
while zpty -r terminal read; do [[ $read == *READY* ]] && break; done
zpty -w -n terminal "$LINE"$'\\t'
while zpty -r terminal read; do [[ $read == *'<<<'* ]] && break; done
while zpty -r terminal read; do [[ $read == *'>>>'* ]] && break; print -r -- $read; done
zpty -d terminal
`;

async function modulesOf(root: string): Promise<string> {
  for (const folder of await librariesOf(root)) {
    const versions = await readdir(join(folder, 'zsh')).catch(() => []);
    if (versions[0] !== undefined) return join(folder, 'zsh', versions[0]);
  }
  throw new Error(`there are no modules of zsh below ${root}`);
}

async function librariesOf(root: string): Promise<string[]> {
  const names = await readdir(join(root, 'usr/lib'));
  return names.filter((name) => name.includes('-linux-gnu')).map((name) => join(root, 'usr/lib', name));
}

async function inFolder<T>(script: string, work: (file: string, folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'proctor-shell-'));
  try {
    const file = join(folder, '_proctor');
    await writeFile(file, script);
    return await work(file, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function matchesIn(text: string): string[] {
  return text
    .split('\n')
    .map((match) => match.trim())
    .filter((match) => match !== '')
    .sort();
}
