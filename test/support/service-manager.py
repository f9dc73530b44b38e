# Does what systemd does for a socket unit: opens the socket, and starts the command with it, again and again.
# Arguments: the command. It prints the port; each line on standard input starts the command and prints its process id.
import os
import socket
import subprocess
import sys

SOCKET = 3

listener = socket.create_server(('127.0.0.1', 0), backlog=64)
print(listener.getsockname()[1], flush=True)
descriptor = os.dup(listener.fileno())
listener.close()
os.dup2(descriptor, SOCKET, inheritable=True)
if descriptor != SOCKET:
    os.close(descriptor)
child = None
for line in sys.stdin:
    if child is not None:
        child.wait()
    shell = 'LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=proctor-api.socket exec "$@"'
    command = ['sh', '-c', shell, 'sh', *sys.argv[1:]]
    child = subprocess.Popen(command, pass_fds=[SOCKET], stdin=subprocess.DEVNULL, stdout=sys.stderr)
    print(child.pid, flush=True)
if child is not None:
    child.terminate()
    child.wait()
