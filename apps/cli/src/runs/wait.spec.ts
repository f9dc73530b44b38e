import { EXIT } from '../failure';
import { RefusedByService, type Service } from '../service/service';
import { awaitRuns } from './wait';

it.each([
  [404, 'There is no run 7', /^there is no run 7$/],
  [410, 'Run 7 was removed: runs are kept for 3650 days', /^Run 7 was removed: /],
])(
  'a run that is waited for and answered with %i is none that has failed',
  async (status, detail, message) => {
    const service = {
      address: { url: 'http://x' },
      request: () => Promise.reject(new RefusedByService(status, detail, EXIT.failed, null)),
    } as unknown as Service;
    await expect(awaitRuns(service, [7], {})).rejects.toMatchObject({
      code: EXIT.usage,
      message: expect.stringMatching(message) as string,
    });
  },
);
