/** A line of a sandbox's view of the machine's files: `-` covers what lies at the path, `+` shows it all the same. */
interface SightRule {
  sign: '-' | '+';
  path: string;
}

/** What every sandbox sees of the machine's root folder; programs and settings. Nothing else there is to be seen. */
const SYSTEM = [
  '/bin',
  '/dev',
  '/etc',
  '/lib*',
  '/opt',
  '/proc',
  '/run',
  '/sbin',
  '/sys',
  '/tmp',
  '/usr',
  '/var',
];

/** The same of /var. */
const SYSTEM_OF_VAR = ['/var/cache', '/var/lib', '/var/tmp'];

/**
 * Folders that every Debian system has, most of them empty. The work area is found in the first that is: sockets that
 * servers make in it, ssh's above all, have names of at most 107 bytes, the folder's included.
 */
const SHORT_PLACES = ['/mnt', '/media', '/srv', '/opt', '/var/opt', '/var/local'];

/**
 * The lines of a view, parents first: the longest path that holds a file decides whether it is seen, and of equal ones
 * the one that covers it.
 */
export function sightLines(hidden: string[], visible: string[]): string {
  const rules: SightRule[] = [
    ...visible.map((path) => ({ sign: '+' as const, path })),
    ...hidden.map((path) => ({ sign: '-' as const, path })),
  ];
  const depth = ({ path }: SightRule) => path.split('/').length;
  return rules
    .sort((one, other) => depth(one) - depth(other))
    .map(({ sign, path }) => `${sign} ${path}`)
    .join('\n');
}

/**
 * The first process of the sandbox. It makes the sandbox's view of the files: what is to be seen is gathered in a folder of
 * its own, the rest is covered, and the former put back. A folder that holds a hidden path shows what else it held at that
 * moment, so that nothing is seen that takes the hidden one's place later, nor the hidden one by another name. Then it waits
 * for its network, and when it ends, the kernel ends everything else in its process namespace and takes the work area away.
 * Only the two capabilities that newuidmap and newgidmap need go on to the command.
 */
export const INIT = `
set -e
area=$1 bytes=$2 network=$3 folder=$4 surroundings=$5 view=$6
shift 6
mount -t tmpfs -o size=64k,mode=755 proctor "$area"
cd "$area"
number=0
while read -r sign path; do
  number=$((number + 1))
  [ "$sign" = + ] && [ -e "$path" ] || continue
  if [ -d "$path" ]; then mkdir "$number"; else : >"$number"; fi
  mount --rbind "$path" "$number"
done <<END
$view
END
mkdir folder
mount --bind "$folder" folder
mount -t tmpfs -o "size=$bytes,mode=755" proctor "$area"
exec 4<"$area"
area_now=/proc/self/fd/4
line_break='
'
cover() {
  if [ -d "$1" ]; then mount -t tmpfs -o size=64k,mode=755 proctor "$1"
  elif [ -e "$1" ]; then mount --bind /dev/null "$1"
  fi
}
replace() {
  [ -d "$1" ] && [ ! -L "$1" ] || return 0
  mkdir -m "$3" "$area_now/$2"
  mount --no-canonicalize --bind "$area_now/$2" "$1"
}
if [ "$surroundings" = own ]; then
  resolver=$(readlink -f /etc/resolv.conf || :)
  nameservers=$(cat /etc/resolv.conf 2>/dev/null || :)
  for path in /* /.[!.]* /var/*; do
    case $path in
    ${SYSTEM.join('|')}) continue ;;
    ${SYSTEM_OF_VAR.join('|')}) continue ;;
    esac
    [ -L "$path" ] || cover "$path"
  done
  replace /run .run 755
  mkdir -p /run/lock
  replace /tmp .tmp 1777
  replace /var/tmp .var-tmp 1777
  replace /dev/shm .shm 1777
  cover /dev/mqueue
  cover /sys/fs/cgroup
  if [ -n "$resolver" ] && [ ! -e "$resolver" ]; then
    mkdir -p "$(dirname "$resolver")"
    printf '%s\\n' "$nameservers" >"$resolver"
  fi
fi
enlisted=
enlist() {
  case "$line_break$enlisted" in *"$line_break$1$line_break"*) return 0 ;; esac
  [ "$1" != / ] && [ -n "$(ls -A "$1" 2>/dev/null)" ] || return 0
  enlisted=$enlisted$1$line_break
  old=listed-$number
  mkdir "$old"
  mount --no-canonicalize --rbind "$1" "./$old"
  mount -t tmpfs -o size=64k,mode=755 proctor "$1"
  for entry in "$old"/* "$old"/.[!.]* "$old"/..?*; do
    name=$1/\${entry##*/}
    if [ -L "$entry" ]; then cp -P "$entry" "$name"; continue
    elif [ -d "$entry" ]; then mkdir "$name"
    elif [ -e "$entry" ]; then : >"$name"
    else continue
    fi
    case "$line_break$view$line_break" in *"$line_break- $name$line_break"*) continue ;; esac
    # It may be gone by now.
    mount --no-canonicalize --rbind "./$entry" "$name" || [ ! -e "$entry" ]
  done
}
number=0
while read -r sign path; do
  number=$((number + 1))
  if [ "$sign" = - ]; then
    if [ "$surroundings" = own ]; then enlist "$(dirname "$path")"; fi
    cover "$path"
  elif [ -e "$number" ]; then
    if [ -d "$number" ]; then mkdir -p "$path"
    elif [ ! -e "$path" ]; then
      mkdir -p "$(dirname "$path")"
      : >"$path"
    fi
    mount --no-canonicalize --rbind "./$number" "$path"
  fi
done <<END
$view
END
mkdir -p "$folder"
mount --no-canonicalize --bind ./folder "$folder"
printf %s "$enlisted" | while read -r listed; do mount -o remount,bind,ro "$listed"; done
mount --no-canonicalize --bind "$area_now" "$area"
cd /
exec 4<&-
for short in ${SHORT_PLACES.join(' ')}; do
  [ -d "$short" ] && [ -z "$(ls -A "$short")" ] || continue
  mount --bind "$area" "$short"
  area=$short
  break
done
if [ "$network" = private ]; then
  echo 'nameserver 10.0.2.3' >"$area/.resolv.conf"
  mount --bind "$area/.resolv.conf" /etc/resolv.conf
fi
echo ready >&3
read -r go <&3
exec 3>&-
code=0
setpriv --inh-caps=-all,+setuid,+setgid --ambient-caps=-all,+setuid,+setgid -- \\
  env -i PATH="$PATH" LANG="$LANG" HOME="$area" TMPDIR="$area" "$@" || code=$?
exit $code
`;
