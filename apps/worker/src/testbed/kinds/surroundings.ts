import { rootedCommand } from '../../sandbox/rooted-command';
import type { Sandboxes } from '../../sandbox/sandboxes';

type Trials = Pick<Sandboxes, 'tryCommand'>;

const TRIAL_BYTES = 16 * 1024 * 1024;

/** An overlay in which a folder of the lower layer can be renamed, as dpkg does. */
const OVERLAY = `
mkdir -p "$TMPDIR/lower/folder" "$TMPDIR/upper" "$TMPDIR/work" "$TMPDIR/both"
mount -t overlay -o "lowerdir=$TMPDIR/lower,upperdir=$TMPDIR/upper,workdir=$TMPDIR/work,userxattr" proctor "$TMPDIR/both"
mkdir "$TMPDIR/both/folder.new"
rmdir "$TMPDIR/both/folder"
mv "$TMPDIR/both/folder.new" "$TMPDIR/both/folder"
`;

const GROUP = 'mkdir /sys/fs/cgroup/trial\nrmdir /sys/fs/cgroup/trial\n';

/** Why sandboxes cannot have overlays without the machine's root; null: they can. */
export async function findOverlayProblem(sandboxes: Trials): Promise<string | null> {
  const command = rootedCommand(OVERLAY, ['true']);
  const { code, errors } = await sandboxes.tryCommand('overlay', {
    command,
    network: 'host',
    tmpfsBytes: TRIAL_BYTES,
  });
  if (code === 0) return null;
  return `no overlay can be mounted in a user namespace, which takes Linux 5.11 or later: ${errors || `exit code ${code}`}`;
}

/** Why containers with an init of their own do not work; null: they work. */
export async function findContainerProblem(sandboxes: Trials): Promise<string | null> {
  const overlay = await findOverlayProblem(sandboxes);
  if (overlay !== null) return overlay;
  const command = rootedCommand(GROUP, ['true']);
  const { code, errors } = await sandboxes.tryCommand('group', {
    command,
    network: 'host',
    tmpfsBytes: TRIAL_BYTES,
  });
  if (code === 0) return null;
  return (
    'an init needs a control group of its own: run the worker as root, or as a systemd service with Delegate=yes ' +
    `(${errors || `exit code ${code}`})`
  );
}
