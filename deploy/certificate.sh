#!/bin/sh
# Makes a certificate for a server, signed by an authority of this deployment's own, which is made at the first call; what is
# there already is left alone. A certificate of another authority serves as well: put its files into the same places.
#
#   sh deploy/certificate.sh FOLDER NAME HOST...
#
# FOLDER/ca.pem is what others check the server against, FOLDER/ca.key signs: keep it, or remove it once all servers have theirs.
# FOLDER/NAME.pem and FOLDER/NAME.key are the server's. HOST is each name or IP address that it is reached by.
set -eu
umask 077
folder=$1 name=$2
shift 2
[ $# -gt 0 ] || { echo "certificate.sh: name the hosts that $name is reached by" >&2; exit 2; }
days=3650
new_key='-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes'

mkdir -p "$folder"
if [ ! -e "$folder/ca.pem" ]; then
  # shellcheck disable=SC2086
  openssl req $new_key -x509 -days $days -subj '/CN=Proctor' -keyout "$folder/ca.key" -out "$folder/ca.pem" 2>/dev/null
fi
[ -e "$folder/$name.pem" ] && exit 0

names=
for host; do
  # An address of IPv6 has a colon, one of IPv4 nothing but digits and dots.
  case $host in
    *:*) kind=IP ;;
    *[!0-9.]*) kind=DNS ;;
    *) kind=IP ;;
  esac
  names="$names,$kind:$host"
done
# shellcheck disable=SC2086
openssl req $new_key -subj "/CN=$1" -keyout "$folder/$name.key" -out "$folder/$name.csr" 2>/dev/null
printf 'subjectAltName=%s\nextendedKeyUsage=serverAuth\n' "${names#,}" > "$folder/$name.ext"
openssl x509 -req -in "$folder/$name.csr" -CA "$folder/ca.pem" -CAkey "$folder/ca.key" -CAcreateserial -days $days \
  -extfile "$folder/$name.ext" -out "$folder/$name.pem" 2>/dev/null
rm "$folder/$name.csr" "$folder/$name.ext"
chmod 644 "$folder/ca.pem" "$folder/$name.pem"
