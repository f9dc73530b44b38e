import { sandboxHint } from './sandbox-hint';

const STATUS = '/proc/self/status';
const ALL = 'CapBnd:\t000001ffffffffff\nCapAmb:\t0\n';
/** As docker gives them by default. */
const OF_A_CONTAINER = 'CapBnd:\t00000000a80425fb\nCapAmb:\t0\n';
const PRIVILEGED = ': root of this container lacks CAP_SYS_ADMIN: start the container with --privileged';

it.each<[what: string, isRoot: boolean, path: string, text: string, hint: string]>([
  ['nothing known', true, STATUS, ALL, ''],
  ['no status', true, '/nothing', '', ''],
  ['a container without rights', true, STATUS, OF_A_CONTAINER, PRIVILEGED],
  ['an ordinary user, who needs no such right', false, STATUS, OF_A_CONTAINER, ''],
  [
    'namespaces are for root alone',
    false,
    '/proc/sys/kernel/unprivileged_userns_clone',
    '0\n',
    ': sysctl -w kernel.unprivileged_userns_clone=1 (as root)',
  ],
  [
    'AppArmor',
    false,
    '/proc/sys/kernel/apparmor_restrict_unprivileged_userns',
    '1\n',
    ': sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 (as root)',
  ],
  [
    'there are no namespaces of users',
    true,
    '/proc/sys/user/max_user_namespaces',
    '0\n',
    ': sysctl -w user.max_user_namespaces=15000 (as root)',
  ],
])('where no sandbox can be made, the hint fits: %s', async (_what, isRoot, path, text, hint) => {
  const read = (file: string) => Promise.resolve(file === path ? text : '');
  expect(await sandboxHint(read, isRoot)).toBe(hint);
});
