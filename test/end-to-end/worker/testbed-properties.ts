import { NETWORK_PROPERTIES } from './testbed-network-properties';
import { NO_ADMIN, type TestbedProperty } from './testbed-property';

const NOT_BOOTED = 'the testbed is not booted';
const WITHOUT_INIT = { unshare: NOT_BOOTED, schroot: NOT_BOOTED, podman: NOT_BOOTED };

export const TESTBED_PROPERTIES: TestbedProperty[] = [
  ...NETWORK_PROPERTIES,
  {
    name: 'a machine id',
    elsewhere: 'lxc, qemu',
    as: 'user',
    probe: 'grep -Ex "[0-9a-f]{32}" /etc/machine-id',
  },
  {
    name: 'the locale is C.UTF-8',
    elsewhere: 'all, by autopkgtest',
    as: 'user',
    probe:
      '[ "$LANG" = C.UTF-8 ] && [ "$(locale charmap)" = UTF-8 ] && grep -x LANG=C.UTF-8 /etc/default/locale',
  },
  {
    name: 'the locale en_US.UTF-8',
    elsewhere: 'lxc',
    as: 'user',
    probe: 'locale -a | grep -ix "en_US.utf-\\?8" && [ "$(LC_ALL=en_US.UTF-8 locale charmap)" = UTF-8 ]',
  },
  {
    name: 'the time zone is UTC',
    elsewhere: 'the builder’s own',
    as: 'user',
    probe:
      '[ "$(date +%z)" = +0000 ] && [ -e /etc/localtime ] && [ -d /usr/share/zoneinfo/Europe ] && cat /etc/timezone',
  },
  {
    name: '/tmp, /var/tmp and /dev/shm are for everybody',
    elsewhere: 'all',
    as: 'user',
    probe:
      'for path in /tmp /var/tmp /dev/shm; do [ "$(stat -Lc %a $path)" = 1777 ] && file=$(mktemp $path/XXXXXX) && rm $file || { stat $path; exit 1; }; done',
  },
  {
    name: '/run/lock is for everybody, and /var/lock leads there',
    elsewhere: 'all',
    as: 'user',
    probe:
      '[ "$(stat -Lc %a /var/lock)" = 1777 ] && touch /var/lock/of-a-test && rm /run/lock/of-a-test || { stat /run/lock; exit 1; }',
  },
  {
    name: '/run is root’s, and can be written',
    elsewhere: 'all',
    as: 'root',
    probe: '[ "$(stat -c "%a %u" /run)" = "755 0" ] && mkdir /run/of-a-test && rmdir /var/run/of-a-test',
  },
  {
    name: 'the usual devices',
    elsewhere: 'all',
    as: 'user',
    probe:
      'for name in full null random tty urandom zero; do [ -c /dev/$name ] || { echo $name; exit 1; }; done; echo x >/dev/null && [ "$(head -c1 /dev/urandom | wc -c)" = 1 ] && [ "$(echo seen | cat /dev/stdin)" = seen ] && [ "$(echo seen | cat /dev/fd/0)" = seen ] && (echo seen >/dev/stdout; echo seen >/dev/stderr) >/dev/null',
  },
  {
    name: 'pseudo-terminals',
    elsewhere: 'all',
    as: 'user',
    probe: 'script -qec tty /dev/null | grep ^/dev/pts/',
  },
  {
    name: '/proc and /sys',
    elsewhere: 'all',
    as: 'user',
    probe:
      'grep -q . /proc/self/status && [ -d /proc/sys/net/ipv4 ] && [ -d /sys/class/net/lo ] && [ -d /sys/devices/system/cpu ]',
  },
  {
    name: 'the root folder is a mount',
    elsewhere: 'all',
    as: 'user',
    probe: 'mountpoint / && grep " / " /etc/mtab',
  },
  {
    name: '/etc/mtab shows the mounts',
    elsewhere: 'all',
    as: 'user',
    probe: 'grep -q " /proc " /etc/mtab && [ -e /etc/fstab ]',
  },
  {
    name: 'the users and groups of every Debian system',
    elsewhere: 'all',
    as: 'user',
    probe:
      'for name in root daemon bin sys games man lp mail news uucp proxy www-data backup list irc nobody _apt; do getent passwd $name >/dev/null || { echo user $name; exit 1; }; done; for name in adm tty disk dialout audio video plugdev staff users nogroup sudo shadow utmp; do getent group $name >/dev/null || { echo group $name; exit 1; }; done',
  },
  {
    name: 'the test’s user is an ordinary one with a home',
    elsewhere: 'lxc, schroot, qemu',
    as: 'user',
    probe:
      '[ "$(id -u)" -ge 1000 ] && [ "$(getent passwd "$(id -un)" | cut -d: -f6)" = "$HOME" ] && touch "$HOME/of-a-test" && rm "$HOME/of-a-test" && [ -x "$SHELL" ]',
  },
  {
    name: 'the umask is 022',
    elsewhere: 'all',
    as: 'user',
    probe: 'umask | grep -x "0*22" || { umask; exit 1; }',
  },
  {
    name: 'root’s umask is 022, and its home /root',
    elsewhere: 'all',
    as: 'root',
    probe:
      'umask | grep -x "0*22" && [ "$HOME" = /root ] && [ "$(id -u)" = 0 ] || { umask; echo $HOME; exit 1; }',
  },
  {
    name: 'root may become others',
    elsewhere: 'all',
    as: 'root',
    probe: 'su nobody -s /bin/sh -c id | grep nobody && su -s /bin/sh -c "id -un" www-data | grep www-data',
  },
  {
    name: 'root may add users and give files away',
    elsewhere: 'all',
    as: 'root',
    probe:
      'adduser --system --group --quiet of-a-test && file=$(mktemp) && chown of-a-test:of-a-test $file && chmod 4755 $file && [ "$(stat -c %U $file)" = of-a-test ] && rm $file',
  },
  {
    name: 'root may mount',
    elsewhere: 'all but podman',
    as: 'root',
    probe:
      'folder=$(mktemp -d) && mount -t tmpfs of-a-test $folder && umount $folder && mount --bind / $folder && umount $folder',
    lacks: { podman: NO_ADMIN },
  },
  {
    name: 'enough open files and processes',
    elsewhere: 'all',
    as: 'user',
    probe:
      '[ "$(ulimit -Sn)" = unlimited ] || [ "$(ulimit -Sn)" -ge 1024 ] && { [ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -ge 4096 ]; } && { limit=$(awk "/Max processes/ { print \\$3 }" /proc/self/limits); [ $limit = unlimited ] || [ $limit -ge 4096 ]; } || { cat /proc/self/limits; exit 1; }',
  },
  {
    name: 'core dumps are off, the stack has 8 MiB',
    elsewhere: 'all',
    as: 'user',
    probe: '[ "$(ulimit -Sc)" = 0 ] && [ "$(ulimit -Ss)" = 8192 ] || { cat /proc/self/limits; exit 1; }',
  },
  {
    name: 'apt installs recommended packages',
    elsewhere: 'all',
    as: 'user',
    probe: 'apt-config dump | grep -x "APT::Install-Recommends \\"\\(1\\|true\\)\\";"',
  },
  {
    name: 'sources of source packages',
    elsewhere: 'all',
    as: 'user',
    probe: 'grep -h "^deb-src " /etc/apt/sources.list && apt-cache showsrc hello | grep "^Package: hello$"',
  },
  {
    name: 'apt fetches no translations, and does nothing on its own',
    elsewhere: 'all',
    as: 'user',
    probe:
      'apt-config dump | grep -x "Acquire::Languages:: \\"none\\";" && apt-config dump | grep -x "APT::Periodic::Enable \\"0\\";"',
  },
  {
    name: 'dpkg leaves nothing out, and does not wait for the disk',
    elsewhere: 'all',
    as: 'user',
    probe:
      '! grep -rhE "^path-(exclude|include)" /etc/dpkg/dpkg.cfg /etc/dpkg/dpkg.cfg.d && grep -rhx "force-unsafe-io" /etc/dpkg/dpkg.cfg.d && [ -e /usr/share/man/man1/dpkg.1.gz ] && [ -e /usr/share/doc/dpkg/copyright ]',
  },
  {
    name: 'the tools of the image builders',
    elsewhere: 'schroot, qemu; most of it lxc',
    as: 'user',
    probe:
      'PATH=$PATH:/usr/sbin:/sbin; for tool in adduser apt-ftparchive dpkg-architecture eatmydata ip locale-gen ping ps python3 sysctl; do command -v $tool >/dev/null || { echo $tool; exit 1; }; done; [ -s /etc/ssl/certs/ca-certificates.crt ]',
  },
  {
    name: 'init scripts can be used',
    elsewhere: 'all',
    as: 'root',
    probe:
      'printf "#!/bin/sh\\necho \\$1 >>/run/of-a-test\\n" >/etc/init.d/of-a-test && chmod 755 /etc/init.d/of-a-test && { [ ! -d /run/systemd/system ] || systemctl daemon-reload; } && service of-a-test start && grep start /run/of-a-test && rm /run/of-a-test /etc/init.d/of-a-test',
  },
  {
    name: 'no policy keeps services from starting',
    elsewhere: 'all but podman',
    as: 'root',
    probe: '[ ! -e /usr/sbin/policy-rc.d ]',
  },
  {
    name: 'an init, and services that start when they are installed',
    elsewhere: 'lxc, qemu',
    as: 'root',
    probe:
      '[ "$(cat /proc/1/comm)" = systemd ] && [ -d /run/systemd/system ] && [ -x /sbin/init ] && systemctl is-active dbus.service',
    lacks: WITHOUT_INIT,
  },
  {
    name: 'a message bus and sessions',
    elsewhere: 'lxc, qemu',
    as: 'root',
    probe: '[ -S /run/dbus/system_bus_socket ] && grep -rq pam_systemd /etc/pam.d',
    lacks: WITHOUT_INIT,
  },
];
