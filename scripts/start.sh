# `npm start`. Where a user may have fewer processes than Node.js has threads, Node.js waits forever or aborts without a word, so a
# shell looks at that limit first. Whether there are enough for everything is found out later.
while read -r first second limit _; do
  [ "$first $second" = 'Max processes' ] && [ "$limit" != unlimited ] && [ "$limit" -lt 50 ] || continue
  echo "proctor: only $limit processes and threads are allowed here, and a start needs 100: type ulimit -u 200 before npm start;" \
    'where that is refused, raise LimitNPROC of its unit, nproc in /etc/security/limits.conf, or docker run --ulimit nproc=200' >&2
  exit 1
done </proc/self/limits
exec node scripts/start.mjs
