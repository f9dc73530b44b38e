# The networks of sandboxes, by slirp4netns. The variables are those of the launcher, which this is a part of.

sub connect_network {
  my ($number, @how) = @_;
  my $outer = $outer{$number} // return say_line($number, 'unconnected', 'the sandbox has ended');
  start_network($number, $outer, sub {}, @how);
}

# A user namespace and a network in it, for a sandbox that is opened later. They are kept by their files, and belong to that
# sandbox alone.
sub prepare_network {
  my ($number, $switched, $name, $uid, $gid, $uids, $gids, @how) = @_;
  pipe(my $made, my $make) or die "pipe: $!\n";
  pipe(my $kept, my $keep) or die "pipe: $!\n";
  my $maker = fork // die "fork: $!\n";
  if ($maker == 0) {
    close $_ for $made, $keep;
    setpgrp(0, 0);
    forget_others();
    open STDERR, '>&', $make;
    eval {
      dies_with_parent($LAUNCHER);
      my $make_namespaces = namespace_maker($uids, $gids);
      if ($switched) {
        become($name, $uid, $gid);
        dies_with_parent($LAUNCHER);
      }
      $make_namespaces->($NEW_USERS | $NEW_NETWORK);
      syswrite $make, $MADE;
      sysread $kept, my $byte, 1;
      POSIX::_exit(0);
    };
    syswrite $make, $@;
    POSIX::_exit(1);
  }
  close $_ for $make, $kept;
  $keep{$number} = $keep;
  my $over = sub {
    close(delete $keep{$number} // return);
    waitpid $maker, 0;
  };
  my $said = '';
  on_end($made, 1, sub {
    return if !$keep{$number} || $prepared{$number};
    $said .= $_[0];
    if ($said eq $MADE && !$unwanted{$number}) {
      if (open(my $users, '<', "/proc/$maker/ns/user") && open(my $network, '<', "/proc/$maker/ns/net")) {
        $prepared{$number} = [$users, $network];
        return start_network($number, $maker, $over, @how);
      }
      $said = "its namespaces: $!";
    } elsif ($_[0] ne '' && $said ne $MADE) {
      return;
    }
    $over->();
    delete $unwanted{$number};
    $said =~ s/\s+/ /g;
    say_line($number, 'unconnected', $said);
  });
}

# slirp4netns writes to a descriptor when the network is up, and ends when another one is closed. `settled` is called once the
# process by which it finds the namespaces is needed no more.
sub start_network {
  my ($number, $target, $settled, $name, $uid, $gid, @command) = @_;
  local $^F = 1000;
  pipe(my $is_up, my $up) or die "pipe: $!\n";
  pipe(my $is_over, my $over) or die "pipe: $!\n";
  pipe(my $complaints, my $complain) or die "pipe: $!\n";
  my $network = fork // die "fork: $!\n";
  if ($network == 0) {
    close $_ for $is_up, $over, $complaints;
    $SIG{PIPE} = 'DEFAULT';
    setpgrp(0, 0);
    forget_others();
    open STDERR, '>&', $complain;
    open STDOUT, '>', '/dev/null';
    close $complain;
    eval {
      if ($name ne '') { become($name, $uid, $gid) }
      dies_with_parent($LAUNCHER);
      push @command, '--ready-fd=' . fileno $up, '--exit-fd=' . fileno $is_over, $target, 'tap0';
      exec { $command[0] } @command or die "$command[0]: $!\n";
    };
    print STDERR $@;
    POSIX::_exit(1);
  }
  close $_ for $up, $is_over, $complain;
  # None of them is for those that are started later.
  fcntl $_, 2, 1 for $is_up, $over, $complaints;
  $exit_of_network{$number} = $over;
  my ($is_connected, $said) = (0, '');
  on_end($is_up, 1, sub {
    return if $is_connected || $_[0] eq '';
    $is_connected = 1;
    $settled->();
    say_line($number, 'connected');
  });
  on_end($complaints, 1, sub {
    return $said = substr("$said$_[0]", -1000) if $_[0] ne '';
    waitpid $network, 0;
    $settled->();
    close $_ for @{ delete $prepared{$number} // [] };
    delete $exit_of_network{$number};
    $said =~ s/\s+/ /g;
    say_line($number, $is_connected ? 'disconnected' : ('unconnected', $said));
  });
}

# Not every testbed's root is root of its network, so the network itself lets everybody do what root may do elsewhere: serve on
# ports below 1024, and ping.
sub let_use_network {
  my (%parts) = @_;
  my @ids = sort { $a <=> $b } map { my ($first, undef, $count) = split / /; ($first, $first + $count - 1) } split /\n/, $parts{gids};
  write_to('/proc/sys/net/ipv4/ip_unprivileged_port_start', 0);
  write_to('/proc/sys/net/ipv4/ping_group_range', "$ids[0] $ids[-1]");
  keep_away_from(split /\n/, $parts{unreachable});
}

# Routes that lead nowhere, which only a process with rights over the sandbox's network could take away: none that is started
# later. Networks are addresses with or without the length of their prefix.
sub keep_away_from {
  my @networks = @_;
  @networks = grep { !/:/ } @networks if !speaks_ipv6();
  return if !@networks;
  my $kernel = rtnetlink();
  for my $network (@networks) {
    my ($text, $length) = split m{/}, $network;
    my $family = $text =~ /:/ ? Socket::AF_INET6() : Socket::AF_INET();
    my $address = Socket::inet_pton($family, $text) // die "$network is no network\n";
    $length //= 8 * length $address;
    $address &= pack 'B*', '1' x $length . '0' x (8 * length($address) - $length);
    my $route = pack('C8 L', $family, $length, 0, 0, $MAIN_TABLE, $STATIC, 0, $UNREACHABLE, 0)
      . attribute($DESTINATION, $address);
    ask_kernel($kernel, "the network $network cannot be kept out of reach", $NEW_ROUTE, $REPLACE | $CREATE, $route);
  }
}
sub speaks_ipv6 {
  open(my $setting, '<', '/proc/sys/net/ipv6/conf/lo/disable_ipv6') or return 0;
  return readline($setting) == 0;
}
