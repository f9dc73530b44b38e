import { NO_ADMIN, type TestbedProperty } from './testbed-property';

const python = (script: string): string => `python3 -c '${script}'`;

/** Names, the loopback, ports. */
export const NETWORK_PROPERTIES: TestbedProperty[] = [
  {
    name: 'localhost is 127.0.0.1',
    elsewhere: 'all',
    as: 'user',
    probe:
      'getent ahostsv4 localhost | grep "^127\\.0\\.0\\.1 " && ' +
      python(
        'import socket; socket.getaddrinfo("localhost", 80); assert socket.gethostbyname("localhost") == "127.0.0.1"',
      ),
  },
  {
    name: 'localhost is ::1 too, as are ip6-localhost and ip6-loopback',
    elsewhere: 'lxc',
    as: 'user',
    probe:
      'for name in localhost ip6-localhost ip6-loopback; do getent ahostsv6 $name | grep "^::1 " || exit; done',
  },
  {
    name: 'the multicast names of IPv6',
    elsewhere: 'lxc',
    as: 'user',
    probe: 'getent hosts ip6-allnodes | grep "^ff02::1 " && getent hosts ip6-allrouters | grep "^ff02::2 "',
  },
  {
    name: 'the own name leads to an address of the loopback',
    elsewhere: 'all',
    as: 'user',
    probe:
      python(
        'import socket; name = socket.gethostname(); address = socket.gethostbyname(name); assert address.startswith("127."), address; assert socket.getfqdn() == name, socket.getfqdn(); socket.getaddrinfo(name, 80)',
      ) + ' && [ "$(hostname -f)" = "$(hostname)" ]',
  },
  {
    name: 'addresses of the loopback lead to names',
    elsewhere: 'all',
    as: 'user',
    probe: 'getent hosts 127.0.0.1 | grep localhost && getent hosts 127.0.1.1 | grep -w "$(hostname)"',
  },
  {
    name: '/etc/hostname is the host name',
    elsewhere: 'lxc, qemu',
    as: 'user',
    probe: '[ "$(cat /etc/hostname)" = "$(uname -n)" ]',
  },
  {
    name: 'root may change the host name',
    elsewhere: 'all but podman',
    as: 'root',
    probe: 'name=$(hostname) && hostname another && [ "$(uname -n)" = another ] && hostname "$name"',
    lacks: { podman: NO_ADMIN },
  },
  {
    name: 'the loopback carries IPv4 and IPv6',
    elsewhere: 'all',
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
    elsewhere: 'all',
    as: 'user',
    probe: 'grep "^nameserver " /etc/resolv.conf && grep "^hosts:.*files.*dns" /etc/nsswitch.conf',
  },
  {
    name: 'names of services and protocols',
    elsewhere: 'lxc, schroot, qemu',
    as: 'user',
    probe: 'getent services http | grep "80/tcp" && getent protocols tcp && getent services 5432/tcp',
  },
  {
    name: 'root may bind low ports',
    elsewhere: 'all',
    as: 'root',
    probe: python('import socket; socket.create_server(("127.0.0.1", 81))'),
  },
  {
    name: 'everybody may ping',
    elsewhere: 'schroot, qemu',
    as: 'user',
    probe: 'ping -c 1 -W 5 127.0.0.1 && ping -c 1 -W 5 "$(hostname)"',
  },
  {
    name: 'root may ping',
    elsewhere: 'schroot, qemu',
    as: 'root',
    probe: 'ping -c 1 -W 5 127.0.0.1 && ping -c 1 -W 5 ::1',
  },
  {
    name: 'root may make networks of its own',
    elsewhere: 'all but podman',
    as: 'root',
    probe: 'unshare --net ip link add of-a-test type veth',
    lacks: { podman: NO_ADMIN },
  },
  {
    name: 'root may change the network',
    elsewhere: 'lxc, qemu',
    as: 'root',
    probe:
      'ip link add of-a-test type veth && ip address add 192.0.2.1/24 dev of-a-test && ip link set of-a-test up && ip route add 198.51.100.0/24 dev of-a-test && ip link del of-a-test',
    lacks: { podman: NO_ADMIN },
  },
  {
    name: 'root may make networks that have names',
    elsewhere: 'lxc, qemu',
    as: 'root',
    probe:
      'ip netns add of-a-test && ip -n of-a-test link set lo up && ip netns exec of-a-test ls /sys/class/net | grep -x lo && ip netns del of-a-test',
    lacks: { podman: NO_ADMIN },
  },
  {
    name: 'no way to the metadata of a cloud',
    elsewhere: 'none',
    as: 'user',
    probe: '(exec 3>/dev/udp/169.254.169.254/9) 2>&1 | grep "No route to host"',
    lacks: { qemu: 'root may send packets there, but the network around the testbed drops them' },
  },
];
