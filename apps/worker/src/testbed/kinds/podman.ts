import { rootedCommand } from '../../sandbox/rooted-command';
import { PLAIN_WITH_USER } from '../images/image-shape';
import { PATIENTLY, writePatience } from './patience';
import { findOverlayProblem } from './surroundings';
import { TRIAL_TIMEOUT_MS, type TestbedKind } from './testbed-kind';

const IMAGE = 'localhost/testbed';

/**
 * podman's storage and configuration in the work area, always at the same path: its database names it. The container
 * shares the sandbox's network and control group.
 */
const STORAGE = `
home=/run/testbed
mkdir -p "$home" "$TMPDIR/podman/storage"
mount --bind "$TMPDIR/podman" "$home"
# Its own are more than a sandbox may have, or fewer than a test needs.
limits() { echo "$(ulimit -S "$1"):$(ulimit -H "$1")" | sed 's/unlimited/-1/g'; }
cat >"$home/containers.conf" <<END
[containers]
cgroups = "disabled"
no_hosts = true
default_ulimits = ["nofile=$(limits -n)", "nproc=$(limits -p)"]
netns = "host"
[engine]
cgroup_manager = "cgroupfs"
events_logger = "none"
runtime = "crun"
END
cat >"$home/storage.conf" <<END
[storage]
driver = "overlay"
graphroot = "$home/storage"
runroot = "/run/containers"
END
export CONTAINERS_CONF="$home/containers.conf" CONTAINERS_STORAGE_CONF="$home/storage.conf"
`;

const PREPARE = `${PATIENTLY}
image=$1
shift
${STORAGE}
tar --extract --numeric-owner --directory="$home/storage" --file="$image"
`;

/** Importing takes longer than many tests: the image is podman's storage after the import. */
const IMPORT = `
${STORAGE}
podman import --quiet "$1" ${IMAGE} >&2
tar --create --numeric-owner --directory="$home/storage" .
`;

/** autopkgtest-virt-podman: a container without an init. */
export const PODMAN: TestbedKind = {
  name: 'podman',
  tools: () => ['podman', 'crun'],
  isolation: 'container without an init; no isolation-container, no reboot',
  emulates: true,
  image: { ...PLAIN_WITH_USER, finish: IMPORT },
  modes: [''],
  trialTimeoutMs: TRIAL_TIMEOUT_MS,
  findProblem: (sandboxes) => findOverlayProblem(sandboxes),
  use: async ({ image, folder }) => ({
    options: [],
    server: ['podman', IMAGE, '--stop-timeout=0'],
    wrapper: rootedCommand(PREPARE, [await writePatience(folder), image]),
  }),
};
