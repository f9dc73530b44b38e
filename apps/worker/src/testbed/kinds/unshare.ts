import { scriptedCommand } from '../../sandbox/rooted-command';
import { PLAIN } from '../images/image-shape';
import { TRIAL_TIMEOUT_MS, type TestbedKind } from './testbed-kind';

/**
 * autopkgtest-virt-unshare creates a user namespace for each command that it executes, whose root would have no rights
 * over the network. The runner is root of one already: this replacement of `unshare` leaves out the options that would
 * create another. It also mounts the testbed's root folder on itself, since `mount` and `ip netns exec` expect a mount.
 */
const PREPARE = `
mkdir "$TMPDIR/bin"
cat >"$TMPDIR/bin/unshare" <<END
#!/bin/sh
options=
while :; do
  case \\$1 in
  --user | --map-auto | --map-root-user) ;;
  --*[!-]*) options="\\$options \\$1" ;;
  *) break ;;
  esac
  shift
done
if [ "\\$1" = -- ]; then shift; fi
case \\$1 in
*/unshare-helper) set -- sh -c 'mount --bind "\\$2" "\\$2" && exec "\\$@"' sh "\\$@" ;;
esac
exec $(command -v unshare) \\$options -- "\\$@"
END
chmod 755 "$TMPDIR/bin/unshare"
export PATH="$TMPDIR/bin:$PATH"
`;

/** autopkgtest-virt-unshare: namespaces around an unpacked image. */
export const UNSHARE: TestbedKind = {
  name: 'unshare',
  tools: () => [],
  isolation: 'namespaces; no isolation-container, no reboot',
  emulates: true,
  image: PLAIN,
  modes: [''],
  trialTimeoutMs: TRIAL_TIMEOUT_MS,
  use: ({ image }) =>
    Promise.resolve({
      options: [],
      server: ['unshare', '--tarball', image],
      asRoot: true,
      wrapper: scriptedCommand(PREPARE, []),
    }),
};
