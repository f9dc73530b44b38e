# The process that opens all sandboxes of a worker, started once: a worker that started them itself would be copied for each,
# and each would read its programs again. It ends with the worker, and all that it has started with it.
#
# On standard input it hears frames: the number of their bytes (32 bits, big-endian), then fields with NUL between, of which
# the first says what is asked and the second is the number of the sandbox. On standard output it says lines, which begin
# with that number: `pid` of the first process, `ready` once its view is made, `ended` with its exit code, and of its network
# `connected`, `unconnected` with a reason, `disconnected`, and of the testbed's network `testbed` with `own`, or with `shared` and
# a reason. A network that is prepared before there is a sandbox has a number of
# its own.
my $LAUNCHER = $$;
$0 = 'proctor-launcher';
# What the worker was started with, and has nothing to do with.
POSIX::close($_) for grep { $_ > 2 } names_in('/proc/self/fd');
my ($KILL, $SET_PARENT_DEATH_SIGNAL, $SET_DUMPABLE, $AMBIENT, $RAISE) = (9, 1, 4, 47, 2);
my ($PROCESSES, $DATA) = (6, 2);
my $INTO_CGROUP = 1 << 33;
my $INTERPRETERS = '/proc/sys/fs/binfmt_misc';
my ($SET_GROUPS_AND_USERS, $CAPABILITIES_3) = (1 << 6 | 1 << 7, 0x20080522);

sub dies_with_parent {
  my ($parent) = @_;
  call('prctl', $PRCTL, $SET_PARENT_DEATH_SIGNAL, $KILL, 0, 0, 0);
  getppid == $parent or die "its parent has ended\n";
}
sub write_to {
  my ($path, $text) = @_;
  sysopen(my $file, $path, POSIX::O_WRONLY) or die "$path: $!\n";
  syswrite($file, $text) // die "$path: $!\n";
  close $file;
}

my (%go, %readers, %outer, %exit_of_network);
# The open files of namespaces that are prepared, users' first, and what their makers wait for.
my (%prepared, %keep);
# Numbers of networks that are wanted no more, though they are not up yet.
my %unwanted;

# Everything that is open for others. Standard input stays open: what is opened next would take its number.
sub forget_others {
  open(STDIN, '<', '/dev/null') or die "/dev/null: $!\n";
  close $_ for grep { fileno $_ } values %go, values %exit_of_network, values %keep,
    map({ $_->[0] } values %readers), map({ @$_ } values %prepared);
}
# `action` is called with nothing once the other end is closed, and when `$speaks` with what it says before.
sub on_end {
  my ($handle, $speaks, $action) = @_;
  $readers{fileno $handle} = [$handle, $speaks, $action];
}
sub say_line { syswrite STDOUT, "@_\n" }

# The run user, for good: real, effective and saved, with its groups.
sub become {
  my ($name, $uid, $gid) = @_;
  my @groups = ($gid);
  while (my (undef, undef, $group, $members) = getgrent) {
    push @groups, $group if grep { $_ eq $name } split / /, $members;
  }
  $) = "$gid @groups";
  POSIX::setgid($gid) or die "setgid: $!\n";
  POSIX::setuid($uid) or die "setuid: $!\n";
  $< == $uid && $> == $uid && $( == $gid && $) == $gid or die "the user could not be changed\n";
  call('prctl', $PRCTL, $SET_DUMPABLE, 1, 0, 0, 0);
}

# A process that stays outside and writes the maps of ids once the user namespace is there. Call what is returned with the
# flags of the namespaces to be made.
sub namespace_maker {
  my ($uids, $gids) = @_;
  my $target = $$;
  pipe(my $asked, my $ask) or die "pipe: $!\n";
  my $mapper = fork // die "fork: $!\n";
  if ($mapper == 0) {
    close $ask;
    sysread $asked, my $byte, 1 or exit 1;
    if ($> == 0) {
      write_to("/proc/$target/uid_map", $uids);
      write_to("/proc/$target/gid_map", $gids);
      exit 0;
    }
    for my $map (['newuidmap', $uids], ['newgidmap', $gids]) {
      my ($program, $lines) = @$map;
      system($program, $target, split /\s+/, $lines) == 0 or exit 1;
    }
    exit 0;
  }
  close $asked;
  return sub {
    my ($flags) = @_;
    call('unshare', $UNSHARE, $flags);
    syswrite $ask, '.';
    waitpid($mapper, 0) == $mapper && $? == 0 or die "the ids of the sandbox were not mapped\n";
    mount_for_itself() if $flags & $NEW_MOUNTS;
  };
}
sub mount_for_itself { must_mount('none', '/', 'none', $RECURSIVE | $PRIVATE, '') }

sub limit {
  my ($resource, $value) = @_;
  call('prlimit', $PRLIMIT, 0, $resource, pack('QQ', $value, $value), 0) if $value ne '';
}

# A binfmt_misc of its own: the kernel looks for interpreters there also for the namespaces within.
sub register {
  my @lines = @_;
  my $everybody = "0 0 4294967295\n";
  namespace_maker($everybody, $everybody)->($NEW_USERS | $NEW_MOUNTS);
  must_mount('proctor', $INTERPRETERS, 'binfmt_misc', 0, '');
  write_to("$INTERPRETERS/register", $_) for @lines;
}

# As fork, for a control group; says also whether the copy is in it. To move one there later takes 10 ms and more, for which the
# kernel waits for all processors. Linux before 5.7 does not make a copy in a group, and a container may forbid it.
sub fork_into {
  my ($group) = @_;
  if ($group ne '' && sysopen(my $folder, $group, POSIX::O_RDONLY)) {
    my $clone = pack 'Q11', $INTO_CGROUP, (0) x 3, POSIX::SIGCHLD(), (0) x 5, fileno $folder;
    my $copy = syscall($CLONE3, $clone, length $clone);
    return ($copy, 1) if $copy >= 0;
  }
  return (fork, 0);
}

# `fields`: names and values, of which the last is the command, to the end.
sub start {
  my ($number, @fields) = @_;
  my %parts;
  while (my $name = shift @fields) {
    $parts{$name} = $name eq 'command' ? [splice @fields] : shift @fields;
  }
  my $prepared = delete $prepared{ $parts{prepared} };
  pipe(my $heard, my $go) or die "pipe: $!\n";
  pipe(my $life, my $alive) or die "pipe: $!\n";
  my ($outer, $is_in_group) = fork_into($parts{cgroup});
  defined $outer or die "fork: $!\n";
  if ($outer == 0) {
    $parts{cgroup} = '' if $is_in_group;
    close $_ for $go, $life;
    $SIG{PIPE} = 'DEFAULT';
    eval { open_sandbox($number, $heard, $alive, $prepared, %parts) };
    print STDERR $@;
    POSIX::_exit(1);
  }
  close $_ for @{ $prepared // [] };
  $go{$number} = $go;
  $outer{$number} = $outer;
  on_end($life, 0, sub {
    waitpid $outer, 0;
    delete $go{$number};
    delete $outer{$number};
    say_line($number, 'ended', $? & 127 ? 'killed' : $? >> 8);
  });
}

sub open_sandbox {
  my ($number, $heard, $alive, $prepared, %parts) = @_;
  # A group of its own: no signal to all of one reaches another.
  setpgrp(0, 0);
  forget_others();
  dies_with_parent($LAUNCHER);
  write_to("$parts{cgroup}/cgroup.procs", $$) if $parts{cgroup} ne '';
  open(STDERR, '>>', $parts{errors}) or die "$parts{errors}: $!\n";
  open(my $worker, '>&', \*STDOUT) or die "standard output: $!\n";
  sysopen(STDIN, $parts{input}, POSIX::O_RDONLY) or die "$parts{input}: $!\n";
  sysopen(STDOUT, $parts{output}, POSIX::O_WRONLY) or die "$parts{output}: $!\n";
  register(split /\n/, $parts{interpreters}) if $parts{interpreters} ne '';
  my $make_namespaces = $parts{prepared} eq '' && namespace_maker($parts{uids}, $parts{gids});
  if ($parts{switched}) {
    become(@parts{qw(name uid gid)});
    dies_with_parent($LAUNCHER);
  }
  my $name = $parts{host_name};
  my $own = $NEW_MOUNTS | $NEW_PROCESSES | $NEW_IPC | ($name eq '' ? 0 : $NEW_NAME);
  if ($make_namespaces) {
    $make_namespaces->($own | $NEW_USERS | ($parts{network} eq 'private' ? $NEW_NETWORK : 0));
  } else {
    my ($users, $network) = @{ $prepared // die "the network that was prepared has ended\n" };
    call('setns', $SETNS, fileno $users, $NEW_USERS);
    call('setns', $SETNS, fileno $network, $NEW_NETWORK);
    close $_ for $users, $network;
    dies_with_parent($LAUNCHER);
    call('unshare', $UNSHARE, $own);
    mount_for_itself();
  }
  call('sethostname', $SET_HOST_NAME, $name, length $name) if $name ne '';
  limit($PROCESSES, $parts{processes_max});
  limit($DATA, $parts{process_bytes_max});
  my $first = fork // die "fork: $!\n";
  if ($first == 0) {
    close $alive;
    eval {
      call('prctl', $PRCTL, $SET_PARENT_DEATH_SIGNAL, $KILL, 0, 0, 0);
      exit_with(first_process($number, $worker, $heard, %parts));
    };
    print STDERR $@;
    POSIX::_exit(1);
  }
  close $_ for $worker, $heard;
  waitpid $first, 0;
  kill $? & 127, $$ if $? & 127;
  POSIX::_exit($? >> 8);
}
# As a shell does.
sub exit_with { my ($status) = @_; POSIX::_exit($status & 127 ? 128 + ($status & 127) : $status >> 8) }

# Executes a command with the two capabilities that newuidmap and newgidmap need, and no others.
sub execute {
  my @command = @_;
  my @set = ($SET_GROUPS_AND_USERS) x 3;
  call('capset', $CAPSET, pack('LL', $CAPABILITIES_3, 0), pack('L6', @set, 0, 0, 0));
  call('prctl', $PRCTL, $AMBIENT, $RAISE, $_, 0, 0) for 6, 7;
  run_program(@command);
}
sub run_program {
  my @command = @_;
  exec { $command[0] } @command;
  print STDERR "$command[0]: $!\n";
  POSIX::_exit($! == POSIX::ENOENT ? 127 : 126);
}

my %ASKED = (
  start => \&start,
  kill => sub { kill $KILL, $outer{$_[0]} if $outer{$_[0]} },
  go => sub { syswrite $go{$_[0]}, "go\n" if $go{$_[0]} },
  connect => \&connect_network,
  prepare => \&prepare_network,
  disconnect => sub {
    if ($exit_of_network{$_[0]}) { close delete $exit_of_network{$_[0]} }
    elsif ($keep{$_[0]}) { $unwanted{$_[0]} = 1 }
  },
);

$SIG{PIPE} = 'IGNORE';
my $frames = '';
on_end(\*STDIN, 1, sub {
  exit 0 if $_[0] eq '';
  $frames .= $_[0];
  while (length $frames >= 4 && length $frames >= 4 + (my $length = unpack 'N', $frames)) {
    my ($asked, @fields) = split /\0/, substr($frames, 4, $length), -1;
    substr($frames, 0, 4 + $length) = '';
    $ASKED{$asked}->(@fields);
  }
});
while (1) {
  my $waiting = '';
  vec($waiting, $_, 1) = 1 for keys %readers;
  select($waiting, undef, undef, undef) > 0 or next;
  for my $number (grep { vec $waiting, $_, 1 } keys %readers) {
    my ($handle, $speaks, $action) = @{ $readers{$number} // next };
    my $bytes = sysread $handle, my $said, 65536;
    if (!$bytes) {
      delete $readers{$number};
      close $handle if $number > 2;
    }
    $action->($said) if $speaks || !$bytes;
  }
}
