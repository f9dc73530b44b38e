"""Root of a testbed that makes of its network what it likes, to reach what it should not. The first argument is an address that is
kept away, the second the port of a service on the machine's loopback. Writes a line for each attempt: its name and whether
an answer came from that address, which slirp4netns gives to every echo request that gets there.

Each attempt ends with an echo request to the gateway, whose answer comes after all others.
"""
import os
import select
import socket
import struct
import subprocess
import sys

FORBIDDEN, PORT = sys.argv[1], int(sys.argv[2])
OWN, OUTER, TAP, GATEWAY = '10.0.2.130', '10.0.2.129', '10.0.2.100', '10.0.2.2'
ECHO_REQUEST, REDIRECT = 8, 5
number = 0

everything = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(0x0800))
raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)


def run(command):
    return subprocess.run(['sh', '-c', command], capture_output=True, text=True).returncode == 0


def checksum(data):
    data += b'\0' * (len(data) % 2)
    total = sum(struct.unpack('!%dH' % (len(data) // 2), data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def icmp(kind, rest, code=0):
    head = struct.pack('!BBH', kind, code, checksum(struct.pack('!BBH', kind, code, 0) + rest))
    return head + rest


def echo():
    global number
    number += 1
    return icmp(ECHO_REQUEST, struct.pack('!HH', 7, number) + b'of-a-test')


def packet(source, target, payload, protocol=1, options=b''):
    length = 5 + len(options) // 4
    head = struct.pack('!BBHHHBBH4s4s', 0x40 | length, 0, length * 4 + len(payload), number, 0, 64, protocol, 0,
                       socket.inet_aton(source), socket.inet_aton(target)) + options
    return head[:10] + struct.pack('!H', checksum(head)) + head[12:] + payload


def send(source, target, payload, **more):
    try:
        raw.sendto(packet(source, target, payload, **more), (target, 0))
        return True
    except OSError:
        return False


def knock(target):
    """A connection to the service of the machine; whether it came about is seen by the service."""
    with socket.socket() as client:
        client.setblocking(False)
        client.connect_ex((target, PORT))


def restore():
    run(f'''
ip link set eth0 down; ip address flush dev eth0; ip rule flush; ip rule add from all lookup local pref 0; ip rule add from all lookup main pref 9
ip link set lo up; ip address replace 127.0.0.1/8 dev lo; ip link set eth0 up; ip address add {OWN}/30 dev eth0
ip route replace default via {OUTER}; sysctl -w net.ipv4.conf.all.route_localnet=0''')


def comes():
    """Whether the forbidden address answers at once, while the network is as the attempt has made it."""
    while select.select([everything], [], [], 0.2)[0]:
        source, payload = taken_apart(everything.recv(65535))
        if source == FORBIDDEN and payload[0] == 0:
            return True
    return False


def taken_apart(data):
    return socket.inet_ntoa(data[12:16]), data[(data[0] & 15) * 4:]


def answered():
    """Whether the forbidden address has answered by the time that the gateway does."""
    request, found = echo(), False
    if not send(OWN, GATEWAY, request):
        sys.exit('the gateway cannot be reached')
    while select.select([everything], [], [], 20)[0]:
        source, payload = taken_apart(everything.recv(65535))
        if source == FORBIDDEN and payload[0] == 0:
            found = True
        elif source == GATEWAY and payload[0] == 0 and payload[6:8] == struct.pack('!H', number):
            return found
    sys.exit('the gateway does not answer')


def attempt(name, prepare='true', sources=(OWN,), targets=(FORBIDDEN,), options=b'', before=None):
    # What fails is not the test's affair: what it reaches is.
    run(prepare)
    if before:
        before()
    for source in sources:
        for target in targets:
            send(source, target, echo(), options=options)
    for target in ('127.0.0.1', TAP, OUTER, GATEWAY):
        try:
            knock(target)
        except OSError:
            continue
    came = comes()
    restore()
    print(name, 'reached' if answered() or came else 'nothing', flush=True)


def redirect():
    inner = packet(OWN, FORBIDDEN, echo())[:28]
    for source in (OUTER, GATEWAY, OWN):
        for target in (OUTER, TAP):
            send(source, target, icmp(REDIRECT, socket.inet_aton(GATEWAY) + inner, code=1))


OTHER_SOURCES = (TAP, OUTER, GATEWAY, FORBIDDEN, '127.0.0.1', '192.0.2.1')
ROUTES = f'ip route flush type unreachable; ip route replace {FORBIDDEN} via {OUTER}'
SOURCE_ROUTE = bytes([131, 7, 4]) + socket.inet_aton(FORBIDDEN) + b'\0'

restore()
attempt('routes', ROUTES)
attempt('rules', f'ip route add default via {OUTER} table 7; ip rule flush; ip rule add from all lookup 7 pref 0')
attempt('neighbours', f'''{ROUTES}; outer=$(ip neigh show {OUTER} | sed -n 's/.*lladdr \\([^ ]*\\).*/\\1/p')
ip route replace {FORBIDDEN} dev eth0; ip neigh replace {FORBIDDEN} lladdr "$outer" dev eth0''')
attempt('sources', ROUTES, sources=OTHER_SOURCES)
attempt('own addresses', ROUTES + ''.join(f'; ip address add {each}/24 dev eth0' for each in (TAP, OUTER, GATEWAY)),
        sources=OTHER_SOURCES)
attempt('source routes', ROUTES, targets=(OUTER, TAP, GATEWAY), options=SOURCE_ROUTE)
attempt('redirects', ROUTES, before=redirect)
attempt('interfaces', f'''{ROUTES}; ip link add link eth0 name of-a-test type macvlan mode bridge
ip address add 10.0.2.131/30 dev of-a-test; ip link set of-a-test up; ip route replace {FORBIDDEN} via {OUTER} dev of-a-test''',
        sources=(OWN, '10.0.2.131'))
run('ip link del of-a-test')
attempt('loopback', f'''sysctl -w net.ipv4.conf.all.route_localnet=1; ip address flush dev lo; ip link set lo down
ip route flush table local; ip route add 127.0.0.0/8 via {OUTER}''', targets=(FORBIDDEN, '127.0.0.1'))
for name, command in {
    'its link in the network outside': 'ip link set eth0 netns 1',
    'a link into the network outside': 'ip link add of-a-test type veth peer name of-a-test netns 1',
    'the network outside': 'nsenter --target 1 --net true',
    'the users outside': 'nsenter --target 1 --user true',
}.items():
    print(name, 'reached' if run(command) else 'nothing', flush=True)
