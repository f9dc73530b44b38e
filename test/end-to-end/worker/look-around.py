#!/usr/bin/python3
"""Looks at everything that a test can see, once it has left its testbed where it can, and writes one line: SEEN and a JSON
object. Two artifacts go with it: `seen` has all paths but those of /proc, each after a letter for its kind and before a
NUL; `owned` has those that the packages of the testbed have brought.

The orders are in hexadecimal, so that no file of the test holds the secrets that it looks for. A testbed has Debian's
python3-minimal, which has no module json.
"""
import ast
import glob
import os
import socket
import subprocess
import sys

ORDERS = ast.literal_eval(bytes.fromhex('@ORDERS@').decode())
MARK = ORDERS['mark']
SECRETS = {name: text.encode() for name, text in ORDERS['secrets'].items()}
BYTES_MAX = 1024 * 1024
# Programs hold no secret, but names are looked at there too.
NOT_READ = ('/usr/', '/sys/')
# To see once more what is covered in the sandbox, where the test has left its testbed.
UNCOVER = """
umount "$1"
umount --lazy "$1"
mkdir -p /cell/bound /cell/upper /cell/work /cell/overlaid /cell/moved
mount --bind "$(dirname "$1")" /cell/bound || mount --bind / /cell/bound
mount -t overlay -o lowerdir=/,upperdir=/cell/upper,workdir=/cell/work,userxattr proctor /cell/overlaid
mount --move "$1" /cell/moved
unshare --user --map-root-user --mount sh -c 'umount "$1"; ls -R "$1"' sh "$1" >>/cell/listed
"""

found = set()
marked = set()
sockets = set()
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
        return
    for path in ORDERS['covered']:
        subprocess.run(['sh', '-c', UNCOVER, 'sh', path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if MARK.encode() in content_of('/cell/listed'):
        marked.add('/cell/listed')


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


def kind(entry):
    if entry.is_symlink():
        return 'l'
    if entry.is_dir(follow_symlinks=False):
        return 'd'
    if entry.is_file(follow_symlinks=False):
        return 'f'
    return 's' if os.lstat(entry.path).st_mode & 0o170000 == 0o140000 else 'o'


def entries_below(top):
    folders = [top]
    while folders:
        try:
            entries = list(os.scandir(folders.pop()))
        except OSError:
            continue
        for entry in entries:
            if top == '/' and entry.path == '/proc' or top == '/proc' and entry.name.isdigit():
                continue
            try:
                what = kind(entry)
            except OSError:
                continue
            if what == 'd':
                folders.append(entry.path)
            yield what, entry


def is_read(path):
    is_ordered = any(path.startswith(folder) for folder in ORDERS['read'])
    return is_ordered and not any(part in path for part in NOT_READ)


def look_at_files(top, seen):
    for what, entry in entries_below(top):
        path = entry.path
        seen.write(what.encode() + os.fsencode(path) + b'\0')
        if MARK in path:
            marked.add(path)
        if what == 's':
            sockets.add(path)
        elif what == 'l':
            search(path, link(path).encode(errors='replace'))
        elif what == 'f' and is_read(path):
            search(path, content_of(path))


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


artifacts = os.environ['AUTOPKGTEST_ARTIFACTS']
with open(artifacts + '/owned', 'wb') as owned:
    for listed in glob.glob('/var/lib/dpkg/info/*.list'):
        owned.write(content_of(listed))
with open(artifacts + '/seen', 'wb') as seen, open(os.devnull, 'wb') as nowhere:
    leave_the_testbed()
    look_at_files('/', seen)
    look_at_files('/proc', nowhere)
look_at_processes()
print('SEEN', as_json({
    'found': sorted(found),
    'marked': sorted(marked),
    'sockets': sorted(sockets),
    'variables': sorted(variables),
    'abstract': abstract_sockets(),
    'listeners': listeners(),
    'reached': reached(),
}))
sys.stdout.flush()
