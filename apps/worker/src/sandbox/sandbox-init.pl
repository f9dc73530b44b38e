# The first process of a sandbox, the only one of its own: every program that it started to make a mount or a folder would cost
# as much as twenty of them. It uses nothing but the interpreter itself (perl-base, which every Debian system has): a
# module that is loaded doubles its start.
#
# It makes the sandbox's view of the files: what is to be seen is gathered in a folder of its own, the rest is covered, and the
# former put back. A folder that holds a hidden path shows what else it held at that moment, so that nothing is seen that
# takes the hidden one's place later, nor the hidden one by another name. Then it waits for its network, and when it ends, the
# kernel ends everything else in its process namespace and takes the work area away. Only the two capabilities that newuidmap
# and newgidmap need go on to the command.
#
# On file descriptor 3 it writes its process id as the worker's namespace has it, then `ready` once the view is made, a line
# each; it reads a line before it begins the command.
use strict;

my ($area, $bytes, $network, $folder, $surroundings, $view, @command) = @ARGV;

# What every sandbox sees of the machine's root folder, and of /var; programs and settings. Nothing else there is to be seen.
my $SYSTEM = qr{^/(?:bin|dev|etc|lib[^/]*|opt|proc|run|sbin|sys|tmp|usr|var)$};
my $SYSTEM_OF_VAR = qr{^/var/(?:cache|lib|tmp)$};

# Folders that every Debian system has, most of them empty. The work area is found in the first that is: sockets that servers
# make in it, ssh's above all, have names of at most 107 bytes, the folder's included.
my @SHORT_PLACES = qw(/mnt /media /srv /opt /var/opt /var/local);

# The number of mount(2): linux/arch/*/entry/syscalls, asm-generic/unistd.h. 32 bits, x86_64, mips64 and the rest differ.
require Config;
my $MOUNT = do {
  my $machine = $Config::Config{archname};
  $machine =~ /^x86_64-linux-gnu(?!x32)/ ? 165
    : $machine =~ /^(?:i[3-6]86|arm|powerpc|s390x|sparc|sh4|m68k|hppa)/ ? 21
    : $machine =~ /^(?:aarch64|riscv64|loongarch64)/ ? 40
    : $machine =~ /^mips64(?:el)?-linux-gnuabi64/ ? 5160
    : die "the number of mount(2) is not known for $machine\n";
};
my ($READ_ONLY, $NO_SETUID, $NO_DEVICES, $NO_PROGRAMS) = (1, 2, 4, 8);
my ($REMOUNT, $BIND, $RECURSIVE) = (32, 4096, 16384);

sub mount {
  # A string that was never a number is passed by its address.
  my ($source, $target, $type, $flags, $data) = ("$_[0]", "$_[1]", @_[2 .. 4]);
  return syscall($MOUNT, $source, $target, $type, $flags, $data) == 0;
}
sub must_mount { mount(@_) or die "mount $_[0] on $_[1]: $!\n" }
sub show { must_mount(@_, 'none', $BIND, '') }
sub show_all { must_mount(@_, 'none', $BIND | $RECURSIVE, '') }
sub new_files { my ($target, $options) = @_; must_mount('proctor', $target, 'tmpfs', 0, $options) }

sub make_folder { mkdir $_[0] or die "mkdir $_[0]: $!\n" }
sub write_file {
  my ($path, $text) = @_;
  open(my $file, '>', $path) or die "$path: $!\n";
  print($file $text) && close($file) or die "$path: $!\n";
}
sub make_path {
  my ($path) = @_;
  return if -d $path;
  make_path($1) if $path =~ m{^(.+)/[^/]+$};
  make_folder($path);
}
sub parent { $_[0] =~ m{^(.+)/[^/]*$} ? $1 : '/' }
# Nothing where it may not be listed.
sub names_in {
  opendir(my $listing, $_[0]) or return;
  return grep { $_ ne '.' && $_ ne '..' } readdir $listing;
}

sub cover {
  my ($path) = @_;
  if (-d $path) { new_files($path, 'size=64k,mode=755') }
  elsif (-e $path) { show('/dev/null', $path) }
}

# unshare has made all mounts private.
my $own_id = readlink '/proc/self';
must_mount('proc', '/proc', 'proc', $NO_SETUID | $NO_DEVICES | $NO_PROGRAMS, '');
open(my $worker, '+<&=', 3) or die "file descriptor 3: $!\n";
syswrite $worker, "$own_id\n";

my @view = map { [split / /, $_, 2] } split /\n/, $view;

new_files($area, 'size=64k,mode=755');
chdir $area or die "$area: $!\n";
for my $number (1 .. @view) {
  my ($sign, $path) = @{ $view[$number - 1] };
  next unless $sign eq '+' && -e $path;
  if (-d $path) { make_folder($number) } else { write_file($number, '') }
  show_all($path, $number);
}
make_folder('folder');
show($folder, 'folder');

new_files($area, "size=$bytes,mode=755");
sysopen(my $area_now, $area, 0) or die "$area: $!\n";
my $area_path = '/proc/self/fd/' . fileno $area_now;

sub replace {
  my ($path, $name, $mode) = @_;
  return if -l $path || !-d $path;
  make_folder("$area_path/$name");
  chmod $mode, "$area_path/$name";
  show("$area_path/$name", $path);
}

if ($surroundings eq 'own') {
  my $resolver = '/etc/resolv.conf';
  my $nameservers = do { local (@ARGV, $/) = grep { -r } $resolver; @ARGV ? <> : '' };
  for (1 .. 40) {
    my $target = readlink $resolver // last;
    $resolver = $target =~ m{^/} ? $target : parent($resolver) . "/$target";
  }
  for my $path (map({ "/$_" } names_in('/')), map({ "/var/$_" } names_in('/var'))) {
    cover($path) unless $path =~ $SYSTEM || $path =~ $SYSTEM_OF_VAR || -l $path;
  }
  replace('/run', '.run', 0755);
  make_path('/run/lock');
  replace('/tmp', '.tmp', 01777);
  replace('/var/tmp', '.var-tmp', 01777);
  replace('/dev/shm', '.shm', 01777);
  cover('/dev/mqueue');
  cover('/sys/fs/cgroup');
  if (!-e $resolver) {
    make_path(parent($resolver));
    write_file($resolver, $nameservers);
  }
}

my %is_hidden = map { $_->[0] eq '-' ? ($_->[1] => 1) : () } @view;
my (%is_listed, @listed);
# Only what the folder holds now is seen of it, without what is hidden.
sub enlist {
  my ($path, $number) = @_;
  return if $is_listed{$path} || $path eq '/';
  my @names = names_in($path) or return;
  $is_listed{$path} = 1;
  push @listed, $path;
  my $old = "listed-$number";
  make_folder($old);
  show_all($path, $old);
  new_files($path, 'size=64k,mode=755');
  for my $entry (@names) {
    my ($from, $to) = ("$old/$entry", "$path/$entry");
    if (-l $from) { symlink(readlink($from), $to) or die "$to: $!\n"; next }
    elsif (-d $from) { make_folder($to) }
    elsif (-e $from) { write_file($to, '') }
    else { next }
    # It may be gone by now.
    $is_hidden{$to} || mount($from, $to, 'none', $BIND | $RECURSIVE, '') || !-e $from or die "mount $to: $!\n";
  }
}
for my $number (1 .. @view) {
  my ($sign, $path) = @{ $view[$number - 1] };
  if ($sign eq '-') {
    enlist(parent($path), $number) if $surroundings eq 'own';
    cover($path);
  } elsif (-e $number) {
    if (-d $number) { make_path($path) }
    elsif (!-e $path) { make_path(parent($path)); write_file($path, '') }
    show_all($number, $path);
  }
}
make_path($folder);
show('folder', $folder);
must_mount('none', $_, 'none', $REMOUNT | $BIND | $READ_ONLY, '') for @listed;
show($area_path, $area);
chdir '/';
close $area_now;

for my $short (@SHORT_PLACES) {
  next if !-d $short || names_in($short);
  show($area, $short);
  $area = $short;
  last;
}
if ($network eq 'private') {
  write_file("$area/.resolv.conf", "nameserver 10.0.2.3\n");
  show("$area/.resolv.conf", '/etc/resolv.conf');
}

syswrite $worker, "ready\n";
sysread $worker, my $go, 64 or die "the worker has ended\n";
close $worker;

my @become = ('setpriv', '--inh-caps=-all,+setuid,+setgid', '--ambient-caps=-all,+setuid,+setgid', '--');
my $child = fork // die "fork: $!\n";
if ($child == 0) {
  %ENV = (PATH => $ENV{PATH}, LANG => $ENV{LANG}, HOME => $area, TMPDIR => $area);
  exec @become, @command or die "setpriv: $!\n";
}
# It is the parent of what others leave behind.
my $ended;
do { $ended = wait } until $ended == $child || $ended == -1;
exit($? & 127 ? 128 + ($? & 127) : $? >> 8);
