import { pickUser } from './server-user';

const ROOT = 'root:x:0:0:root:/root:/bin/bash';
const LEAST = ['nobody', 'x', 65534, 65533, '', '/nonexistent', '/usr/sbin/nologin'].join(':');
const POSTGRES = 'postgres:x:101:104:PostgreSQL:/var/lib/postgresql:/bin/bash';

it('the user that runs the servers for root is postgres, else the one with the fewest rights', () => {
  expect(pickUser([ROOT, LEAST, POSTGRES, ''].join('\n'))).toEqual({
    name: 'postgres',
    uid: 101,
    gid: 104,
  });
  expect(pickUser([ROOT, LEAST, ''].join('\n'))).toEqual({ name: 'nobody', uid: 65534, gid: 65533 });
  expect(pickUser(`${ROOT}\n`)).toBeNull();
});
