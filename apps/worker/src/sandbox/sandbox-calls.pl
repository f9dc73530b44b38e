# System calls that Perl has no words for.
use strict;
use POSIX ();
use Socket ();

# Numbers of system calls: linux/arch/*/entry/syscalls, asm-generic/unistd.h.
require Config;
my ($MOUNT, $UNSHARE, $PRCTL, $PRLIMIT, $CAPSET, $SETNS, $SET_HOST_NAME) = do {
  my $machine = $Config::Config{archname};
  $machine =~ /^x86_64-linux-gnu(?!x32)/ ? (165, 272, 157, 302, 126, 308, 170)
    : $machine =~ /^i[3-6]86/ ? (21, 310, 172, 340, 185, 346, 74)
    : $machine =~ /^arm/ ? (21, 337, 172, 369, 185, 375, 74)
    : $machine =~ /^(?:aarch64|riscv64|loongarch64)/ ? (40, 97, 167, 261, 91, 268, 161)
    : $machine =~ /^powerpc/ ? (21, 282, 171, 325, 184, 350, 74)
    : $machine =~ /^s390x/ ? (21, 303, 172, 334, 185, 339, 74)
    : $machine =~ /^mips64(?:el)?-linux-gnuabi64/ ? (5160, 5262, 5153, 5297, 5124, 5303, 5165)
    : die "the numbers of system calls are not known for $machine\n";
};

# One number for all of them.
my $CLONE3 = 435;

# A string that was never a number is passed by its address.
sub call {
  my ($what, $number, @arguments) = @_;
  syscall($number, @arguments) == 0 or die "$what: $!\n";
}

my ($READ_ONLY, $NO_SETUID, $NO_DEVICES, $NO_PROGRAMS) = (1, 2, 4, 8);
my ($REMOUNT, $BIND, $RECURSIVE, $PRIVATE) = (0x20, 0x1000, 0x4000, 0x40000);

my ($NEW_MOUNTS, $NEW_NAME, $NEW_IPC, $NEW_USERS, $NEW_PROCESSES, $NEW_NETWORK) =
  (0x20000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000);

# What rtnetlink(7) calls it, and netdevice(7).
my ($NETLINK, $NEW_LINK, $SET_LINK, $NEW_ADDRESS, $NEW_ROUTE, $SET_NEIGHBOURS) = (16, 16, 19, 20, 24, 67);
my ($REQUEST, $ACKNOWLEDGE, $REPLACE, $EXCLUSIVE, $CREATE) = (1, 4, 0x100, 0x200, 0x400);
my ($MAIN_TABLE, $STATIC, $UNICAST, $UNREACHABLE, $DESTINATION, $INTERFACE, $GATEWAY) = (254, 4, 1, 7, 1, 4, 5);
my ($NAME, $MTU, $LINK_INFO, $NETWORK_FILE, $KIND, $KIND_DATA, $PEER, $UP) = (3, 4, 18, 28, 1, 2, 1, 1);
my ($TABLE_SETTINGS, $PROXY_DELAY, $INTERFACE_NUMBER) = (6, 13, 0x8933);

sub rtnetlink {
  socket(my $kernel, $NETLINK, Socket::SOCK_RAW(), 0) or die "rtnetlink: $!\n";
  return $kernel;
}
sub attribute {
  my ($type, $value) = @_;
  my $length = 4 + length $value;
  return pack('S2 a*', $length, $type, $value) . "\0" x (-$length % 4);
}
sub ask_kernel {
  my ($kernel, $what, $type, $flags, $message) = @_;
  my $header = pack 'L S2 L2', 16 + length $message, $type, $flags | $REQUEST | $ACKNOWLEDGE, 1, 0;
  syswrite($kernel, $header . $message) or die "rtnetlink: $!\n";
  sysread($kernel, my $answer, 4096) or die "rtnetlink: $!\n";
  local $! = -unpack 'x16 l', $answer;
  die "$what: $!\n" if $! != 0;
}

sub mount {
  my ($source, $target, $type, $flags, $data) = ("$_[0]", "$_[1]", "$_[2]", $_[3], "$_[4]");
  return syscall($MOUNT, $source, $target, $type, $flags, $data) == 0;
}
sub must_mount { mount(@_) or die "mount $_[0] on $_[1]: $!\n" }
sub show { must_mount(@_, 'none', $BIND, '') }
sub show_all { must_mount(@_, 'none', $BIND | $RECURSIVE, '') }
sub new_files { my ($target, $options) = @_; must_mount('proctor', $target, 'tmpfs', 0, $options) }
