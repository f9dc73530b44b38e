# The view that a sandbox has of the machine's files, made by its first process, which is the only one then: each program that
# it started for a mount or a folder would cost as much as twenty of them.
#
# What is to be seen is gathered in a folder of its own, the rest is covered, and the former put back. A folder that holds a
# hidden path shows what else it held at that moment, so that nothing is seen that takes the hidden one's place later, nor the
# hidden one by another name.

# What every sandbox sees of the machine's root folder, and of /var; programs and settings. Nothing else there is to be seen.
my $SYSTEM = qr{^/(?:bin|dev|etc|lib[^/]*|opt|proc|run|sbin|sys|tmp|usr|var)$};
my $SYSTEM_OF_VAR = qr{^/var/(?:cache|lib|tmp)$};

# Folders that every Debian system has, most of them empty. The work area is found in the first that is: sockets that servers
# make in it, ssh's above all, have names of at most 107 bytes, the folder's included.
my @SHORT_PLACES = qw(/mnt /media /srv /opt /var/opt /var/local);

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

my ($area_path, @view, %is_hidden, %is_listed, @listed);

sub replace {
  my ($path, $name, $mode) = @_;
  return if -l $path || !-d $path;
  make_folder("$area_path/$name");
  chmod $mode, "$area_path/$name";
  show("$area_path/$name", $path);
}

sub cover_surroundings {
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
  replace('/var/tmp', '.var-tmp', 01777);
  replace('/dev/shm', '.shm', 01777);
  cover('/dev/mqueue');
  cover('/sys/fs/cgroup');
  if (!-e $resolver) {
    make_path(parent($resolver));
    write_file($resolver, $nameservers);
  }
}

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

# Returns where the work area is found in it.
sub make_view {
  my (%parts) = @_;
  my ($area, $folder, $is_own) = (@parts{qw(area folder)}, $parts{surroundings} eq 'own');
  @view = map { [split / /, $_, 2] } split /\n/, $parts{view};
  %is_hidden = map { $_->[0] eq '-' ? ($_->[1] => 1) : () } @view;

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

  new_files($area, "size=$parts{bytes},mode=755");
  sysopen(my $area_now, $area, 0) or die "$area: $!\n";
  $area_path = '/proc/self/fd/' . fileno $area_now;

  # Also where the rest is the machine's own: autopkgtest keeps a file in it whose name is always the same.
  replace('/tmp', '.tmp', 01777);
  cover_surroundings() if $is_own;
  for my $number (1 .. @view) {
    my ($sign, $path) = @{ $view[$number - 1] };
    if ($sign eq '-') {
      enlist(parent($path), $number) if $is_own;
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
  if ($parts{network} eq 'private') {
    write_file("$area/.resolv.conf", "nameserver 10.0.2.3\n");
    show("$area/.resolv.conf", '/etc/resolv.conf');
  }

  return $area;
}

# The first process of the sandbox. It waits for its network, and when it ends, the kernel ends everything else in its process
# namespace and takes the work area away. Returns the status of the command's end.
sub first_process {
  my ($number, $worker, $heard, %parts) = @_;
  $0 = 'proctor-sandbox';
  # The files of processes are still those of the machine.
  syswrite $worker, "$number pid " . readlink('/proc/self') . "\n";
  must_mount('proc', '/proc', 'proc', $NO_SETUID | $NO_DEVICES | $NO_PROGRAMS, '');
  let_use_network(%parts) if $parts{network} eq 'private';
  my $area = make_view(%parts);
  syswrite $worker, "$number ready\n";
  sysread $heard, my $go, 64 or die "the worker has ended\n";
  my ($users, $network, $why) = $parts{as_root} ? make_root(%parts) : ();
  if ($users && $parts{network} eq 'private') {
    syswrite $worker, "$number testbed " . ($network ? 'own' : 'shared ' . join ' ', split ' ', $why) . "\n";
  }
  close $_ for $worker, $heard;
  my $child = fork // die "fork: $!\n";
  if ($child == 0) {
    %ENV = (PATH => $ENV{PATH}, LANG => $ENV{LANG}, HOME => $area, TMPDIR => $area);
    execute_as_root($users, $network, @{ $parts{command} }) if $users;
    execute(@{ $parts{command} });
  }
  # It is the parent of what others leave behind.
  my $ended;
  do { $ended = wait } until $ended == $child || $ended == -1;
  return $?;
}
