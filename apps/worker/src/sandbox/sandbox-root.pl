# The root of a testbed: of a user namespace within the sandbox's, which has a network of its own where the machine allows it. So
# that root may do with its network what it likes. A pair of interfaces joins it to the sandbox's network, which forwards what comes
# from the address of the inner end to where its routes lead, and over which that root has no rights.
my ($INNER, $OUTER, $TAP) = ('eth0', 'testbed0', 'tap0');
# Two addresses of the network that slirp4netns has, so that no others are lost to tests.
my ($INNER_ADDRESS, $OUTER_ADDRESS, $PREFIX) = ('10.0.2.130', '10.0.2.129', 30);
my $NUMBER = 100;
my $LOOPBACK_NUMBER = 1;
my $PACKET_BYTES = 65520;

# What makers of namespaces say.
my $MADE = "made\n";

# Returns the open files of its namespaces, users' first, and why it has no network of its own where that is so.
sub make_root {
  my (%parts) = @_;
  my ($users, $network, $why) = namespaces_of_root(%parts);
  return ($users) if $parts{network} ne 'private';
  eval {
    $network // die $why;
    join_networks($network);
    my $configurer = fork // die "fork: $!\n";
    if ($configurer == 0) {
      eval { configure_inner($network, %parts); POSIX::_exit(0) };
      print STDERR $@;
      POSIX::_exit(1);
    }
    waitpid($configurer, 0) == $configurer && $? == 0 or die "it could not be configured\n";
  };
  return $@ eq '' ? ($users, $network) : ($users, undef, $@);
}

# They are kept by their files once their maker has ended.
sub namespaces_of_root {
  my (%parts) = @_;
  pipe(my $made, my $make) or die "pipe: $!\n";
  pipe(my $kept, my $keep) or die "pipe: $!\n";
  my $maker = fork // die "fork: $!\n";
  if ($maker == 0) {
    close $_ for $made, $keep;
    eval {
      call('a user namespace for root', $UNSHARE, $NEW_USERS);
      if ($parts{network} eq 'private') { eval { call('a network', $UNSHARE, $NEW_NETWORK) }; syswrite $make, $@ }
      syswrite $make, $MADE;
      sysread $kept, my $byte, 1;
      POSIX::_exit(0);
    };
    print STDERR $@;
    POSIX::_exit(1);
  }
  close $_ for $make, $kept;
  my $said = '';
  while ($said !~ /\Q$MADE\E\z/) { sysread($made, $said, 1000, length $said) or die "root of the testbed could not be made\n" }
  write_to("/proc/$maker/uid_map", map_of_root($parts{uids}));
  write_to("/proc/$maker/gid_map", map_of_root($parts{gids}));
  open(my $users, '<', "/proc/$maker/ns/user") or die "the users of the testbed: $!\n";
  open(my $network, '<', "/proc/$maker/ns/net") or die "the network of the testbed: $!\n";
  close $keep;
  waitpid $maker, 0;
  return $said eq $MADE ? ($users, $network) : ($users, undef, $said =~ s/\Q$MADE\E\z//r);
}

# Root is the run user, and others are its subordinate ids.
sub map_of_root {
  my ($first, $second) = map { [split / /] } split /\n/, $_[0];
  return "0 $first->[0] 1\n1 $second->[0] $second->[2]\n";
}

# The outer end. Answers come by way of slirp4netns, which asks for the inner address on the tap.
sub join_networks {
  my ($network) = @_;
  my $kernel = rtnetlink();
  my $peer = link_of($NUMBER, 0) . attribute($NAME, "$INNER\0") . attribute($MTU, pack 'L', $PACKET_BYTES)
    . attribute($NETWORK_FILE, pack 'L', fileno $network);
  my $kind = attribute($KIND, 'veth') . attribute($KIND_DATA, attribute($PEER, $peer));
  my $pair = link_of($NUMBER, $UP) . attribute($NAME, "$OUTER\0") . attribute($MTU, pack 'L', $PACKET_BYTES) . attribute($LINK_INFO, $kind);
  ask_kernel($kernel, 'a pair of interfaces', $NEW_LINK, $CREATE | $EXCLUSIVE, $pair);
  # Nothing but IPv4 from the inner address is taken, and nothing that comes from there changes the way.
  my $settings = '/proc/sys/net/ipv4/conf';
  write_to("/proc/sys/net/ipv6/conf/$OUTER/disable_ipv6", 1) if speaks_ipv6();
  for my $interface ('all', $OUTER) {
    write_to("$settings/$interface/rp_filter", 1);
    write_to("$settings/$interface/$_", 0) for qw(accept_redirects secure_redirects send_redirects accept_source_route route_localnet);
  }
  add_address($kernel, $OUTER_ADDRESS);
  write_to("$settings/$TAP/proxy_arp", 1);
  my $answers = attribute(1, pack 'L', number_of($TAP)) . attribute($PROXY_DELAY, pack 'Q', 0);
  my $table = pack('C4', Socket::AF_INET(), 0, 0, 0) . attribute(1, "arp_cache\0") . attribute($TABLE_SETTINGS, $answers);
  ask_kernel($kernel, "the answers on $TAP", $SET_NEIGHBOURS, 0, $table);
  write_to('/proc/sys/net/ipv4/ip_forward', 1);
}

sub configure_inner {
  my ($network, %parts) = @_;
  call('setns', $SETNS, fileno $network, $NEW_NETWORK);
  my $kernel = rtnetlink();
  ask_kernel($kernel, "the interface $_", $SET_LINK, 0, link_of($_, $UP)) for $LOOPBACK_NUMBER, $NUMBER;
  add_address($kernel, $INNER_ADDRESS);
  my $route = pack('C8 L', Socket::AF_INET(), 0, 0, 0, $MAIN_TABLE, $STATIC, 0, $UNICAST, 0)
    . attribute($GATEWAY, Socket::inet_aton($OUTER_ADDRESS)) . attribute($INTERFACE, pack 'L', $NUMBER);
  ask_kernel($kernel, 'the default route', $NEW_ROUTE, $CREATE, $route);
  # A test is refused at once then, too; what keeps it away are the routes outside.
  let_use_network(%parts);
}

sub link_of { my ($number, $flags) = @_; return pack 'C2 S l L2', 0, 0, 0, $number, $flags, $flags }
sub add_address {
  my ($kernel, $text) = @_;
  my $address = Socket::inet_aton($text);
  my $message = pack('C4 L', Socket::AF_INET(), $PREFIX, 0, 0, $NUMBER) . attribute(1, $address) . attribute(2, $address);
  ask_kernel($kernel, "the address $text", $NEW_ADDRESS, $CREATE | $REPLACE, $message);
}
# netdevice(7).
sub number_of {
  my ($name) = @_;
  socket(my $socket, Socket::AF_INET(), Socket::SOCK_DGRAM(), 0) or die "socket: $!\n";
  my $request = pack 'a16 x24', $name;
  ioctl($socket, $INTERFACE_NUMBER, $request) or die "$name: $!\n";
  return unpack 'x16 l', $request;
}

# Executes a command as that root. /sys then shows its network, unless what a container covers there would show too.
sub execute_as_root {
  my ($users, $network, @command) = @_;
  call('setns', $SETNS, fileno $users, $NEW_USERS);
  call('setns', $SETNS, fileno $network, $NEW_NETWORK) if $network;
  call('unshare', $UNSHARE, $NEW_MOUNTS);
  mount_for_itself();
  mount('proctor', '/sys', 'sysfs', $NO_SETUID | $NO_DEVICES | $NO_PROGRAMS, '') if $network;
  run_program(@command);
}
