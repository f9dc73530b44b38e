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

# What rtnetlink(7) calls it.
my ($NETLINK, $NEW_ROUTE, $MAIN_TABLE, $STATIC, $UNREACHABLE, $DESTINATION) = (16, 24, 254, 4, 7, 1);
my ($REQUEST, $ACKNOWLEDGE, $REPLACE, $CREATE) = (1, 4, 0x100, 0x400);

sub mount {
  my ($source, $target, $type, $flags, $data) = ("$_[0]", "$_[1]", "$_[2]", $_[3], "$_[4]");
  return syscall($MOUNT, $source, $target, $type, $flags, $data) == 0;
}
sub must_mount { mount(@_) or die "mount $_[0] on $_[1]: $!\n" }
sub show { must_mount(@_, 'none', $BIND, '') }
sub show_all { must_mount(@_, 'none', $BIND | $RECURSIVE, '') }
sub new_files { my ($target, $options) = @_; must_mount('proctor', $target, 'tmpfs', 0, $options) }
