import { BOOTABLE, PLAIN } from './image-shape';
import { fingerprint, imageRecipe } from './image-recipe';

const SOURCES = { lines: ['deb http://mirror.example/debian bookworm main'], keys: [] };

it('feeds the sources to standard input, so that they become sources.list', () => {
  const { command, sourcesList } = imageRecipe('bookworm', 'amd64', PLAIN, SOURCES, []);
  expect(command.slice(-3)).toEqual(['bookworm', '-', '-']);
  expect(command).toContain('--architectures=amd64');
  expect(command).toContain('--skip=cleanup/apt/lists,cleanup/apt/cache');
  expect(sourcesList).toBe('deb http://mirror.example/debian bookworm main\n');
});

it('takes settings and keys of the machine along', () => {
  const settings = [{ name: 'Acquire::Check-Valid-Until', value: 'false' }];
  const keys = [{ path: '/usr/share/keyrings/own.gpg', content: null }];
  const { command } = imageRecipe('bookworm', 'amd64', PLAIN, { ...SOURCES, keys }, settings);
  expect(command).toContain('--aptopt=Acquire::Check-Valid-Until "false"');
  expect(command).toContain('--setup-hook=mkdir -p "$1/usr/share/keyrings"');
  expect(command).toContain('--setup-hook=upload /usr/share/keyrings/own.gpg /usr/share/keyrings/own.gpg');
});

it('refuses a key file whose path a shell could read differently', () => {
  const keys = [{ path: '/keys/$(id).gpg', content: null }];
  expect(() => imageRecipe('bookworm', 'amd64', PLAIN, { ...SOURCES, keys }, [])).toThrow('unusual path');
});

it('has another fingerprint when the image would be built differently', () => {
  const plain = fingerprint(imageRecipe('bookworm', 'amd64', PLAIN, SOURCES, []));
  expect(fingerprint(imageRecipe('bookworm', 'amd64', PLAIN, SOURCES, []))).toBe(plain);
  expect(fingerprint(imageRecipe('bookworm', 'amd64', PLAIN, { ...SOURCES, lines: [] }, []))).not.toBe(plain);
  expect(fingerprint(imageRecipe('bookworm', 'amd64', PLAIN, SOURCES, [{ name: 'A', value: 'b' }]))).not.toBe(
    plain,
  );
});

it("adds what the image's shape asks for", () => {
  const finish = 'cat "$1"';
  const recipe = imageRecipe('bookworm', 'amd64', { ...BOOTABLE, hooks: ['true "$1"'], finish }, SOURCES, []);
  expect(recipe.command.find((argument) => argument.startsWith('--include='))).toMatch(
    /,dbus,.*systemd-sysv/,
  );
  expect(recipe.command).toContain('--customize-hook=true "$1"');
  expect(recipe.finish).toBe(finish);
  expect(fingerprint({ ...recipe, finish: null })).not.toBe(fingerprint(recipe));
});
