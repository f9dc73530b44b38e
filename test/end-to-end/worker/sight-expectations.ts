import type { Sight } from './sight-origins';
import type { SightStage } from './sight-stage';
import type { TestMachine } from './test-machine';

/** What stands in the environment of each process of a run: ours, autopkgtest's, and what a login shell sets. */
const VARIABLES = [
  /^(PATH|LANG|HOME|TMPDIR|PWD|OLDPWD|SHLVL|_|LOGNAME|USER|SHELL|TERM|DEBIAN_FRONTEND|LC_[A-Z]+|MAIL)$/,
  /^(ADT|AUTOPKGTEST|DEB|DPKG|XDG|SUDO|SCHROOT|container|PODMAN|LXC|SYSTEMD)[A-Za-z_]*$/,
  // A container's own: podman's, and what systemd.exec(5) lists.
  /^(HOSTNAME|LISTEN_[A-Z]+|NOTIFY_SOCKET|WATCHDOG_[A-Z]+|[A-Z]+_DIRECTORY)$/,
  // What Debian's initramfs leaves to the init of a virtual machine.
  /^(PS1|drop_caps|init|rootmnt)$/,
  /^(http_proxy|no_proxy|PYTHON[A-Z]*|INVOCATION_ID|JOURNAL_STREAM|MEMORY_PRESSURE_[A-Z]+)$/,
];

/** What a container or a virtual machine has of its own: its systemd's, lxc's and podman's sockets, and those that Linux itself has named. */
const OWN_SOCKETS = [
  /^\/run\/(dbus|systemd|udev|user)\//,
  /^@\/var\/lib\/lxc\/autopkgtest-lxc-/,
  /^\/proc\/self\/fd\/\d+\/attach$/,
  /^@[0-9a-f]{5}$/,
];

/** Nothing of any deployment, in no backend. */
export function expectNothing(sight: Sight, stage: SightStage, machine: TestMachine): void {
  expect(sight.found.filter(([secret]) => secret !== 'shown')).toEqual([]);
  expect(sight.marked).toEqual([]);
  expect(stage.hiddenOnes(sight, machine)).toEqual([]);
  expect(sight.reached).toEqual([]);
  expect(sight.listeners).toEqual([]);
  expect(sight.variables.filter((name) => !VARIABLES.some((expression) => expression.test(name)))).toEqual(
    [],
  );
}

/** Everything else is the machine's system, the image, or what is put there. */
export async function expectOnlyWhatIsKnown(
  sight: Sight,
  stage: SightStage,
  machine: TestMachine,
  backend: string,
): Promise<void> {
  expect(await stage.strays(sight, machine, backend)).toEqual([]);
  const sockets = [...sight.abstract, ...sight.sockets];
  expect(sockets.filter((name) => !OWN_SOCKETS.some((expression) => expression.test(name)))).toEqual([]);
}
