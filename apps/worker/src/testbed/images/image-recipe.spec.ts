import { BOOTABLE, PLAIN } from './image-shape';
import { buildCommand, definition, fingerprint, imageRecipe } from './image-recipe';

const SOURCES = { lines: ['deb http://mirror.example/debian bookworm main'], keys: [] };

it('a recipe feeds the sources to standard input, so that they become sources.list', () => {
  const { command, sourcesList } = imageRecipe('bookworm', 'amd64', PLAIN, SOURCES, []);
  expect(command.slice(-3)).toEqual(['bookworm', '-', '-']);
  expect(command).toContain('--architectures=amd64');
  expect(command).toContain('--skip=cleanup/apt/lists,cleanup/apt/cache,cleanup/reproducible');
  expect(sourcesList).toBe('deb http://mirror.example/debian bookworm main\n');
});

it('a recipe includes settings and keys of the machine', () => {
  const settings = [{ name: 'Acquire::Check-Valid-Until', value: 'false' }];
  const keys = [{ path: '/usr/share/keyrings/own.gpg', content: null }];
  const { command, aptConfiguration } = imageRecipe(
    'bookworm',
    'amd64',
    PLAIN,
    { ...SOURCES, keys },
    settings,
  );
  expect(aptConfiguration).toBe('Acquire::Check-Valid-Until "false";\n');
  expect(command).toContain('--setup-hook=mkdir -p "$1/usr/share/keyrings"');
  expect(command).toContain('--setup-hook=upload /usr/share/keyrings/own.gpg /usr/share/keyrings/own.gpg');
});

it('mmdebstrap reads the machine’s settings from a file, and the image does not keep them', () => {
  const settings = [{ name: 'Acquire::http::Proxy', value: 'http://user:pass-word@proxy.example:3128/' }];
  const recipe = imageRecipe('bookworm', 'amd64', PLAIN, SOURCES, settings);
  expect(recipe.aptConfiguration).toContain('pass-word');
  const command = buildCommand(recipe, "/it's here/apt.conf");
  expect(command.join('\n')).not.toContain('pass-word');
  expect(command.slice(0, 2)).toEqual([
    'mmdebstrap',
    "--setup-hook=upload '/it'\\''s here/apt.conf' /etc/apt/apt.conf.d/99proctor-build",
  ]);
  const hooks = command.filter((argument) => argument.startsWith('--customize-hook='));
  expect(hooks.at(-1)).toBe('--customize-hook=rm "$1"/etc/apt/apt.conf.d/99proctor-build');
});

it('a key file is refused when a shell could read its path differently', () => {
  const keys = [{ path: '/keys/$(id).gpg', content: null }];
  expect(() => imageRecipe('bookworm', 'amd64', PLAIN, { ...SOURCES, keys }, [])).toThrow('unusual path');
});

it('a recipe has another fingerprint when the image would be built differently', () => {
  const plain = fingerprint(imageRecipe('bookworm', 'amd64', PLAIN, SOURCES, []));
  expect(fingerprint(imageRecipe('bookworm', 'amd64', PLAIN, SOURCES, []))).toBe(plain);
  expect(fingerprint(imageRecipe('bookworm', 'amd64', PLAIN, { ...SOURCES, lines: [] }, []))).not.toBe(plain);
  expect(fingerprint(imageRecipe('bookworm', 'amd64', PLAIN, SOURCES, [{ name: 'A', value: 'b' }]))).not.toBe(
    plain,
  );
});

it('what a release gives to an image does not depend on its sources, but on its architecture and shape', () => {
  const own = definition('amd64', PLAIN);
  expect(definition('amd64', PLAIN)).toBe(own);
  expect(definition('arm64', PLAIN)).not.toBe(own);
  expect(definition('amd64', BOOTABLE)).not.toBe(own);
});

it('a recipe adds what the image’s shape asks for', () => {
  const finish = 'cat "$1"';
  const recipe = imageRecipe('bookworm', 'amd64', { ...BOOTABLE, hooks: ['true "$1"'], finish }, SOURCES, []);
  expect(recipe.command.find((argument) => argument.startsWith('--include='))).toMatch(
    /,dbus,.*systemd-sysv/,
  );
  expect(recipe.command).toContain('--customize-hook=true "$1"');
  expect(recipe.finish).toBe(finish);
  expect(fingerprint({ ...recipe, finish: null })).not.toBe(fingerprint(recipe));
});
