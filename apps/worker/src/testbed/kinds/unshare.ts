import { scriptedCommand } from '../../sandbox/rooted-command';
import { PLAIN } from '../images/image-shape';
import { TRIAL_TIMEOUT_MS, type TestbedKind } from './testbed-kind';

/**
 * autopkgtest-virt-unshare makes a user namespace for each command that it executes, whose root would have no rights over the
 * network. The runner is root of one already: what stands in for `unshare` leaves out the options that would make another. It
 * also makes a mount of the testbed's root folder, as which `mount` and `ip netns exec` expect it.
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
