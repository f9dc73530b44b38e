/** What a test may count on in a testbed, and where it may not. docs/testbeds.md has the table. */
export interface TestbedProperty {
  name: string;
  /** As whom the probe runs: the test's own user, or root of the testbed. */
  as: 'user' | 'root';
  /** A shell command that succeeds where the testbed has the property. */
  probe: string;
  /** Backend → why it does not have it. */
  lacks?: Record<string, string>;
}

const NOT_BOOTED = 'it is not booted';
const WITHOUT_INIT = { unshare: NOT_BOOTED, schroot: NOT_BOOTED, podman: NOT_BOOTED };

const python = (script: string): string => `python3 -c '${script}'`;

export const TESTBED_PROPERTIES: TestbedProperty[] = [
  {
    name: 'localhost is 127.0.0.1',
    as: 'user',
    probe:
      'getent ahostsv4 localhost | grep "^127\\.0\\.0\\.1 " && ' +
      python(
        'import socket; socket.getaddrinfo("localhost", 80); assert socket.gethostbyname("localhost") == "127.0.0.1"',
      ),
  },
  {
    name: 'localhost is ::1 too, as are ip6-localhost and ip6-loopback',
    as: 'user',
    probe:
      'for name in localhost ip6-localhost ip6-loopback; do getent ahostsv6 $name | grep "^::1 " || exit; done',
  },
  {
    name: 'the multicast names of IPv6',
    as: 'user',
    probe: 'getent hosts ip6-allnodes | grep "^ff02::1 " && getent hosts ip6-allrouters | grep "^ff02::2 "',
  },
  {
    name: 'the own name leads to an address of the loopback',
    as: 'user',
    probe:
      python(
        'import socket; name = socket.gethostname(); address = socket.gethostbyname(name); assert address.startswith("127."), address; assert socket.getfqdn() == name, socket.getfqdn(); socket.getaddrinfo(name, 80)',
      ) + ' && [ "$(hostname -f)" = "$(hostname)" ]',
  },
  {
    name: 'addresses of the loopback lead to names',
    as: 'user',
    probe: 'getent hosts 127.0.0.1 | grep localhost && getent hosts 127.0.1.1 | grep -w "$(hostname)"',
  },
  { name: '/etc/hostname is the host name', as: 'user', probe: '[ "$(cat /etc/hostname)" = "$(uname -n)" ]' },
  {
    name: 'root may change the host name',
    as: 'root',
    probe: 'name=$(hostname) && hostname another && [ "$(uname -n)" = another ] && hostname "$name"',
  },
  {
    name: 'the loopback carries IPv4 and IPv6',
    as: 'user',
    probe: python(`
import socket
for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET, "127.0.1.1"), (socket.AF_INET6, "::1")):
    server = socket.create_server((address, 0), family=family)
    socket.create_connection(server.getsockname()[:2], 5)
`),
  },
  {
    name: 'a name server',
    as: 'user',
    probe: 'grep "^nameserver " /etc/resolv.conf && grep "^hosts:.*files.*dns" /etc/nsswitch.conf',
  },
  {
    name: 'names of services and protocols',
    as: 'user',
    probe: 'getent services http | grep "80/tcp" && getent protocols tcp && getent services 5432/tcp',
  },
  {
    name: 'root may bind low ports',
    as: 'root',
    probe: python('import socket; socket.create_server(("127.0.0.1", 81))'),
  },
  {
    name: 'everybody may ping',
    as: 'user',
    probe: 'ping -c 1 -W 5 127.0.0.1 && ping -c 1 -W 5 "$(hostname)"',
  },
  { name: 'root may ping', as: 'root', probe: 'ping -c 1 -W 5 127.0.0.1 && ping -c 1 -W 5 ::1' },
  { name: 'a machine id', as: 'user', probe: 'grep -Ex "[0-9a-f]{32}" /etc/machine-id' },
  {
    name: 'the locale is C.UTF-8',
    as: 'user',
    probe:
      '[ "$LANG" = C.UTF-8 ] && [ "$(locale charmap)" = UTF-8 ] && grep -x LANG=C.UTF-8 /etc/default/locale',
  },
  {
    name: 'the locale en_US.UTF-8',
    as: 'user',
    probe: 'locale -a | grep -ix "en_US.utf-\\?8" && [ "$(LC_ALL=en_US.UTF-8 locale charmap)" = UTF-8 ]',
  },
  {
    name: 'the time zone is UTC',
    as: 'user',
    probe:
      '[ "$(date +%z)" = +0000 ] && [ -e /etc/localtime ] && [ -d /usr/share/zoneinfo/Europe ] && cat /etc/timezone',
  },
  {
    name: '/tmp, /var/tmp and /dev/shm are for everybody',
    as: 'user',
    probe:
      'for path in /tmp /var/tmp /dev/shm; do [ "$(stat -Lc %a $path)" = 1777 ] && file=$(mktemp $path/XXXXXX) && rm $file || { stat $path; exit 1; }; done',
  },
  {
    name: '/run/lock is for everybody, and /var/lock leads there',
    as: 'user',
    probe:
      '[ "$(stat -Lc %a /var/lock)" = 1777 ] && touch /var/lock/of-a-test && rm /run/lock/of-a-test || { stat /run/lock; exit 1; }',
  },
  {
    name: '/run is root’s, and can be written',
    as: 'root',
    probe: '[ "$(stat -c "%a %u" /run)" = "755 0" ] && mkdir /run/of-a-test && rmdir /var/run/of-a-test',
  },
  {
    name: 'the usual devices',
    as: 'user',
    probe:
      'for name in full null random tty urandom zero; do [ -c /dev/$name ] || { echo $name; exit 1; }; done; echo x >/dev/null && [ "$(head -c1 /dev/urandom | wc -c)" = 1 ] && [ "$(echo seen | cat /dev/stdin)" = seen ] && [ "$(echo seen | cat /dev/fd/0)" = seen ] && (echo seen >/dev/stdout; echo seen >/dev/stderr) >/dev/null',
  },
  { name: 'pseudo-terminals', as: 'user', probe: 'script -qec tty /dev/null | grep ^/dev/pts/' },
  {
    name: '/proc and /sys',
    as: 'user',
    probe:
      'grep -q . /proc/self/status && [ -d /proc/sys/net/ipv4 ] && [ -d /sys/class/net/lo ] && [ -d /sys/devices/system/cpu ]',
  },
  {
    name: '/etc/mtab shows the mounts',
    as: 'user',
    probe: 'grep -q " /proc " /etc/mtab && [ -e /etc/fstab ]',
  },
  {
    name: 'the users and groups of every Debian system',
    as: 'user',
    probe:
      'for name in root daemon bin sys games man lp mail news uucp proxy www-data backup list irc nobody _apt; do getent passwd $name >/dev/null || { echo user $name; exit 1; }; done; for name in adm tty disk dialout audio video plugdev staff users nogroup sudo shadow utmp; do getent group $name >/dev/null || { echo group $name; exit 1; }; done',
  },
  {
    name: 'the test’s user is an ordinary one with a home',
    as: 'user',
    probe:
      '[ "$(id -u)" -ge 1000 ] && [ "$(getent passwd "$(id -un)" | cut -d: -f6)" = "$HOME" ] && touch "$HOME/of-a-test" && rm "$HOME/of-a-test" && [ -x "$SHELL" ]',
  },
  { name: 'the umask is 022', as: 'user', probe: 'umask | grep -x "0*22" || { umask; exit 1; }' },
  {
    name: 'root’s umask is 022, and its home /root',
    as: 'root',
    probe:
      'umask | grep -x "0*22" && [ "$HOME" = /root ] && [ "$(id -u)" = 0 ] || { umask; echo $HOME; exit 1; }',
  },
  {
    name: 'root may become others',
    as: 'root',
    probe: 'su nobody -s /bin/sh -c id | grep nobody && su -s /bin/sh -c "id -un" www-data | grep www-data',
  },
  {
    name: 'root may add users and give files away',
    as: 'root',
    probe:
      'adduser --system --group --quiet of-a-test && file=$(mktemp) && chown of-a-test:of-a-test $file && chmod 4755 $file && [ "$(stat -c %U $file)" = of-a-test ] && rm $file',
  },
  {
    name: 'root may mount',
    as: 'root',
    probe:
      'folder=$(mktemp -d) && mount -t tmpfs of-a-test $folder && umount $folder && mount --bind / $folder && umount $folder',
  },
  {
    name: 'enough open files and processes',
    as: 'user',
    probe:
      '[ "$(ulimit -Sn)" = unlimited ] || [ "$(ulimit -Sn)" -ge 1024 ] && { [ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -ge 4096 ]; } && { limit=$(awk "/Max processes/ { print \\$3 }" /proc/self/limits); [ $limit = unlimited ] || [ $limit -ge 4096 ]; } || { cat /proc/self/limits; exit 1; }',
  },
  {
    name: 'core dumps are off, the stack has 8 MiB',
    as: 'user',
    probe: '[ "$(ulimit -Sc)" = 0 ] && [ "$(ulimit -Ss)" = 8192 ] || { cat /proc/self/limits; exit 1; }',
  },
  {
    name: 'apt installs recommended packages',
    as: 'user',
    probe: 'apt-config dump | grep -x "APT::Install-Recommends \\"\\(1\\|true\\)\\";"',
  },
  {
    name: 'sources of source packages',
    as: 'user',
    probe: 'grep -h "^deb-src " /etc/apt/sources.list && apt-cache showsrc hello | grep "^Package: hello$"',
  },
  {
    name: 'apt fetches no translations, and does nothing on its own',
    as: 'user',
    probe:
      'apt-config dump | grep -x "Acquire::Languages:: \\"none\\";" && apt-config dump | grep -x "APT::Periodic::Enable \\"0\\";"',
  },
  {
    name: 'dpkg leaves nothing out, and does not wait for the disk',
    as: 'user',
    probe:
      '! grep -rhE "^path-(exclude|include)" /etc/dpkg/dpkg.cfg /etc/dpkg/dpkg.cfg.d && grep -rhx "force-unsafe-io" /etc/dpkg/dpkg.cfg.d && [ -e /usr/share/man/man1/dpkg.1.gz ] && [ -e /usr/share/doc/dpkg/copyright ]',
  },
  {
    name: 'the tools of the image builders',
    as: 'user',
    probe:
      'PATH=$PATH:/usr/sbin:/sbin; for tool in adduser apt-ftparchive dpkg-architecture eatmydata ip locale-gen ping ps python3 sysctl; do command -v $tool >/dev/null || { echo $tool; exit 1; }; done; [ -s /etc/ssl/certs/ca-certificates.crt ]',
  },
  {
    name: 'init scripts can be used',
    as: 'root',
    probe:
      'printf "#!/bin/sh\\necho \\$1 >>/run/of-a-test\\n" >/etc/init.d/of-a-test && chmod 755 /etc/init.d/of-a-test && service of-a-test start && grep start /run/of-a-test && rm /run/of-a-test /etc/init.d/of-a-test',
  },
  { name: 'no policy keeps services from starting', as: 'root', probe: '[ ! -e /usr/sbin/policy-rc.d ]' },
  {
    name: 'an init, and services that start when they are installed',
    as: 'root',
    probe:
      '[ "$(cat /proc/1/comm)" = systemd ] && [ -d /run/systemd/system ] && [ -x /sbin/init ] && systemctl is-active dbus.service',
    lacks: WITHOUT_INIT,
  },
  {
    name: 'a message bus and sessions',
    as: 'root',
    probe: '[ -S /run/dbus/system_bus_socket ] && grep -rq pam_systemd /etc/pam.d',
    lacks: WITHOUT_INIT,
  },
];

export const BOOTED = ['lxc', 'qemu'];
