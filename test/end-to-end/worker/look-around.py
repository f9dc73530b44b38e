#!/usr/bin/python3
"""Looks at everything that a test can see once it has left its testbed, and writes one line: SEEN and a JSON object.

The orders are in hexadecimal, so that no file of the test holds the secrets that it looks for. A testbed has Debian's
python3-minimal, which has no module json.
"""
import ast
import os
import socket
import stat
import sys

ORDERS = ast.literal_eval(bytes.fromhex('@ORDERS@').decode())
SECRETS = {name: text.encode() for name, text in ORDERS['secrets'].items()}
MARK = ORDERS['mark']
BYTES_MAX = 1024 * 1024
# Programs hold no secret, but names are looked at there too.
NOT_READ = ('/usr/', '/sys/', '/proc/')

found = set()
marked = set()
sockets = set()
entries = {}
variables = set()


def as_json(value):
    if isinstance(value, dict):
        return '{' + ','.join(as_json(name) + ':' + as_json(each) for name, each in value.items()) + '}'
    if isinstance(value, (list, tuple)):
        return '[' + ','.join(map(as_json, value)) + ']'
    if isinstance(value, int):
        return str(value)
    plain = ''.join(letter if ' ' <= letter <= '~' and letter not in '"\\' else '?' for letter in value)
    return '"' + plain + '"'


def leave_the_testbed():
    try:
        os.mkdir('/cell')
        root = os.open('/', os.O_RDONLY)
        os.chroot('/cell')
        os.fchdir(root)
        for _ in range(60):
            os.chdir('..')
        os.chroot('.')
    except OSError as error:
        print('it stays in its testbed:', error)


def search(place, content):
    for name, secret in SECRETS.items():
        if secret in content:
            found.add((name, place))


def content_of(path):
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        with os.fdopen(descriptor, 'rb') as file:
            return file.read(BYTES_MAX) or b''
    except OSError:
        return b''


def link(path):
    try:
        return os.readlink(path)
    except OSError:
        return ''


def look_at_files():
    for folder, folders, files in os.walk('/'):
        if folder == '/':
            folders.remove('proc')
        for name in folders + files:
            path = os.path.join(folder, name)
            if MARK in name:
                marked.add(path)
            try:
                mode = os.lstat(path).st_mode
            except OSError:
                continue
            if stat.S_ISSOCK(mode):
                sockets.add(path)
            elif stat.S_ISREG(mode):
                top = '/'.join(path.split('/')[:2])
                entries[top] = entries.get(top, 0) + 1
                if not path.startswith(NOT_READ):
                    search(path, content_of(path))
            elif stat.S_ISLNK(mode):
                search(path, link(path).encode())


def look_at_processes():
    for pid in filter(str.isdigit, os.listdir('/proc')):
        if pid == str(os.getpid()):
            continue
        base = '/proc/' + pid
        for file in ('cmdline', 'environ', 'mountinfo', 'maps', 'comm'):
            search(base + '/' + file, content_of(base + '/' + file))
        for variable in content_of(base + '/environ').split(b'\0'):
            if b'=' in variable:
                variables.add(variable.split(b'=')[0].decode(errors='replace'))
        try:
            descriptors = os.listdir(base + '/fd')
        except OSError:
            continue
        for descriptor in descriptors:
            target = link(base + '/fd/' + descriptor)
            if MARK in target:
                marked.add(target)
            if target.startswith('/') and not target.startswith('/dev/'):
                search(target, content_of(target))


def abstract_sockets():
    lines = content_of('/proc/net/unix').decode(errors='replace').splitlines()[1:]
    return sorted(line.split()[7] for line in lines if len(line.split()) > 7)


def listeners():
    lines = []
    for table in ('tcp', 'tcp6'):
        lines += content_of('/proc/net/' + table).decode().splitlines()[1:]
    return sorted(line.split()[1] for line in lines if line.split()[3] == '0A')


def reached():
    answers = []
    for host in ORDERS['hosts']:
        for port in ORDERS['ports']:
            try:
                with socket.create_connection((host, port), timeout=2) as connection:
                    connection.sendall(ORDERS['credentials'].encode())
                    answers.append([host, port])
            except OSError:
                pass
    for name in ORDERS['abstract']:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            try:
                connection.connect('\0' + name)
                answers.append([name, 0])
            except OSError:
                pass
    return answers


leave_the_testbed()
look_at_files()
look_at_processes()
print('SEEN', as_json({
    'found': sorted(found),
    'marked': sorted(marked),
    'sockets': sorted(sockets),
    'entries': entries,
    'variables': sorted(variables),
    'abstract': abstract_sockets(),
    'listeners': listeners(),
    'reached': reached(),
}))
sys.stdout.flush()
