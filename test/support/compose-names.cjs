// The names of containers, which Docker's name server knows: for `node --require`, on one machine.
const dns = require('node:dns');

const NAMES = process.env.COMPOSE_NAMES.split(',');
const lookup = dns.lookup;

dns.lookup = (name, ...rest) => lookup(NAMES.includes(name) ? '127.0.0.1' : name, ...rest);
